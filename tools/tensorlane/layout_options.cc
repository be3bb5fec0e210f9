#include "layout_options.h"

#include <cctype>
#include <charconv>
#include <utility>

#include "tensorlane/base/error.h"
#include "tensorlane/chip/chip.h"

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

void LayoutOptions::add_to(App& command) {
  command.add_option("--chip", chip, "bm1684, bm1684x or mace")->capture_default_str();
  command.add_option("--layout", layout, "name of the layout, see 'tensorlane layout list'")
      ->required();
  command.add_option("--dtype", dtype, "element type")->capture_default_str();
  command.add_option("--shape", shape, "extents in the layout's logical order, as in 2,3,4,5")
      ->required();
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

// Element types as people write them: in any case, and as the vendor's headers spell bf16.
Dtype parse_element_type(std::string_view name) {
  std::string lower;
  for (const char c : name) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (lower == "bfp16") lower = "bf16";
  return parse_dtype(lower);
}

}  // namespace

LayoutSpec LayoutOptions::spec() const {
  LayoutSpec spec;
  spec.system = parse_system(chip);
  spec.layout = layout;
  spec.dtype = parse_element_type(dtype);
  spec.shape = parse_integers("--shape", shape);
  spec.start_npu = start_npu;
  spec.offset = offset;
  if (!strides.empty()) spec.strides = parse_integers("--strides", strides);
  if (cols_per_channel != 0) spec.cols_per_channel = cols_per_channel;
  spec.winograd_block = winograd_block;
  if (!memory.empty() && memory != "local" && memory != "system") {
    user_error("--memory '{}': known are local, system", memory);
  }
  spec.system_memory = memory == "system";
  if (npus != 0 || npu_bytes != 0) {
    LocalMemory local = spec.system == System::kBm1684x ? kBm1684xLocal : kBm1684Local;
    constexpr std::int64_t kMost = std::int64_t{1} << 30;
    if (npus < 0 || npus > 65536) user_error("--npus {}: allowed are 1 to 65536", npus);
    if (npu_bytes < 0 || npu_bytes > kMost) {
      user_error("--npu-bytes {}: allowed are 1 to {}", npu_bytes, kMost);
    }
    if (npus != 0) local.npus = static_cast<int>(npus);
    if (npu_bytes != 0) local.npu_bytes = npu_bytes;
    spec.memory = local;
  }
  if (address >= 0) {
    const LocalMemory local =
        spec.memory.value_or(spec.system == System::kBm1684x ? kBm1684xLocal : kBm1684Local);
    spec.start_npu = address / local.npu_bytes;
    spec.offset = address % local.npu_bytes;
  }
  return spec;
}

void add_format(App& command, OutputFormat& format, bool with_csv) {
  std::vector<std::pair<std::string, OutputFormat>> formats = {{"text", OutputFormat::kText},
                                                               {"json", OutputFormat::kJson}};
  if (with_csv) formats.emplace_back("csv", OutputFormat::kCsv);
  command.add_choice("--format", format, with_csv ? "text, json or csv" : "text or json", formats);
}

std::vector<std::string> axis_names(const NamedLayout& tensor) {
  std::vector<std::string> names;
  for (const char axis : tensor.axes) {
    if (axis == 'R') {
      names.emplace_back("row");
    } else if (axis == 'K') {
      names.emplace_back("col");
    } else {
      names.emplace_back(1, static_cast<char>(axis - 'A' + 'a'));
    }
  }
  return names;
}

std::int64_t bank_of(const NamedLayout& tensor, std::int64_t byte) {
  const Chip& chip = tensor.spec.system == System::kBm1684x ? bm1684x() : bm1684();
  const std::int64_t bank_bytes =
      std::max<std::int64_t>(1, tensor.memory().npu_bytes / chip.banks_per_npu);
  return byte / bank_bytes;
}

}  // namespace tensorlane::cli
