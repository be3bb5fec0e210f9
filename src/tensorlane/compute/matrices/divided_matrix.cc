#include "tensorlane/compute/matrices/divided_matrix.h"

#include <algorithm>
#include <cstring>

#include "tensorlane/compute/bands/tasks.h"
#include "tensorlane/compute/bands/view_forms.h"

namespace tensorlane {
namespace {

// Parts above this are read where they lie.
constexpr std::int64_t kShortBytes = 64;

bool is_meant(const AnyTypeMatrix& matrix, int stored_cols, WhichMatrices which) {
  const int per_channel = matrix.cols_per_channel;
  if (matrix.is_constant || per_channel == 0 || !has_dense_rows(matrix.view)) return false;
  return which == WhichMatrices::kAllDivided ||
         (per_channel < stored_cols &&
          std::int64_t{per_channel} * dtype_bytes(matrix.type) <= kShortBytes);
}

struct Side {
  std::byte* first;
  std::int64_t step;  // bytes from one row to the next
};

// Rows of sizeof(Piece) to twice as many bytes, as two pieces that may overlap.
template <class Piece>
void copy_pieces(int rows, std::size_t bytes, Side from, Side to) {
  const std::size_t second = bytes - sizeof(Piece);
  if (second == 0) {
#pragma GCC unroll 4
    for (int row = 0; row < rows; ++row, from.first += from.step, to.first += to.step)
      std::memcpy(to.first, from.first, sizeof(Piece));
    return;
  }
  for (int row = 0; row < rows; ++row, from.first += from.step, to.first += to.step) {
    std::memcpy(to.first, from.first, sizeof(Piece));
    std::memcpy(to.first + second, from.first + second, sizeof(Piece));
  }
}

template <std::size_t kBytes>
struct Bytes {
  std::byte bytes[kBytes];
};

void copy_rows(int rows, std::size_t bytes, Side from, Side to) {
  if (bytes < 2) return copy_pieces<Bytes<1>>(rows, bytes, from, to);
  if (bytes < 4) return copy_pieces<Bytes<2>>(rows, bytes, from, to);
  if (bytes < 8) return copy_pieces<Bytes<4>>(rows, bytes, from, to);
  if (bytes < 16) return copy_pieces<Bytes<8>>(rows, bytes, from, to);
  if (bytes < 32) return copy_pieces<Bytes<16>>(rows, bytes, from, to);
  if (bytes <= 64) return copy_pieces<Bytes<32>>(rows, bytes, from, to);
  for (int row = 0; row < rows; ++row, from.first += from.step, to.first += to.step)
    std::memcpy(to.first, from.first, bytes);
}

}  // namespace

DenseCopy::DenseCopy(AnyTypeMatrix& matrix, int rows, int cols, bool reads, WhichMatrices which)
    : original_(matrix),
      rows_(matrix.transposed ? cols : rows),
      cols_(matrix.transposed ? rows : cols) {
  if (!is_meant(matrix, cols_, which)) return;
  const int bytes = dtype_bytes(matrix.type);
  bytes_ = Words<std::byte>(static_cast<std::size_t>(rows_) * cols_ * bytes);
  matrix.cols_per_channel = 0;
  matrix.view = {.memory = bytes_.data(),
                 .npus = 1,
                 .c = cols_,
                 .h = cols_,
                 .w = 1,
                 .element_bytes = matrix.view.element_bytes};
  if (!reads) return;
  for_each_npu([&](Side stored, Side dense, std::size_t row_bytes) {
    copy_rows(rows_, row_bytes, stored, dense);
  });
}

void DenseCopy::write_back() {
  if (bytes_.size() == 0) return;
  for_each_npu([&](Side stored, Side dense, std::size_t row_bytes) {
    copy_rows(rows_, row_bytes, dense, stored);
  });
}

// copy(stored, dense, bytes of a row) for the columns of one NPU after the other.
template <class Copy>
void DenseCopy::for_each_npu(const Copy& copy) {
  const int per_channel = original_.cols_per_channel;
  const std::int64_t bytes = dtype_bytes(original_.type);
  const int channels = (cols_ + per_channel - 1) / per_channel;
  for_each_task(channels, layout_work(std::int64_t{rows_} * cols_), [&](std::int64_t channel) {
    const int first = static_cast<int>(channel) * per_channel;
    copy(Side{original_.stored_address(0, first), original_.view.n * bytes},
         Side{bytes_.data() + first * bytes, cols_ * bytes},
         static_cast<std::size_t>(std::min(per_channel, cols_ - first) * bytes));
  });
}

}  // namespace tensorlane
