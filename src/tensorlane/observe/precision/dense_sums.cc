#include "tensorlane/observe/precision/dense_sums.h"

#include <algorithm>
#include <cstddef>

#include "tensorlane/base/parallel.h"
#include "tensorlane/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/observe/precision/dense_sums.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane::precision {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::ScalableTag<double>;
constexpr auto kDoubles = static_cast<std::int64_t>(hn::MaxLanes(Doubles()));
constexpr int kTileRows = 4;
constexpr int kTileVectors = 2;
static_assert(kPanelColumns % (kTileVectors * kDoubles) == 0 || kDoubles > kPanelColumns / 2);

// The sums of kRows rows by kVectors vectors of columns stay in registers.
template <int kRows, int kVectors>
HWY_INLINE void add_tile(const DenseSums& dense, std::int64_t row, std::int64_t column) {
  const Doubles d;
  hn::Vec<Doubles> sum[kRows][kVectors];
  double* const to = dense.sums + row * dense.columns + column;
  const double* const left = dense.left + row * dense.steps;
  HWY_UNROLL(4)
  for (int r = 0; r < kRows; ++r) {
    HWY_UNROLL(2)
    for (int v = 0; v < kVectors; ++v)
      sum[r][v] = hn::LoadU(d, to + r * dense.columns + v * kDoubles);
  }
  const double* right = dense.right + dense.right_place(0, column);
  const std::int64_t width = dense.panel_width(column);
  for (std::int64_t k = 0; k < dense.steps; ++k, right += width) {
    hn::Vec<Doubles> factor[kVectors];
    HWY_UNROLL(2)
    for (int v = 0; v < kVectors; ++v) factor[v] = hn::LoadU(d, right + v * kDoubles);
    HWY_UNROLL(4)
    for (int r = 0; r < kRows; ++r) {
      const auto of_row = hn::Set(d, left[r * dense.steps + k]);
      HWY_UNROLL(2)
      for (int v = 0; v < kVectors; ++v) sum[r][v] = hn::Add(sum[r][v], hn::Mul(of_row, factor[v]));
    }
  }
  HWY_UNROLL(4)
  for (int r = 0; r < kRows; ++r) {
    HWY_UNROLL(2)
    for (int v = 0; v < kVectors; ++v)
      hn::StoreU(sum[r][v], d, to + r * dense.columns + v * kDoubles);
  }
}

// Of one panel, or what there is of it.
template <int kRows>
HWY_INLINE void add_rows(const DenseSums& dense, std::int64_t row, std::int64_t column,
                         std::int64_t end) {
  for (; column + kTileVectors * kDoubles <= end; column += kTileVectors * kDoubles)
    add_tile<kRows, kTileVectors>(dense, row, column);
  for (; column + kDoubles <= end; column += kDoubles) add_tile<kRows, 1>(dense, row, column);
  for (; column < end; ++column) {
    for (std::int64_t r = row; r < row + kRows; ++r) {
      double& sum = dense.sums[r * dense.columns + column];
      for (std::int64_t k = 0; k < dense.steps; ++k)
        sum += dense.left[r * dense.steps + k] * dense.right[dense.right_place(k, column)];
    }
  }
}

// The columns of a panel stay in the cache for all rows.
void add_block(const DenseSums& dense, std::int64_t row, std::int64_t rows, std::int64_t column,
               std::int64_t end) {
  for (; column < end; column += kPanelColumns) {
    const std::int64_t until = std::min(column + kPanelColumns, end);
    std::int64_t r = 0;
    for (; r + kTileRows <= rows; r += kTileRows)
      add_rows<kTileRows>(dense, row + r, column, until);
    for (; r < rows; ++r) add_rows<1>(dense, row + r, column, until);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::precision
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorlane::precision {
namespace {

HWY_EXPORT(add_block);

}  // namespace

void add_products(const DenseSums& dense) {
  constexpr std::int64_t kRows = 32, kColumns = 512;  // of a task
  static_assert(kColumns % kPanelColumns == 0);       // tasks take whole panels
  constexpr std::int64_t kParallelProducts = 1 << 20;
  const std::int64_t across = (dense.columns + kColumns - 1) / kColumns;
  const std::int64_t down = (dense.rows + kRows - 1) / kRows;
  const std::int64_t products = dense.rows * dense.steps * dense.columns;
  const std::int64_t each =
      std::max<std::int64_t>(products / std::max<std::int64_t>(across * down, 1), 1);
  const std::int64_t grain =
      std::max<std::int64_t>(1, least_parallel_work(kParallelProducts) / each);
  parallel_ranges(across * down, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t row = i / across * kRows, column = i % across * kColumns;
      HWY_DYNAMIC_DISPATCH(add_block)
      (dense, row, std::min(kRows, dense.rows - row), column,
       std::min(column + kColumns, dense.columns));
    }
  });
}

}  // namespace tensorlane::precision
#endif  // HWY_ONCE
