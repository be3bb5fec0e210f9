// Conversion of elements from one dtype to another.
//
//   from -> to        rule
//   float -> float    round by mode, overflow by the rule, denormal results kept or flushed
//   int -> float      the same, from the exact integer
//   float -> int      round by mode, then saturate; Inf saturates, NaN gives the smallest value
//                     (0 for unsigned types), or 0 by option
//   int -> int        saturate
//   same dtype        bits copied
//   raw (x8,x16,x32)  bits copied to or from any type of the same width; any other pair is an error
//
// convert_element() states the meaning of one conversion in integer arithmetic. convert_elements()
// gives the same bits for arrays, by vector instructions chosen for the CPU at run time.
#ifndef TENSORLANE_TENSOR_CONVERT_H_
#define TENSORLANE_TENSOR_CONVERT_H_

#include <cstddef>
#include <cstdint>

#include "tensorlane/tensor/dtype.h"
#include "tensorlane/tensor/float_format.h"
#include "tensorlane/tensor/rounding.h"

namespace tensorlane {

// The default is IEEE 754: every special value and denormal number means what it says.
struct ConvertOptions {
  RoundingMode rounding = RoundingMode::kHalfToEven;  // modes 0..4
  OverflowRule overflow = OverflowRule::kByMode;      // of float results
  NanRule nan = NanRule::kKeep;                       // of float results
  bool nan_is_zero = false;                           // of integer results
  // Read denormal fp32 or bf16 operands as zero of their sign.
  bool flush_operands = false;
  // Replace denormal fp32 or bf16 results by zero of their sign.
  bool flush_results = false;
};

// The options that make a conversion what tpu_bdc_cast and tpu_cast do on the BM1684X
// (found by experiment on the chip's C model).
ConvertOptions tpu_cast_options(Dtype dst, Dtype src, RoundingMode mode);

// Throws UserError when `dst` <- `src` is no conversion (a raw type with a type of another width)
// or the rounding mode is not legal for it.
void check_conversion(Dtype dst, Dtype src, const ConvertOptions& options);

// False where bits are only copied: equal dtypes, or one of them raw.
bool converts_values(Dtype dst, Dtype src);

// One element. Bits are in the low end of the word, both ways; what is above them is ignored in
// `bits` and zero in the result. The pair must have passed check_conversion().
std::uint32_t convert_element(std::uint32_t bits, Dtype dst, Dtype src,
                              const ConvertOptions& options = {});

// `count` elements, packed without gaps (4-bit types two per byte, see int4.h). The ranges may
// start at the same address when dst elements are not wider than src elements; they must not
// overlap in any other way. No alignment is needed. Throws like check_conversion().
void convert_elements(void* dst, Dtype dst_dtype, const void* src, Dtype src_dtype,
                      std::size_t count, const ConvertOptions& options = {});

// The same, element by element: what convert_elements() is tested against.
void convert_elements_reference(void* dst, Dtype dst_dtype, const void* src, Dtype src_dtype,
                                std::size_t count, const ConvertOptions& options = {});

}  // namespace tensorlane

#endif  // TENSORLANE_TENSOR_CONVERT_H_
