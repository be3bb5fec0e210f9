#include "tensorlane/compute/matrices/zero_points.h"

#include <atomic>
#include <cstring>
#include <vector>

#include "tensorlane/compute/bands/tasks.h"
#include "tensorlane/compute/bands/view_forms.h"

namespace tensorlane {
namespace {

template <class Factor, class ZeroPoint>
void subtract_row(const std::byte* row, const std::byte* zero_points, int count, std::int16_t* to) {
  const auto* const factors = reinterpret_cast<const Factor*>(row);
  const auto* const zeros = reinterpret_cast<const ZeroPoint*>(zero_points);
  for (int i = 0; i < count; ++i) to[i] = static_cast<std::int16_t>(factors[i] - zeros[i]);
}

// A dense matrix of these elements, [row][column] as it is stored.
AnyTypeMatrix dense(void* elements, Dtype type, int cols) {
  return {.view = {.memory = static_cast<std::byte*>(elements),
                   .npus = 1,
                   .c = cols,
                   .h = cols,
                   .w = 1,
                   .element_bytes = dtype_bytes(type)},
          .type = type};
}

}  // namespace

bool npus_differ(const AnyTypeMatrix& vector, int npus, int count) {
  const auto bytes = static_cast<std::size_t>(count) * dtype_bytes(vector.type);
  std::atomic<bool> differ = false;
  for_each_task(npus - 1, 2 * static_cast<std::int64_t>(bytes) * npus, [&](std::int64_t task) {
    const std::byte* const one = vector.address(static_cast<int>(task) + 1, 0);
    if (!differ && std::memcmp(vector.address(0, 0), one, bytes) != 0) differ = true;
  });
  return differ;
}

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
  args.right.transposed ? take_own(args) : subtract(args);
  args.zero_points_by_npu = false;
}

// Where row c as it is stored is column c, each column still has one.
void LessZeroPoints::take_own(AnyTypeMatmulArgs& args) {
  const AnyTypeMatrix& all = args.zero_points;
  own_ = Words<std::byte>(static_cast<std::size_t>(args.cols));
  for (int column = 0; column < args.cols; ++column)
    own_.data()[column] = *all.stored_address(column % all.view.npus, column);
  args.zero_points = dense(own_.data(), all.type, args.cols);
}

void LessZeroPoints::subtract(AnyTypeMatmulArgs& args) {
  const AnyTypeMatrix& right = args.right;
  const AnyTypeMatrix& zeros = args.zero_points;
  const int cols = args.cols;
  differences_ =
      Words<std::int16_t>(static_cast<std::size_t>(args.inner) * static_cast<std::size_t>(cols));
  // A constant is a row of itself.
  const std::vector<std::byte> constant(right.is_constant ? static_cast<std::size_t>(cols) : 0,
                                        static_cast<std::byte>(right.bits));
  const bool is_signed = dtype_info(right.type).is_signed;
  const auto subtract_one = dtype_info(zeros.type).is_signed
                                ? (is_signed ? subtract_row<std::int8_t, std::int8_t>
                                             : subtract_row<std::uint8_t, std::int8_t>)
                                : (is_signed ? subtract_row<std::int8_t, std::uint8_t>
                                             : subtract_row<std::uint8_t, std::uint8_t>);
  for_each_task(args.inner, layout_work(std::int64_t{args.inner} * cols), [&](std::int64_t task) {
    const auto row = static_cast<int>(task);
    subtract_one(right.is_constant ? constant.data() : right.stored_address(row, 0),
                 zeros.stored_address(row % zeros.view.npus, 0), cols,
                 differences_.data() + task * cols);
  });
  args.right = dense(differences_.data(), Dtype::kInt16, cols);
  args.zero_points = AnyTypeMatrix::constant(0, Dtype::kInt8);
}

}  // namespace tensorlane
