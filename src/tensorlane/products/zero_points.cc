#include "tensorlane/products/zero_points.h"

#include <vector>

#include "tensorlane/tiles/tasks.h"
#include "tensorlane/tiles/view_forms.h"

namespace tensorlane {
namespace {

// A row as it is stored, less a zero point for each of its elements or one for all of them.
template <class Factor, class ZeroPoint>
void subtract_row(const std::byte* row, const std::byte* zero_points, int count, bool one_for_all,
                  std::int16_t* to) {
  const auto* const factors = reinterpret_cast<const Factor*>(row);
  const auto* const zeros = reinterpret_cast<const ZeroPoint*>(zero_points);
  if (one_for_all) {
    const int zero = zeros[0];
    for (int i = 0; i < count; ++i) to[i] = static_cast<std::int16_t>(factors[i] - zero);
    return;
  }
  for (int i = 0; i < count; ++i) to[i] = static_cast<std::int16_t>(factors[i] - zeros[i]);
}

}  // namespace

bool LessZeroPoints::takes(const AnyTypeMatmulArgs& args) {
  const auto has_rows_of_bytes = [](const AnyTypeMatrix& matrix) {
    return dtype_bytes(matrix.type) == 1 &&
           (matrix.is_constant || (matrix.cols_per_channel == 0 && has_dense_rows(matrix.view)));
  };
  return has_rows_of_bytes(args.right) && has_rows_of_bytes(args.zero_points) &&
         !args.zero_points.is_constant;
}

LessZeroPoints::LessZeroPoints(AnyTypeMatmulArgs& args) {
  if (!args.zero_points_by_npu) return;
  AnyTypeMatrix& right = args.right;
  const int rows = right.transposed ? args.cols : args.inner;
  const int cols = right.transposed ? args.inner : args.cols;
  differences_ =
      Words<std::int16_t>(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols));
  // A constant is a row of itself.
  const std::vector<std::byte> constant(right.is_constant ? static_cast<std::size_t>(cols) : 0,
                                        static_cast<std::byte>(right.bits));
  const bool is_signed = dtype_info(right.type).is_signed;
  const auto subtract = dtype_info(args.zero_points.type).is_signed
                            ? (is_signed ? subtract_row<std::int8_t, std::int8_t>
                                         : subtract_row<std::uint8_t, std::int8_t>)
                            : (is_signed ? subtract_row<std::int8_t, std::uint8_t>
                                         : subtract_row<std::uint8_t, std::uint8_t>);
  for_each_task(rows, std::int64_t{rows} * cols, [&](std::int64_t task) {
    const auto row = static_cast<int>(task);
    subtract(right.is_constant ? constant.data() : right.stored_address(row, 0),
             args.zero_points.stored_address(row % args.zero_points.view.npus,
                                             right.transposed ? row : 0),
             cols, right.transposed, differences_.data() + task * cols);
  });
  const bool transposed = right.transposed;
  right = {.view = {.memory = reinterpret_cast<std::byte*>(differences_.data()),
                    .npus = 1,
                    .c = cols,
                    .h = cols,
                    .w = 1,
                    .element_bytes = 2},
           .type = Dtype::kInt16,
           .transposed = transposed};
  args.zero_points = AnyTypeMatrix::constant(0, Dtype::kInt8);
  args.zero_points_by_npu = false;
}

}  // namespace tensorlane
