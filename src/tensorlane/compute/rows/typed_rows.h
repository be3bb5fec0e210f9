// SIMD rows on elements as they are stored, for functions whose type an argument decides.
//
// fp16 and bf16 are computed in fp32 and rounded once: 24 bits are at least 2 * 11 + 2, so that a
// sum, a difference or a product comes out as if it had been rounded alone. What only compares or
// combines bits works on the elements themselves, 16 or 32 to a vector and more.
//
// The same bits as the scalar formulas in the ops list, NaN and denormals included, in any type:
//
//   .implementations = typed_simd(TypedRow::kAdd, "dst_addr", {"src0_addr", "src1_addr"}, "dtype",
//                                 widened<...>(...)),
#ifndef TENSORLANE_COMPUTE_ROWS_TYPED_ROWS_H_
#define TENSORLANE_COMPUTE_ROWS_TYPED_ROWS_H_

#include <span>

#include "tensorlane/compute/rows/elementwise.h"

namespace tensorlane {

enum class TypedRow : std::uint8_t {
  kAbsolute,        // |a|, of floats the bits without the sign
  kComplement,      // ~a
  kNegate,          // 0 - a
  kSign,            // 1, 0 or -1; a NaN gives -1
  kFinite,          // 1 where a is finite, else 0
  kExponent,        // the power of two of a; -127 for 0
  kExponentNumber,  // the same as a 32-bit integer
  kHalfToEven,      // to whole numbers, as the modes of tensor/rounding.h, floats
  kHalfAwayFromZero,
  kTowardsZero,
  kDown,
  kUp,
  kAdd,           // a + b
  kSubtract,      // a - b
  kSubtractFrom,  // b - a
  kMultiply,      // a * b
  kDifference,    // |a - b|, the smaller one subtracted
  kScale,         // a * b, rounded, + 0
  kScaleBias,     // a * b, rounded, + c
  kSquaredSum,    // a + b, rounded, squared
  kSquaredDifference,
  kPrelu,    // a > 0 ? a : b * a
  kMaximum,  // a > b ? a : b, denormals of fp32 and bf16 flushed
  kMinimum,  // a >= b ? b : a, likewise
  kRelu,     // a > 0 ? a : 0
  kAnd,      // a & b
  kOr,       // a | b
  kXor,      // a ^ b
  kShift,    // a shifted by b, as the 32-bit shifts of the BM1684
  kGreater,  // a > b ? c : d, where c and d are bits of the same width
  kLess,
  kEqual,
  kGreaterEqual,
  kLessEqual,
  kNotEqual,
};

// The row function for operands of type `dtype`; null where there is none. The arithmetic is that
// of floats alone.
SimdRow typed_row(TypedRow row, Dtype dtype);

// The vector form in front of `rest`, for calls whose operands all have the type that `dtype_param`
// holds, or bits of its width, and whose rows are those of vectors.
std::vector<Implementation> typed_simd(TypedRow row, std::string_view dst,
                                       std::vector<std::string_view> sources,
                                       std::string_view dtype_param,
                                       std::vector<Implementation> rest);
// The same where the call decides which row.
std::vector<Implementation> typed_simd(std::function<TypedRow(const Command&)> row,
                                       std::string_view dst, std::vector<std::string_view> sources,
                                       std::string_view dtype_param,
                                       std::vector<Implementation> rest);

// The row function of one type, for `elementwise`.
template <TypedRow kRow, Dtype kDtype>
void row_of_type(const Row& row) {
  typed_row(kRow, kDtype)(row);
}

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_ROWS_TYPED_ROWS_H_
