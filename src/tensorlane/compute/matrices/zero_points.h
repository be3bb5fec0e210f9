// Zero points that each NPU has its own of, taken from the right operand before it is multiplied.
//
// What is common to a column can be made up for in its sum (integer_matmul_simd.cc). Where the rows
// of a matrix have zero points of their own it cannot: then the differences, which 16 bits hold,
// take the matrix's place.
#ifndef TENSORLANE_COMPUTE_MATRICES_ZERO_POINTS_H_
#define TENSORLANE_COMPUTE_MATRICES_ZERO_POINTS_H_

#include <cstdint>

#include "tensorlane/compute/matrices/any_type_matmul.h"
#include "tensorlane/compute/products/dense_words.h"

namespace tensorlane {

class LessZeroPoints {
 public:
  // Whether the rows of the right operand and of the zero points are bytes that lie together.
  static bool takes(const AnyTypeMatmulArgs& args);
  // Where zero points differ by NPU, puts the right operand less these in its place, or a zero
  // point per column where that is what they come to; leaves all others alone.
  explicit LessZeroPoints(AnyTypeMatmulArgs& args);
  LessZeroPoints(const LessZeroPoints&) = delete;
  LessZeroPoints& operator=(const LessZeroPoints&) = delete;
  ~LessZeroPoints() = default;

 private:
  void take_own(AnyTypeMatmulArgs& args);
  void subtract(AnyTypeMatmulArgs& args);

  Words<std::int16_t> differences_;
  Words<std::byte> own_;
};

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_MATRICES_ZERO_POINTS_H_
