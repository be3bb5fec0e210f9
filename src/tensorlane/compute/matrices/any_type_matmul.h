// Matrix product on the BM1684X: every mm function of tpu_kernel.h is one of these.
//
//   output (rows x cols) = left (rows x inner) x right (inner x cols)
//
// Each operand says how it is stored: split over channels by columns (matrix layout, MM1), or with
// row r in channel r (MM2), and transposed or not. A constant operand is a matrix of one value.
// Floats follow product_rules.h. Integers: sum of left * (right - zero point of the column), then
// IntegerFinish, whose shift may come from a vector, one per column.
#ifndef TENSORLANE_COMPUTE_MATRICES_ANY_TYPE_MATMUL_H_
#define TENSORLANE_COMPUTE_MATRICES_ANY_TYPE_MATMUL_H_

#include "tensorlane/compute/bands/local_view.h"
#include "tensorlane/compute/tiles/product_rules.h"

namespace tensorlane {

struct AnyTypeMatrix {
  LocalView view;
  Dtype type = Dtype::kFp32;
  int cols_per_channel = 0;  // columns of the stored matrix per channel; 0: row r is channel r
  bool transposed = false;   // element (row, column) is stored at (column, row)
  bool is_constant = false;
  std::uint32_t bits = 0;  // of the constant

  static AnyTypeMatrix constant(std::uint32_t bits, Dtype type) {
    AnyTypeMatrix matrix;
    matrix.type = type;
    matrix.is_constant = true;
    matrix.bits = bits;
    return matrix;
  }
  // The address of an element. Not for constants.
  std::byte* address(int row, int column) const;
  // The same, rows and columns as they are stored.
  std::byte* stored_address(int row, int column) const;
  std::uint32_t bits_at(int row, int column) const;
  float float_at(int row, int column) const;
  std::int64_t integer_at(int row, int column) const;
};

// Whether the first `npus` NPUs, each of which holds the `count` elements of a vector, disagree.
bool npus_differ(const AnyTypeMatrix& vector, int npus, int count);

struct AnyTypeMatmulArgs {
  AnyTypeMatrix left;
  AnyTypeMatrix right;
  AnyTypeMatrix output;
  AnyTypeMatrix bias;  // 1 x cols
  int rows = 1;
  int inner = 1;
  int cols = 1;
  bool has_bias = false;
  bool result_add = false;
  int block_channels = kBlockChannels;  // of the rule kBlockSums
  // Integers only.
  AnyTypeMatrix zero_points = AnyTypeMatrix::constant(0, Dtype::kInt8);  // of right, 1 x cols
  // Where NPUs hold other zero points than the first one does: each row of right, as it is stored,
  // takes those of its own NPU.
  bool zero_points_by_npu = false;
  IntegerFinish finish;
  bool has_shifts = false;
  AnyTypeMatrix shifts;  // 1 x cols, in place of finish.shift

  ProductRule rule() const { return product_rule(left.type); }
  std::int64_t zero_point(int k, int column) const;  // of element (k, column) of right
};

// Plain loops that define the result.
void any_type_matmul_reference(const AnyTypeMatmulArgs& args);

// The same bits, fast. False when the case is outside what it handles (nothing is written then).
bool any_type_matmul_simd(const AnyTypeMatmulArgs& args);
// Its parts: floats, many rows of bytes, integers whose sums are exact in 32 bits, and those whose
// sums are not, many rows first.
bool float_matmul_simd(const AnyTypeMatmulArgs& args);
bool byte_matmul_simd(const AnyTypeMatmulArgs& args);
bool integer_matmul_simd(const AnyTypeMatmulArgs& args);
bool short_matmul_simd(const AnyTypeMatmulArgs& args);
bool digit_matmul_simd(const AnyTypeMatmulArgs& args);
bool short_matmul_simd(const AnyTypeMatmulArgs& args);
bool wide_matmul_simd(const AnyTypeMatmulArgs& args);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_MATRICES_ANY_TYPE_MATMUL_H_
