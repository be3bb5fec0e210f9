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
  if (reads) copy(Direction::kToDense);
}

void DenseCopy::write_back() {
  if (bytes_.size() != 0) copy(Direction::kBack);
}

void DenseCopy::copy(Direction direction) {
  const int per_channel = original_.cols_per_channel;
  const int channels = (cols_ + per_channel - 1) / per_channel;
  for_each_range(channels, layout_work(std::int64_t{rows_} * cols_),
                 [&](std::int64_t begin, std::int64_t end) {
                   copy_channels(static_cast<int>(begin), static_cast<int>(end), direction);
                 });
}

void DenseCopy::copy_channels(int begin, int end, Direction direction) {
  const LocalView& view = original_.view;
  const std::int64_t bytes = dtype_bytes(original_.type);
  const int per_channel = original_.cols_per_channel;
  // Parts may be short: no divisions on the way from one to the next.
  int npu = (view.start_npu + begin) % view.npus;
  std::byte* at = original_.stored_address(0, begin * per_channel);
  for (int channel = begin; channel < end; ++channel) {
    const int first = channel * per_channel;
    const Side stored{at, view.n * bytes};
    const Side dense{bytes_.data() + first * bytes, cols_ * bytes};
    const auto row_bytes = static_cast<std::size_t>(std::min(per_channel, cols_ - first) * bytes);
    direction == Direction::kBack ? copy_rows(rows_, row_bytes, dense, stored)
                                  : copy_rows(rows_, row_bytes, stored, dense);
    at += view.npu_bytes;
    if (++npu < view.npus) continue;
    npu = 0;
    at += view.c * bytes - view.npus * view.npu_bytes;
  }
}

}  // namespace tensorlane
