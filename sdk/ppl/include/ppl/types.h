// SPDX-License-Identifier: Apache-2.0
//
// Element types, constants that fit any of them, alignment modes, memories, error codes.

#ifndef TENSORLANE_PPL_TYPES_H_
#define TENSORLANE_PPL_TYPES_H_

#include <cstdint>
#include <type_traits>

#include "tpu_kernel.h"

namespace ppl {

using ::data_type_t;
using ::dim2;
using ::dim4;
using ::padding_t;
using ::rounding_mode_t;

// What a host gets instead of a launch, with the numbers that public host code compares with.
enum Error {
  PplLocalAddrAssignErr = 0x11,  // the tensors alive at once exceed local memory
  PplL2AddrAssignErr = 0x1A,     // the same of L2
  PplShapeInferErr = 0x1B,       // shapes of operands do not go together
  PplSetMemRefShapeErr = 0x1C,   // a real shape exceeds its block, a view its tensor
  PplTensorConvErr = 0x1E,       // no command of the chip does this
};

namespace detail {

// Converts a number with the rules of the chip's casts.
inline unsigned bits_of(float value, data_type_t type) {
  scalar_t source;
  source.f32 = value;
  return tpu_fp_cast(source, type, DT_FP32, RM_HALF_TO_EVEN).u32;
}
inline float float_of(unsigned bits, data_type_t type) {
  scalar_t source;
  source.u32 = bits;
  return tpu_fp_cast(source, DT_FP32, type, RM_HALF_TO_EVEN).f32;
}

// A floating point number of 16 bits, on the processor: kept as bits, computed with as float.
template <data_type_t kType>
struct Half {
  std::uint16_t bits;

  Half() = default;
  template <class N, class = std::enable_if_t<std::is_arithmetic_v<N>>>
  Half(N value)  // NOLINT(google-explicit-constructor): as numbers are
      : bits(static_cast<std::uint16_t>(bits_of(static_cast<float>(value), kType))) {}
  operator float() const {  // NOLINT(google-explicit-constructor)
    return float_of(bits, kType);
  }
};

}  // namespace detail

struct fp16 : detail::Half<DT_FP16> {
  using Half::Half;
};
struct bf16 : detail::Half<DT_BFP16> {
  using Half::Half;
};
struct fp8e4m3 {
  std::uint8_t bits;
};
struct fp8e5m2 {
  std::uint8_t bits;
};
// Two in a byte.
struct int4 {
  std::uint8_t bits;
};
struct uint4 {
  std::uint8_t bits;
};
using fp32 = float;
using FP32 = float;
using int8 = std::int8_t;
using uint8 = std::uint8_t;
using int16 = std::int16_t;
using uint16 = std::uint16_t;
using int32 = std::int32_t;
using uint32 = std::uint32_t;
using int64 = std::int64_t;
using uint = unsigned int;

// How a tensor lies in local memory: channels on 64-byte boundaries; without gaps; rows on 64-byte
// boundaries.
enum align_mode_t { TPU_ALIGN, TPU_COMPACT, TPU_ROW_ALIGN };
enum mem_t { GLOBAL, L2 };

// What tiu::reduce does, beside ALL_REDUCE_MAX and ALL_REDUCE_MIN of tpu_defs.h.
constexpr int ALL_REDUCE_SUM = 6;

// "No type given": that of the result's tensor.
constexpr data_type_t DT_NONE = static_cast<data_type_t>(-1);

namespace detail {

template <class T>
constexpr data_type_t dtype_of() {
  using N = std::remove_cv_t<T>;
  if constexpr (std::is_same_v<N, float>) return DT_FP32;
  if constexpr (std::is_same_v<N, fp16>) return DT_FP16;
  if constexpr (std::is_same_v<N, bf16>) return DT_BFP16;
  if constexpr (std::is_same_v<N, fp8e4m3>) return DT_FP8E4M3;
  if constexpr (std::is_same_v<N, fp8e5m2>) return DT_FP8E5M2;
  if constexpr (std::is_same_v<N, int4>) return DT_INT4;
  if constexpr (std::is_same_v<N, uint4>) return DT_UINT4;
  if constexpr (std::is_integral_v<N> && sizeof(N) == 1) {
    return std::is_signed_v<N> ? DT_INT8 : DT_UINT8;
  }
  if constexpr (std::is_integral_v<N> && sizeof(N) == 2) {
    return std::is_signed_v<N> ? DT_INT16 : DT_UINT16;
  }
  if constexpr (std::is_integral_v<N> && sizeof(N) >= 4) {
    return std::is_signed_v<N> ? DT_INT32 : DT_UINT32;
  }
  return DT_NONE;
}
inline bool is_float(data_type_t type) {
  return tpu_is_data_type_fp(type) || type == DT_FP8E4M3 || type == DT_FP8E5M2;
}
inline int bits_of(data_type_t type) {
  switch (type >> 1) {  // of both signs
    case PREC_INT4:
      return 4;
    case PREC_INT8:
      return 8;
    case PREC_FP16:
    case PREC_BFP16:
    case PREC_INT16:
      return 16;
    default:
      return type == DT_FP8E4M3 || type == DT_FP8E5M2 ? 8 : 32;
  }
}

}  // namespace detail

// A constant among the operands of a command, in whatever type the kernel has it.
class scalar {
 public:
  template <class N, class = std::enable_if_t<std::is_convertible_v<N, double>>>
  scalar(N value)  // NOLINT(google-explicit-constructor): every number is one
      : real_(static_cast<double>(value)),
        whole_(std::is_integral_v<N> ? static_cast<std::int64_t>(value)
                                     : static_cast<std::int64_t>(static_cast<double>(value))) {}

  double real() const { return real_; }
  std::int64_t whole() const { return whole_; }
  // In the type of a tensor; integers by their low bits.
  scalar_t as(data_type_t type) const {
    scalar_t bits;
    bits.u32 = 0;
    if (type == DT_FP32) {
      bits.f32 = static_cast<float>(real_);
    } else if (detail::is_float(type)) {
      bits.u32 = detail::bits_of(static_cast<float>(real_), type);
    } else {
      bits.u32 = static_cast<std::uint32_t>(whole_);
    }
    return bits;
  }

 private:
  double real_;
  std::int64_t whole_;
};

}  // namespace ppl

#endif  // TENSORLANE_PPL_TYPES_H_
