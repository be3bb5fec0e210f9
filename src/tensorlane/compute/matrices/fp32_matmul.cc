#include "tensorlane/compute/matrices/fp32_matmul.h"

#include "tensorlane/base/fp_environment.h"

namespace tensorlane {
namespace {

float* matrix_at(const LocalView& view, int cols_per_channel, int row, int column) {
  return view.at(row, column / cols_per_channel, 0, column % cols_per_channel);
}

float dot_at(const MatmulArgs& args, int row, int column) {
  const auto left = [&](int k) {
    return *matrix_at(args.left, args.left_cols_per_channel, row, k);
  };
  const auto right = [&](int k) {
    return *matrix_at(args.right, args.right_cols_per_channel, k, column);
  };
  if (args.left_cols == 1) return left(0) * right(0);
  float chain[2] = {};
  for (int k = 0; k < args.left_cols; ++k) chain[k % 2] += left(k) * right(k);
  return chain[0] + chain[1];
}

}  // namespace

void matmul_reference(const MatmulArgs& args) {
  ChipFloatScope chip_float;
  for (int row = 0; row < args.left_rows; ++row) {
    for (int column = 0; column < args.right_cols; ++column) {
      float sum = dot_at(args, row, column);
      float* out = matrix_at(args.output, args.right_cols_per_channel, row, column);
      if (args.using_bias) sum += *matrix_at(args.bias, args.right_cols_per_channel, 0, column);
      if (args.result_add) sum += *out;
      *out = sum;
    }
  }
}

}  // namespace tensorlane
