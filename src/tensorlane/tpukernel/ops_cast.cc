// BDC: conversion between element types and rounding to whole numbers.
#include <cmath>

#include "tensorlane/chip/numerics_rules.h"
#include "tensorlane/compute/fp32_arithmetic.h"
#include "tensorlane/compute/rows/converted_rows.h"
#include "tensorlane/compute/rows/typed_rows.h"
#include "tensorlane/compute/rows/widened_rows.h"
#include "tensorlane/tpukernel/families.h"

TL_TPU_OPS_FILE(cast_functions);

namespace tensorlane::tpukernel {
namespace {

using List = std::vector<Implementation>;

constexpr std::string_view kCastGroup = "bdc-cast";

// Denormal numbers are not zeros here: the one up from 1e-45 is 1. [observed]
float whole_of_denormal(float value, RoundingMode mode) {
  const float zero = fp32::flush(value);
  const bool negative = std::signbit(value);
  if (fp32::bits(value) == fp32::bits(zero)) return zero;
  if (mode == RoundingMode::kUp && !negative) return 1;
  return mode == RoundingMode::kDown && negative ? -1.0F : zero;
}

// To a whole number by mode 0..4; zeros keep their sign, NaNs become quiet.
float whole(float x, RoundingMode mode, bool denormals_are_zero) {
  if (fp32::is_nan(x)) return fp32::quiet(x);
  if (fp32::is_denormal(x)) return denormals_are_zero ? fp32::flush(x) : whole_of_denormal(x, mode);
  switch (mode) {
    case RoundingMode::kHalfToEven:
      return std::nearbyint(x);
    case RoundingMode::kHalfAwayFromZero:
      return std::round(x);
    case RoundingMode::kTowardsZero:
      return std::trunc(x);
    case RoundingMode::kDown:
      return std::floor(x);
    default:
      return std::ceil(x);
  }
}

TypedRow vectors_of(RoundingMode mode) {
  switch (mode) {
    case RoundingMode::kHalfToEven:
      return TypedRow::kHalfToEven;
    case RoundingMode::kHalfAwayFromZero:
      return TypedRow::kHalfAwayFromZero;
    case RoundingMode::kTowardsZero:
      return TypedRow::kTowardsZero;
    case RoundingMode::kDown:
      return TypedRow::kDown;
    default:
      return TypedRow::kUp;
  }
}

bool takes_denormals_for_zeros(const Command& command) {
  return numerics_of(*command.chip).rules.rounds_denormals_as_zero.value;
}
// The vectors round denormal numbers by their values, up or down to another number than zero: that
// they leave to the rest where a chip does not.
template <class MakeMode>
std::vector<Implementation> by_value(std::vector<Implementation> list, MakeMode make_mode) {
  list.front().run = [run = list.front().run, make_mode](const Invocation& invocation) {
    const RoundingMode mode = make_mode(invocation.command);
    const bool by_sign = mode == RoundingMode::kUp || mode == RoundingMode::kDown;
    return !(by_sign && takes_denormals_for_zeros(invocation.command)) && run(invocation);
  };
  return list;
}

template <class MakeMode>
OpSpec rounding(Doc doc, MakeMode make_mode) {
  return of_shape(
      kCastGroup, doc, dst_src("dtype", "dtype"), float_type("dtype"),
      by_value(
          typed_simd([make_mode](const Command& command) { return vectors_of(make_mode(command)); },
                     "dst_addr", {"src_addr"}, "dtype",
                     widened<float, float>("dst_addr", {"src_addr"},
                                           [make_mode](const Command& command) {
                                             const RoundingMode mode = make_mode(command);
                                             const bool zeros = takes_denormals_for_zeros(command);
                                             return [=](float x) { return whole(x, mode, zeros); };
                                           })),
          make_mode));
}

RoundingMode mode_of_call(const Command& command) {
  return static_cast<RoundingMode>(command.arg("mode").value());
}

}  // namespace

TL_TPU_OP(tpu_bdc_cast) = with_limits(
    of_shape(kCastGroup,
             computes("dst = src",
                      " in another type: rounded by mode, then saturated; floats overflow to Inf"),
             dst_src("dst_dtype", "src_dtype"),
             join({any_type_or_fp8("dst_dtype"), any_type_or_fp8("src_dtype")}),
             conversion("dst_addr", "src_addr",
                        [](const Command& command, Dtype dst, Dtype src) {
                          return tpu_cast_options(dst, src, mode_of_call(command));
                        })),
    {"0 <= mode <= 6", "src_dtype.is_float == 1 => mode <= 4 [observed]",
     "dst_dtype.is_float == 1 => mode <= 4 [observed]",
     "dst_addr == src_addr => dst_dtype.bytes <= src_dtype.bytes"});

TL_TPU_OP(tpu_bdc_fp_round) = with_limits(rounding("Rounds to whole numbers of the same type.",
                                                   mode_of_call),
                                          {"0 <= mode <= 4 [observed]"});
TL_TPU_OP(tpu_bdc_fp_floor) = rounding("Rounds down to whole numbers.",
                                       [](const Command&) { return RoundingMode::kDown; });
TL_TPU_OP(tpu_bdc_fp_ceil) = rounding("Rounds up to whole numbers.",
                                      [](const Command&) { return RoundingMode::kUp; });

}  // namespace tensorlane::tpukernel
