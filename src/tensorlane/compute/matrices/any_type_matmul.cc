#include "tensorlane/compute/matrices/any_type_matmul.h"

#include "tensorlane/base/fp_environment.h"
#include "tensorlane/compute/bands/view_forms.h"
#include "tensorlane/compute/element_io.h"
#include "tensorlane/compute/matrices/divided_matrix.h"
#include "tensorlane/compute/matrices/zero_points.h"
#include "tensorlane/compute/tiles/integer_tile_kinds.h"

namespace tensorlane {
namespace {

template <class Sum>
void multiply_floats(const AnyTypeMatmulArgs& args, std::span<const ProductStep> steps, int row,
                     int column) {
  SumStart start{.has_bias = args.has_bias, .has_old = args.result_add};
  if (args.has_bias) start.bias = args.bias.float_at(0, column);
  if (args.result_add) start.old = args.output.float_at(row, column);
  Sum sum(start);
  for (const ProductStep& step : steps) {
    sum.add(args.left.float_at(row, step.channel), args.right.float_at(step.channel, column));
    if (step.ends_block) sum.end_block();
  }
  store_float(args.output.address(row, column), args.output.type, sum.result());
}

// Sums of 32-bit products exceed 64 bits only in theory; they wrap like the model's.
void multiply_integers(const AnyTypeMatmulArgs& args, int row, int column) {
  std::uint64_t wrapping = 0;
  for (int k = 0; k < args.inner; ++k) {
    wrapping +=
        static_cast<std::uint64_t>(args.left.integer_at(row, k)) *
        static_cast<std::uint64_t>(args.right.integer_at(k, column) - args.zero_point(k, column));
  }
  auto sum = static_cast<std::int64_t>(wrapping);
  IntegerFinish finish = args.finish;
  if (args.has_bias) sum += args.bias.integer_at(0, column);
  if (args.result_add) sum += args.output.integer_at(row, column) << finish.left_shift;
  if (args.has_shifts) finish.shift = static_cast<int>(args.shifts.integer_at(0, column));
  store_integer(args.output.address(row, column), args.output.type, finish.apply(sum));
}

}  // namespace

std::byte* AnyTypeMatrix::address(int row, int column) const {
  return transposed ? stored_address(column, row) : stored_address(row, column);
}

std::byte* AnyTypeMatrix::stored_address(int row, int column) const {
  if (cols_per_channel == 0) return view.address(0, row, 0, column);
  return view.address(row, column / cols_per_channel, 0, column % cols_per_channel);
}

std::uint32_t AnyTypeMatrix::bits_at(int row, int column) const {
  return is_constant ? bits : load_bits(address(row, column), type);
}

float AnyTypeMatrix::float_at(int row, int column) const {
  return bits_to_float(bits_at(row, column), type);
}

std::int64_t AnyTypeMatrix::integer_at(int row, int column) const {
  return bits_to_integer(bits_at(row, column), type);
}

std::int64_t AnyTypeMatmulArgs::zero_point(int k, int column) const {
  if (!zero_points_by_npu) return zero_points.integer_at(0, column);
  const int row = right.transposed ? column : k;
  return zero_points.integer_at(row % zero_points.view.npus, column);
}

namespace {

// Whether bytes are multiplied by something faster than vectors, which are as fast with pairs of 16
// and words of 32 bits as with the four and sixteen products of their digits.
bool has_byte_tiles(const AnyTypeMatmulArgs& args) {
  return integer_tiles_for(IntegerFactors::kUnsignedInputs, args.rows).name != "vectors";
}

}  // namespace

bool any_type_matmul_simd(const AnyTypeMatmulArgs& original) {
  if (!has_dense_rows(original.output.view)) return false;
  if (original.zero_points_by_npu && !LessZeroPoints::takes(original)) return false;
  // Stored transposed, what belongs to columns would belong to rows.
  if (original.output.transposed && (original.has_bias || original.has_shifts)) return false;
  AnyTypeMatmulArgs args = original;
  const LessZeroPoints differences(args);
  const DenseCopy left(args.left, args.rows, args.inner, true);
  const DenseCopy right(args.right, args.inner, args.cols, true);
  DenseCopy output(args.output, args.rows, args.cols, args.result_add);
  const bool done = args.rule() == ProductRule::kInteger
                        ? byte_matmul_simd(args) || integer_matmul_simd(args) ||
                              (has_byte_tiles(args) && digit_matmul_simd(args)) ||
                              short_matmul_simd(args) || wide_matmul_simd(args)
                        : float_matmul_simd(args);
  if (done) output.write_back();
  return done;
}

void any_type_matmul_reference(const AnyTypeMatmulArgs& args) {
  ChipFloatScope chip_float;
  const std::vector<ProductStep> steps =
      product_steps(args.rule(), args.inner, 1, 1, args.block_channels);
  for (int row = 0; row < args.rows; ++row) {
    for (int column = 0; column < args.cols; ++column) {
      switch (args.rule()) {
        case ProductRule::kFp32Chains:
          multiply_floats<ChainSum>(args, steps, row, column);
          break;
        case ProductRule::kBlockSums:
          multiply_floats<BlockSum>(args, steps, row, column);
          break;
        case ProductRule::kInteger:
          multiply_integers(args, row, column);
          break;
      }
    }
  }
}

}  // namespace tensorlane
