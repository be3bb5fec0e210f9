// Element types of the three systems.
//
// A Dtype names how the bits of one element are read. The raw types kX8, kX16 and kX32 stand for
// "any type of that width": copies and bitwise functions never interpret their elements.
#ifndef TENSORLANE_TENSOR_DTYPE_H_
#define TENSORLANE_TENSOR_DTYPE_H_

#include <cstdint>
#include <span>
#include <string_view>

namespace tensorlane {

// Every type is a row of one of two lists, and what code knows of a type comes from its row: its
// name, its width, its numbers and their neighbours, its conversions in integer arithmetic and by
// vectors, how files hold it. The numbers of the enumeration are those of the rows, whole numbers
// first: a new row goes to the end of the floats.
//
// clang-format off
//  ROW(type, name, bits, is_signed)
#define TL_WHOLE_DTYPES(ROW)        \
  ROW(X8, "x8", 8, false)           \
  ROW(X16, "x16", 16, false)        \
  ROW(X32, "x32", 32, false)        \
  ROW(Int4, "int4", 4, true)        \
  ROW(Uint4, "uint4", 4, false)     \
  ROW(Int8, "int8", 8, true)        \
  ROW(Uint8, "uint8", 8, false)     \
  ROW(Int16, "int16", 16, true)     \
  ROW(Uint16, "uint16", 16, false)  \
  ROW(Int32, "int32", 32, true)     \
  ROW(Uint32, "uint32", 32, false)

//  ROW(type, name, exponent bits, mantissa bits, has_infinity)
#define TL_FLOAT_DTYPES(ROW)           \
  ROW(Fp16, "fp16", 5, 10, true)       \
  ROW(Bf16, "bf16", 8, 7, true)        \
  ROW(Fp32, "fp32", 8, 23, true)       \
  ROW(Fp8E4M3, "fp8e4m3", 4, 3, false) \
  ROW(Fp8E5M2, "fp8e5m2", 5, 2, true)  \
  /* the end of the floats */
// clang-format on

enum class Dtype : std::uint8_t {
#define TL_ENUMERATOR(type, ...) k##type,
  TL_WHOLE_DTYPES(TL_ENUMERATOR) TL_FLOAT_DTYPES(TL_ENUMERATOR)
#undef TL_ENUMERATOR
};

// How the bits of a float are divided: sign, exponent, mantissa. float_format.h reads and writes
// them.
struct FloatFormat {
  int exponent_bits;
  int mantissa_bits;
  bool has_infinity;

  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  // Exponent of the smallest normal number.
  constexpr int min_exponent() const { return 1 - bias(); }
  constexpr std::uint32_t sign_bit() const {
    return std::uint32_t{1} << (exponent_bits + mantissa_bits);
  }
  constexpr std::uint32_t mantissa_mask() const { return (std::uint32_t{1} << mantissa_bits) - 1; }
  constexpr std::uint32_t exponent_mask() const { return sign_bit() - 1 - mantissa_mask(); }
  // Pattern of +Inf; in a format without one, of its NaN.
  constexpr std::uint32_t infinity() const {
    return has_infinity ? exponent_mask() : sign_bit() - 1;
  }
  constexpr std::uint32_t max_finite() const { return infinity() - 1; }
  constexpr std::uint32_t quiet_bit() const { return std::uint32_t{1} << (mantissa_bits - 1); }

  friend constexpr bool operator==(const FloatFormat&, const FloatFormat&) = default;
};

struct DtypeInfo {
  Dtype dtype;
  std::string_view name;  // as the command line spells it: "fp32", "int8", ...
  int bits;               // of one element; 4 for the packed types
  bool is_float;
  bool is_signed;
  FloatFormat format;  // of a float
};

// All types, in the order of the enumeration.
std::span<const DtypeInfo> all_dtypes();

const DtypeInfo& dtype_info(Dtype dtype);
inline std::string_view dtype_name(Dtype dtype) {
  return dtype_info(dtype).name;
}
inline int dtype_bits(Dtype dtype) {
  return dtype_info(dtype).bits;
}
// Bytes of one element; internal error for 4-bit types, which have no whole byte.
int dtype_bytes(Dtype dtype);

// The type called `name`, or so by numpy or PyTorch, in any case. UserError names the nearest.
Dtype parse_dtype(std::string_view name);

}  // namespace tensorlane

#endif  // TENSORLANE_TENSOR_DTYPE_H_
