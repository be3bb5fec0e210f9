#include "packed_check.h"

#include <fmt/ranges.h>

#include "layout_endpoints.h"
#include "layout_options.h"
#include "layout_place.h"
#include "tensorlane/base/language.h"

namespace tensorlane::cli {
namespace {

std::string bits_text(const NamedLayout& tensor, std::uint32_t bits) {
  return fmt::format("0x{:0{}x}", bits, dtype_bits(tensor.spec.dtype) / 4);
}

// Where an element should lie, in the words of its layout.
std::string place_words(const NamedLayout& tensor, const Layout::Index& index) {
  const auto begin = index.begin();
  const Json place = element_place(
      tensor, std::vector<std::int64_t>(begin, begin + tensor.layout.rank()), banks_of(tensor));
  if (tensor.is_image())
    return tr("pixel ({}, {}), lane {}", place["x"].get<std::int64_t>(),
              place["y"].get<std::int64_t>(), place["lane"].get<std::int64_t>());
  const std::string offset = tr("offset {}", place["offset"].get<std::int64_t>());
  return tensor.is_local() ? tr("NPU {}, {}", place["npu"].get<std::int64_t>(), offset) : offset;
}

}  // namespace

Json check_json(const NamedLayout& to, const PackedCheck& check) {
  Json first = Json::array();
  for (const PackedDifference& difference : check.first) {
    const auto begin = difference.index.begin();
    first.push_back({{"index", std::vector<std::int64_t>(begin, begin + to.layout.rank())},
                     {"place", place_words(to, difference.index)},
                     {"expected", bits_text(to, difference.expected)},
                     {"found", bits_text(to, difference.found)}});
  }
  return {{"right", check.right()},
          {"elements", check.elements},
          {"differing", check.differing},
          {"first", first},
          {"padding_differing", check.padding_differing},
          {"explanation", check.explanation.empty() ? Json() : Json(check.explanation)}};
}

void print_check(const std::string& where, const NamedLayout& to, const PackedCheck& check) {
  const std::string tensor =
      fmt::format("{} [{}] {}", to.name(), comma(to.spec.shape), dtype_name(to.spec.dtype));
  if (check.right()) {
    fmt::print("{}\n", tr("{}: {}: all {} elements are right", where, tensor, check.elements));
    return;
  }
  if (check.differing > 0) {
    fmt::print("{}\n", tr("{}: {}: {} of {} elements are wrong", where, tensor, check.differing,
                          check.elements));
    for (const PackedDifference& difference : check.first) {
      const auto begin = difference.index.begin();
      fmt::print(
          "  {}\n",
          tr("({}) = ({}), {}: {} expected, {} found", fmt::join(axis_names(to), ", "),
             fmt::join(begin, begin + to.layout.rank(), ", "), place_words(to, difference.index),
             bits_text(to, difference.expected), bits_text(to, difference.found)));
    }
    fmt::print("  {}\n", check.explanation.empty()
                             ? tr("no usual mistake of packing explains all of them")
                             : tr("it looks as if: {}", check.explanation));
  }
  if (check.padding_differing > 0) {
    fmt::print(
        "{}\n",
        tr("{}: {} of {} bytes of padding are not what they have to be, the first is byte {}",
           where, check.padding_differing, check.padding_bytes, check.first_padding));
  }
}

}  // namespace tensorlane::cli
