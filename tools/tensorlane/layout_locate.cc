// tensorlane layout locate: from an element to its place, and back.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "layout_options.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/json/json.h"

namespace tensorlane::cli {
namespace {

struct LocateOptions {
  LayoutOptions layout;
  OutputFormat format = OutputFormat::kText;
  std::string index, pixel;
  std::optional<std::int64_t> npu, byte;
};

void print(const Json& result, OutputFormat format, const std::string& text) {
  if (format == OutputFormat::kJson) {
    fmt::print("{}\n", result.dump());
  } else {
    fmt::print("{}\n", text);
  }
}

void locate_element(const NamedLayout& tensor, const LocateOptions& options) {
  const std::vector<std::int64_t> index = parse_integers("--index", options.index);
  const Layout& layout = tensor.layout;
  if (static_cast<int>(index.size()) != layout.rank()) {
    user_error("--index [{}] has {} numbers; the shape [{}] has {}", fmt::join(index, ","),
               index.size(), fmt::join(tensor.spec.shape, ","), layout.rank());
  }
  for (int d = 0; d < layout.rank(); ++d) {
    const std::int64_t value = index[static_cast<std::size_t>(d)];
    if (value < 0 || value >= layout.extent(d)) {
      user_error("--index [{}]: {} is {}; allowed are 0 to {}", fmt::join(index, ","),
                 axis_names(tensor)[static_cast<std::size_t>(d)], value, layout.extent(d) - 1);
    }
  }
  if (!tensor.holds_elements) user_error("this layout stores no element of the tensor");
  Json result = {{"index", index}};
  const std::int64_t per_byte = 8 / layout.unit_bits();
  if (tensor.is_image()) {
    const ImageAddress at = layout.image_address(index);
    result.update({{"x", at.x}, {"y", at.y}, {"lane", at.lane}});
    print(result, options.format,
          fmt::format("pixel ({}, {}), lane {} ({})", at.x, at.y, at.lane, "RGBA"[at.lane]));
    return;
  }
  if (tensor.is_local()) {
    const LocalAddress at = layout.local_address(index);
    const std::int64_t byte = at.offset / per_byte, bank = bank_of(tensor, byte);
    result.update({{"npu", at.npu}, {"offset", byte}, {"bank", bank}});
    std::string text = fmt::format("NPU {}, offset {}, bank {}, address {}", at.npu, byte, bank,
                                   at.npu * tensor.memory().npu_bytes + byte);
    if (per_byte > 1) {
      result["nibble"] = at.offset % per_byte;
      text += at.offset % per_byte == 0 ? ", low nibble" : ", high nibble";
    }
    print(result, options.format, text);
    return;
  }
  const std::int64_t at = layout.address(index);
  result["offset"] = at / per_byte;
  std::string text = fmt::format("offset {}", at / per_byte);
  if (per_byte > 1) {
    result["nibble"] = at % per_byte;
    text += at % per_byte == 0 ? ", low nibble" : ", high nibble";
  }
  print(result, options.format, text);
}

// The unit that the options point to.
std::int64_t address_of(const NamedLayout& tensor, const LocateOptions& options) {
  const Layout& layout = tensor.layout;
  const std::int64_t per_byte = 8 / layout.unit_bits();
  if (tensor.is_image()) {
    const std::vector<std::int64_t> at = parse_integers("--pixel", options.pixel);
    if (at.size() != 3) user_error("--pixel '{}': expected x,y,lane", options.pixel);
    if (at[0] < 0 || at[0] >= layout.image_width() || at[1] < 0 || at[1] >= tensor.image_height ||
        at[2] < 0 || at[2] > 3) {
      user_error("--pixel {},{},{} lies outside the image of {} x {} pixels with lanes 0 to 3",
                 at[0], at[1], at[2], layout.image_width(), tensor.image_height);
    }
    return layout.address_of({at[0], at[1], static_cast<int>(at[2])});
  }
  const std::int64_t byte = *options.byte;
  if (!tensor.is_local()) {
    if (byte < 0) user_error("--byte {}: allowed are 0 and more", byte);
    return byte * per_byte;
  }
  const LocalMemory memory = tensor.memory();
  if (*options.npu < 0 || *options.npu >= memory.npus) {
    user_error("--npu {}: allowed are 0 to {}", *options.npu, memory.npus - 1);
  }
  if (byte < 0 || byte >= memory.npu_bytes) {
    user_error("--byte {}: an NPU has {} bytes", byte, memory.npu_bytes);
  }
  return (*options.npu * memory.npu_bytes + byte) * per_byte;
}

void locate_place(const NamedLayout& tensor, const LocateOptions& options) {
  const auto element =
      tensor.holds_elements ? tensor.layout.element_at(address_of(tensor, options)) : std::nullopt;
  Json result = {{"index", nullptr}};
  if (!element) {
    print(result, options.format, "padding: no element lies there");
    return;
  }
  const std::vector<std::int64_t> index(element->begin(), element->begin() + tensor.layout.rank());
  result["index"] = index;
  print(result, options.format,
        fmt::format("element ({}) = ({})", fmt::join(axis_names(tensor), ", "),
                    fmt::join(index, ", ")));
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
      "4,3,0\n");
  auto options = std::make_shared<LocateOptions>();
  options->layout.add_to(*locate);
  add_format(*locate, options->format, false);
  locate->add_option("--index", options->index, "the element, as in 1,2,3,4");
  locate->add_option("--npu", options->npu, "local layouts: the NPU, with --byte");
  locate->add_option("--byte", options->byte, "the byte in the NPU or in the buffer");
  locate->add_option("--pixel", options->pixel, "images: x,y,lane");
  locate->callback([options] {
    const NamedLayout tensor = make_layout(options->layout.spec());
    check_fits(tensor);
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
