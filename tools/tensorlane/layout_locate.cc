// tensorlane layout locate: from an element to its place, and back.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "layout_options.h"
#include "layout_place.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/json/json.h"

namespace tensorlane::cli {
namespace {

struct LocateOptions {
  LayoutOptions layout;
  LayoutOutput output;
  std::string index, pixel, at;
  std::optional<std::int64_t> npu, byte;
};

void print(const Json& result, const LayoutOutput& output, const std::string& text) {
  if (output.wants_text()) fmt::print("{}\n", text);
  if (output.wants_json()) output.write_json(result);
}

std::string place_text(const NamedLayout& tensor, const Json& place) {
  if (tensor.is_image()) {
    const auto lane = place["lane"].get<std::size_t>();
    return tr("pixel ({}, {}), lane {} ({})", place["x"].get<std::int64_t>(),
              place["y"].get<std::int64_t>(), lane, "RGBA"[lane]);
  }
  const auto byte = place["offset"].get<std::int64_t>();
  std::string text = tr("offset {}", byte);
  if (tensor.is_local()) {
    const auto npu = place["npu"].get<std::int64_t>();
    text = tr("NPU {}, {}, bank {}, address {}", npu, text, place["bank"].get<std::int64_t>(),
              place["address"].get<std::int64_t>());
  }
  if (const Json* const nibble = place.find("nibble"))
    text += *nibble == Json(0) ? tr(", low nibble") : tr(", high nibble");
  return text;
}

void locate_element(const NamedLayout& tensor, const LocateOptions& options) {
  const std::vector<std::int64_t> index = parse_integers("--index", options.index);
  const Json place = element_place(tensor, index, banks_of(tensor));
  Json result = {{"index", index}};
  result.update(place);
  print(result, options.output, place_text(tensor, place));
}

void locate_place(const NamedLayout& tensor, const LocateOptions& options) {
  std::optional<std::vector<std::int64_t>> index;
  if (tensor.is_image()) {
    const std::vector<std::int64_t> at = parse_integers("--pixel", options.pixel);
    if (at.size() != 3) user_error("--pixel '{}': expected x,y,lane", options.pixel);
    index = element_at_pixel(tensor, at[0], at[1], at[2]);
  } else {
    index = element_at_byte(tensor, options.npu, *options.byte);
  }
  Json result = {{"index", nullptr}};
  if (!index) {
    print(result, options.output, tr("padding: no element lies there"));
    return;
  }
  result["index"] = *index;
  print(result, options.output,
        tr("element ({}) = ({})", fmt::join(axis_names(tensor), ", "), fmt::join(*index, ", ")));
}

// Decimal, or hexadecimal behind 0x, separated by commas.
std::vector<std::int64_t> parse_addresses(std::string_view text) {
  std::vector<std::int64_t> addresses;
  for (std::string_view rest = text; !rest.empty() || addresses.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    std::string_view word = rest.substr(0, comma);
    const bool hexadecimal = word.starts_with("0x") || word.starts_with("0X");
    if (hexadecimal) word.remove_prefix(2);
    std::int64_t address = 0;
    const auto [stop, error] =
        std::from_chars(word.data(), word.data() + word.size(), address, hexadecimal ? 16 : 10);
    if (error != std::errc() || stop != word.data() + word.size() || comma + 1 == rest.size())
      user_error("--at '{}': expected addresses separated by commas, as in 0x80040,524356", text);
    addresses.push_back(address);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return addresses;
}

void locate_addresses(const NamedLayout& tensor, const LocateOptions& options) {
  Json rows = Json::array();
  for (const std::int64_t address : parse_addresses(options.at)) {
    const std::optional<ByteOwner> owner = element_at_address(tensor, address);
    rows.push_back({{"address", address},
                    {"index", owner ? Json(owner->index) : Json()},
                    {"byte", owner ? Json(owner->byte) : Json()}});
    if (!options.output.wants_text()) continue;
    const std::string text =
        owner ? tr("element ({}) = ({}), byte {} of it", fmt::join(axis_names(tensor), ", "),
                   fmt::join(owner->index, ", "), owner->byte)
              : tr("padding: no element lies there");
    fmt::print("{:#x}: {}\n", address, text);
  }
  if (options.output.wants_json()) options.output.write_json(rows);
}

}  // namespace

void add_locate_command(App& layout) {
  App* locate = layout.add_subcommand("locate", "From an element to its place, and back");
  locate->footer(
      "Examples:\n"
      "  tensorlane layout locate --layout aligned --shape 2,3,4,5 --start-npu 2 --index 1,2,3,4\n"
      "  tensorlane layout locate --layout aligned --shape 2,3,4,5 --start-npu 2 --npu 0 --byte "
      "400\n"
      "  tensorlane layout locate --chip mace --layout IN_OUT_HEIGHT --shape 2,5,3,2 --pixel "
      "4,3,0\n"
      "  tensorlane layout locate --layout aligned --shape 2,3,4,5 --at 0x80040,0x80050\n");
  auto options = std::make_shared<LocateOptions>();
  options->layout.add_to(*locate);
  options->output.add_to(*locate, false);
  locate->add_option("--index", options->index, "the element, as in 1,2,3,4");
  locate->add_option("--npu", options->npu, "local layouts: the NPU, with --byte");
  locate->add_option("--byte", options->byte, "the byte in the NPU or in the buffer");
  locate->add_option("--pixel", options->pixel, "images: x,y,lane");
  locate->add_option("--at", options->at,
                     "linear addresses, as in 0x80040,0x80044: of local memory (NPU * bytes per "
                     "NPU + offset), or bytes of the buffer");
  locate->callback([options] {
    const NamedLayout tensor = make_layout(options->layout.spec());
    check_fits(tensor);
    if (!options->at.empty()) {
      locate_addresses(tensor, *options);
      return;
    }
    if (!options->index.empty()) {
      locate_element(tensor, *options);
      return;
    }
    const bool place = tensor.is_image()   ? !options->pixel.empty()
                       : tensor.is_local() ? options->npu && options->byte
                                           : options->byte.has_value();
    if (!place) {
      user_error("say which element (--index) or which place ({})",
                 tensor.is_image()   ? std::string("--pixel x,y,lane")
                 : tensor.is_local() ? tr("--npu and --byte")
                                     : std::string("--byte"));
    }
    locate_place(tensor, *options);
  });
}

}  // namespace tensorlane::cli
