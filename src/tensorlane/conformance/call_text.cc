#include <fmt/format.h>

#include <bit>

#include "tensorlane/conformance/case_args.h"
#include "tensorlane/json/json.h"

namespace tensorlane::conformance {
namespace {

// Addresses show the NPU: that is what one looks for.
std::string local_address(std::uint64_t address, const Chip& chip) {
  const auto npu_bytes = static_cast<std::uint64_t>(chip.local.npu_bytes);
  return fmt::format("NPU {}+{:#x}", address / npu_bytes, address % npu_bytes);
}

std::string value_text(const Json& value, const std::string& type, const Chip& chip) {
  if (value.is_null()) return type == "dim4_out" ? "out" : "NULL";
  if (type == "local_addr_t" && value.is_number())
    return local_address(value.get<std::uint64_t>(), chip);
  if (!value.is_object()) return value.dump();
  if (value.contains("base")) {
    return fmt::format("{}+{:#x}", value["base"].get<std::string>(),
                       value["offset"].get<std::uint64_t>());
  }
  if (value.contains("is_addr")) {
    return value["is_addr"].get<bool>() ? local_address(value["addr"].get<std::uint64_t>(), chip)
                                        : value["val_bits"].get<std::string>();
  }
  if (value.contains("bits")) {
    const auto bits = value["bits"].get<std::string>();
    if (type != "float") return bits;
    const auto word = static_cast<std::uint32_t>(std::stoul(bits, nullptr, 16));
    return fmt::format("{} ({})", std::bit_cast<float>(word), bits);
  }
  std::string text;
  for (const char* key : {"n", "c", "h", "w", "top", "bottom", "left", "right", "start", "end",
                          "type", "addr", "value"}) {
    if (value.contains(key)) text += (text.empty() ? "" : ", ") + value[key].dump();
  }
  return "{" + text + "}";
}

}  // namespace

std::string call_text(const std::string& function, const Json& args, const Chip& chip) {
  std::string text = function + "(";
  for (std::size_t k = 0; k < args.size(); ++k) {
    if (k > 0) text += ", ";
    const Json& arg = args[k];
    if (!arg.is_object() || !arg.contains("name")) {
      text += value_text(arg, "", chip);
      continue;
    }
    text += arg["name"].get<std::string>() + "=";
    text += value_text(arg.value("value", Json()), arg.value("type", std::string()), chip);
  }
  return text + ")";
}

}  // namespace tensorlane::conformance
