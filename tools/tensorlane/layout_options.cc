#include "layout_options.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <utility>

#include "output_file.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"

namespace tensorlane::cli {

std::vector<std::int64_t> parse_integers(std::string_view option, std::string_view text) {
  std::vector<std::int64_t> values;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    std::int64_t value = 0;
    const auto [stop, error] = std::from_chars(at, end, value);
    if (error == std::errc::result_out_of_range) {
      user_error("{} '{}': a number is too large", option, text);
    }
    if (error != std::errc() || (stop != end && *stop != ',' && *stop != 'x')) {
      user_error("{} '{}': expected integers separated by commas, as in 2,3,4,5", option, text);
    }
    values.push_back(value);
    if (stop == end) return values;
    at = stop + 1;
  }
}

std::vector<std::string> chip_names() {
  std::vector<std::string> names;
  for (const Chip* chip : all_chips()) names.emplace_back(chip->name);
  return names;
}

std::vector<std::string> owner_words() {
  std::vector<std::string> names = chip_names();
  names.emplace_back(system_name(System::kMace));
  return names;
}

std::vector<std::string> layout_words() {
  std::vector<std::string> names;
  for (const System system : kAllSystems) {
    for (const LayoutInfo& info : layouts_of(system)) {
      if (std::ranges::find(names, info.name) == names.end()) names.emplace_back(info.name);
    }
  }
  return names;
}

std::vector<std::string> dtype_words() {
  std::vector<std::string> names;
  for (const DtypeInfo& info : all_dtypes()) names.emplace_back(info.name);
  return names;
}

void LayoutOptions::add_to(App& command) {
  command.add_option("--chip", chip, "a chip of 'tensorlane chips', or mace")
      ->capture_default_str()
      ->offer(owner_words());
  command
      .add_option("--layout", layout,
                  "name of the layout, see 'tensorlane layout list', or the layout written out")
      ->offer(layout_words());
  command.add_option("--dtype", dtype, "element type")->capture_default_str()->offer(dtype_words());
  command.add_option(
      "--shape", shape,
      "extents in the order of the layout's axes: n,c,h,w, of weights o,i,h,w or i,o,h,w");
  command.add_option("--start-npu", start_npu, "NPU of the first channel")->capture_default_str();
  command.add_option("--offset", offset, "bytes before the tensor in every NPU, or in the buffer")
      ->capture_default_str();
  command.add_option("--address", address, "linear local address instead of start NPU and offset");
  command.add_option("--strides", strides, "elements, for free (4N, 2N: words; 2IC: pairs)");
  command.add_option("--cols-per-channel", cols_per_channel, "for matrix and vector");
  command.add_option("--winograd-block", winograd_block, "2, 4 or 6, for WINOGRAD_FILTER")
      ->capture_default_str();
  command.add_option("--memory", memory, "local (default) or system, for free");
  command.add_option("--npus", npus, "another number of NPUs than the chip has");
  command.add_option("--npu-bytes", npu_bytes, "other bytes of local memory per NPU");
}

namespace {

std::int64_t in_range(std::string_view option, std::int64_t value, std::int64_t least,
                      std::int64_t most) {
  if (value < least || value > most) {
    user_error("{} {}: allowed are {} to {}", option, value, least, most);
  }
  return value;
}

}  // namespace

LayoutSpec LayoutOptions::spec() const {
  LayoutSpec spec;
  const LayoutOwner owner = find_owner(chip);
  spec.system = owner.system;
  spec.owner = owner.name;
  spec.layout = layout;
  spec.dtype = parse_dtype(dtype);
  if (layout.empty()) user_error("{} is required", "--layout");
  // The text of a layout that is written out has the extents, or does not.
  if (shape.empty() && layout.find(':') == std::string::npos)
    user_error("{} is required", "--shape");
  if (!shape.empty()) spec.shape = parse_integers("--shape", shape);
  spec.start_npu = start_npu;
  spec.offset = offset;
  if (!strides.empty()) spec.strides = parse_integers("--strides", strides);
  spec.cols_per_channel = cols_per_channel;
  spec.winograd_block = winograd_block;
  if (!memory.empty() && memory != "local" && memory != "system") {
    user_error("--memory '{}': known are local, system", memory);
  }
  spec.system_memory = memory == "system";
  if (owner.chip == nullptr) {
    if (npus || npu_bytes || address)
      user_error("--npus, --npu-bytes and --address are for chips; {} has no NPUs", owner.name);
    return spec;
  }
  LocalMemory local = owner.chip->local;
  if (npus) local.npus = static_cast<int>(in_range("--npus", *npus, 1, 65536));
  if (npu_bytes) local.npu_bytes = in_range("--npu-bytes", *npu_bytes, 1, std::int64_t{1} << 30);
  spec.memory = local;
  if (address) {
    const LocalAddress at = split_local_address(
        local, in_range("--address", *address, 0, local.npus * local.npu_bytes - 1));
    spec.start_npu = at.npu;
    spec.offset = at.offset;
  }
  return spec;
}

void LayoutOutput::add_to(App& command, bool with_csv) {
  std::vector<std::pair<std::string, OutputFormat>> formats = {{"text", OutputFormat::kText},
                                                               {"json", OutputFormat::kJson}};
  if (with_csv) formats.emplace_back("csv", OutputFormat::kCsv);
  command.add_choice("--format", format, with_csv ? "text, json or csv" : "text or json", formats);
  json.add_to(command);
}

void LayoutOutput::write_json_text(const std::string& document) const {
  if (json.wanted()) {
    json.write_text(document);
  } else {
    write_output(std::string(kStandardOutput), document);
  }
}

std::vector<std::string> axis_names(const NamedLayout& tensor) {
  std::vector<std::string> names;
  for (const Axis axis : tensor.axes) names.push_back(axis_name(axis));
  return names;
}

void warn_of_lost_elements(const NamedLayout& packed) {
  if (packed.holds_elements) return;
  std::fputs(tr("warning: {} [{}] holds zeros only, as MACE writes it: its depthwise filter needs "
                "M = 1, no element of the source is stored\n",
                packed.info->name, fmt::join(packed.spec.shape, ","))
                 .c_str(),
             stderr);
}

int banks_of(const NamedLayout& tensor) {
  const Chip* const chip = find_owner(tensor.spec.owner_name()).chip;
  return chip == nullptr ? 1 : chip->banks_per_npu;
}

}  // namespace tensorlane::cli
