#include "tensorlane/tensor/rounding.h"

#include <array>

#include "tensorlane/base/error.h"
#include "tensorlane/base/names.h"

namespace tensorlane {
namespace {

constexpr std::array<std::string_view, kRoundingModeCount> kNames = {
    "half_to_even", "half_away_from_zero", "towards_zero", "down", "up", "half_up", "half_down"};

}  // namespace

std::string_view rounding_mode_name(RoundingMode mode) {
  return kNames.at(static_cast<std::size_t>(mode));
}

RoundingMode parse_rounding_mode(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<RoundingMode>(i);
  }
  user_error("unknown rounding mode '{}'{}", name, did_you_mean(name, kNames));
}

IntegerRange integer_range(Dtype dtype) {
  const DtypeInfo& info = dtype_info(dtype);
  const bool raw = dtype == Dtype::kX8 || dtype == Dtype::kX16 || dtype == Dtype::kX32;
  TL_INTERNAL_CHECK(!info.is_float && !raw);
  return integer_range(info.bits, info.is_signed);
}

}  // namespace tensorlane
