// tensorlane layout locate: from an element to its place, and back.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "layout_options.h"
#include "layout_place.h"
#include "layout_tensor_words.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/json/json.h"

namespace tensorlane::cli {
namespace {

struct LocateOptions {
  LayoutOptions layout;
  LayoutOutput output;
  std::string index, pixel, at;
  std::vector<std::string> tensors;
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
std::vector<std::int64_t> parse_addresses(const std::string& text) {
  std::vector<std::int64_t> addresses;
  for (const std::string& word : split_text(text, ',')) {
    const std::optional<std::int64_t> address = parse_address(word);
    if (!address)
      user_error("--at '{}': expected addresses separated by commas, as in 0x80040,524356", text);
    addresses.push_back(*address);
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

// Bytes of a tensor as people look for them: of local memory of the NPUs that it may reach.
bool may_hold(const NamedLayout& tensor, std::int64_t address) {
  if (!tensor.is_local())
    return address >= tensor.spec.offset && address < tensor.spec.offset + tensor.bytes;
  const std::int64_t offset = address % tensor.memory().npu_bytes - tensor.spec.offset;
  return address < tensor.memory().npus * tensor.memory().npu_bytes && offset >= 0 &&
         offset < tensor.bytes_per_npu;
}

// Which of several tensors an address belongs to.
void locate_in_list(const LocateOptions& options) {
  if (options.at.empty()) user_error("--tensor goes with --at ADDRESS");
  const TensorChip chip{options.layout.chip, options.layout.npus, options.layout.npu_bytes};
  std::vector<std::pair<std::string, NamedLayout>> tensors;
  for (const std::string& text : options.tensors) {
    const TensorWords words = parse_tensor(text, chip);
    tensors.emplace_back(words.planned.name, make_layout(words.planned.spec));
  }
  Json rows = Json::array();
  for (const std::int64_t address : parse_addresses(options.at)) {
    Json owners = Json::array();
    std::vector<std::string> texts;
    for (const auto& [name, tensor] : tensors) {
      if (!may_hold(tensor, address)) continue;
      const std::optional<ByteOwner> owner = element_at_address(tensor, address);
      owners.push_back({{"tensor", name},
                        {"index", owner ? Json(owner->index) : Json()},
                        {"byte", owner ? Json(owner->byte) : Json()}});
      texts.push_back(owner ? tr("'{}', element ({}) = ({}), byte {} of it", name,
                                 fmt::join(axis_names(tensor), ", "), fmt::join(owner->index, ", "),
                                 owner->byte)
                            : tr("'{}', padding", name));
    }
    rows.push_back({{"address", address}, {"owners", owners}});
    if (!options.output.wants_text()) continue;
    if (texts.empty()) texts.push_back(tr("in none of the tensors"));
    fmt::print("{:#x}: {}\n", address, fmt::join(texts, "; "));
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
      "  tensorlane layout locate --layout aligned --shape 2,3,4,5 --at 0x80040,0x80050\n"
      "  tensorlane layout locate --tensor x:2,3,4,5:@0x80 --tensor y:2,3,4,5:fp16:@0x1000 --at "
      "0x80080\n");
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
  locate
      ->add_option("--tensor", options->tensors,
                   "instead of --layout, of several: NAME:SHAPE:...:@ADDRESS, words as 'layout "
                   "plan' takes them")
      ->repeated();
  locate->callback([options] {
    if (!options->tensors.empty()) {
      locate_in_list(*options);
      return;
    }
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
