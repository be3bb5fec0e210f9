#include "tensorlane/ops/operand_names.h"

#include "tensorlane/base/language.h"
#include "tensorlane/layout/local.h"

namespace tensorlane {

std::string_view role_name(Role role) {
  constexpr std::string_view kNames[] = {"in", "out", "inout", "work"};
  return kNames[static_cast<std::size_t>(role)];
}

std::string_view role_text(Role role) {
  constexpr std::string_view kTexts[] = {msg("input"), msg("output"), msg("input and output"),
                                         msg("work memory")};
  return kTexts[static_cast<std::size_t>(role)];
}

std::string_view memory_name(MemoryKind memory) {
  constexpr std::string_view kNames[] = {msg("local"), msg("system"), msg("static")};
  return kNames[static_cast<std::size_t>(memory)];
}

std::string_view layout_name(DefaultLayout layout) {
  switch (layout) {
    case DefaultLayout::kAligned:
      return layout_names::kAligned;
    case DefaultLayout::kCompact:
      return layout_names::kCompact;
    case DefaultLayout::kCompactWords:
      return msg("compact in words");
    case DefaultLayout::kLineAligned:
      return layout_names::kLineAligned;
    case DefaultLayout::kContinuous:
      return layout_names::kContinuous;
    case DefaultLayout::kMatrix:
      return layout_names::kMatrix;
    case DefaultLayout::kRows:
      return msg("rows");
    case DefaultLayout::kRequired:
      return msg("stride required");
  }
  return "?";
}

std::string_view storage_name(Storage storage, int element_bits) {
  switch (storage) {
    case Storage::kPlain:
      return "";
    case Storage::kPacked:
      return layout_names::packed(element_bits);
    case Storage::k2IC:
      return layout_names::k2IC;
    case Storage::kWeights:
      return layout_names::grouped_ic(element_bits);
  }
  return "?";
}

std::string storage_name(const OperandSpec& operand) {
  const auto of = [&](int bits) { return storage_name(operand.storage, bits); };
  if (operand.dtype_rule || !operand.dtype_param.empty()) {
    if (operand.storage == Storage::kPacked) return tr("{} or {}", of(8), of(16));
    if (operand.storage == Storage::kWeights) {
      return tr("{}, {} or {} by width", of(8), of(16), of(32));
    }
  }
  return std::string(of(dtype_bits(operand.dtype)));
}

}  // namespace tensorlane
