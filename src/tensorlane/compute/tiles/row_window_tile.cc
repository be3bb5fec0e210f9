#include "tensorlane/compute/tiles/row_window_tile.h"

#include <algorithm>
#include <array>

#include "tensorlane/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/compute/tiles/row_window_tile.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using RowFloats = hn::ScalableTag<float>;
using RowVector = hn::Vec<RowFloats>;

constexpr int kRowLanes = static_cast<int>(hn::MaxLanes(RowFloats()));
static_assert(2 * kRowLanes <= kLeastRowWindows);
constexpr int kPositions = kRowKernel * kRowKernel;

// kRows rows of results.
template <int kRows>
class WindowRows {
 public:
  WindowRows(const RowWindowTile& tile, int row) : tile_(tile) {
    for (int k = 0; k < kInputs; ++k) {
      const int at = row + k - tile.pad_top;
      const bool inside = at >= 0 && at < tile.input_h;
      inputs_[k] = inside ? tile.input + at * tile.input_pitch : tile.outside;
    }
    for (int r = 0; r < kRows; ++r) outputs_[r] = tile.output + (row + r) * tile.output_pitch;
    for (int t = 0; t < kPositions; ++t) weights_[t] = tile.weights[t];
  }

  HWY_INLINE void run() const {
    // Vectors of results all of whose inputs lie inside the rows: before `last`.
    const int last = std::min(tile_.output_w - kRowLanes,
                              tile_.input_w - kRowLanes - (kRowKernel - 1) + tile_.pad_left);
    int q = 0;
    for (; q < tile_.pad_left && q <= tile_.output_w - kRowLanes; q += kRowLanes) at_end(q);
    for (; q <= last; q += kRowLanes) {
      sum(q, [&](int k, int x) HWY_ATTR { return hn::LoadU(RowFloats(), inputs_[k] + x); });
    }
    for (; q + kRowLanes <= tile_.output_w; q += kRowLanes) at_end(q);
    if (q < tile_.output_w) at_end(tile_.output_w - kRowLanes);  // some of them again
  }

 private:
  static constexpr int kInputs = kRows + kRowKernel - 1;

  // Where inputs are outside the rows.
  HWY_INLINE void at_end(int q) const {
    sum(q, [&](int k, int x) HWY_ATTR { return load_inside(inputs_[k], x); });
  }

  // A vector from column x on, with zeros outside the row.
  HWY_INLINE RowVector load_inside(const float* row, int x) const {
    const RowFloats d;
#if HWY_TARGET > HWY_AVX2 || !HWY_ARCH_X86
    std::array<float, kRowLanes> words{};
    for (int i = std::max(0, -x); i < std::min(kRowLanes, tile_.input_w - x); ++i)
      words[static_cast<std::size_t>(i)] = row[x + i];
    return hn::LoadU(d, words.data());
#else
    const hn::RebindToSigned<RowFloats> di;
    const auto column = hn::Iota(di, x);
    const auto inside =
        hn::And(hn::Gt(column, hn::Set(di, -1)), hn::Lt(column, hn::Set(di, tile_.input_w)));
    return hn::MaskedLoad(hn::RebindMask(d, inside), d, row + x);
#endif
  }

  // load(input row, column): a vector from there on.
  template <class Load>
  HWY_INLINE void sum(int q, const Load& load) const {
    const RowFloats d;
    RowVector even[kRows], odd[kRows];
#pragma GCC unroll 2
    for (int r = 0; r < kRows; ++r) {
      even[r] = hn::Set(d, tile_.starts.first);
      odd[r] = hn::Set(d, tile_.starts.second);
    }
#pragma GCC unroll 4
    for (int k = 0; k < kInputs; ++k) {
#pragma GCC unroll 3
      for (int kw = 0; kw < kRowKernel; ++kw) {
        const RowVector input = load(k, q + kw - tile_.pad_left);
#pragma GCC unroll 2
        for (int r = 0; r < kRows; ++r) {
          const int kh = k - r;
          if (kh < 0 || kh >= kRowKernel) continue;
          const int t = kh * kRowKernel + kw;
          RowVector& chain = t % 2 == 0 ? even[r] : odd[r];
          chain = hn::Add(chain, hn::Mul(input, hn::Set(d, weights_[t])));
        }
      }
    }
#pragma GCC unroll 2
    for (int r = 0; r < kRows; ++r) {
      RowVector result = hn::Add(even[r], odd[r]);
      if (tile_.starts.last != nullptr) result = hn::Add(result, hn::Set(d, *tile_.starts.last));
      hn::StoreU(result, d, outputs_[r] + q);
    }
  }

  const RowWindowTile& tile_;
  const float* inputs_[kInputs];
  float* outputs_[kRows];
  float weights_[kPositions];
};

void sum_rows(const RowWindowTile& tile) {
  int row = tile.first_row;
  for (; row + 2 <= tile.end_row; row += 2) WindowRows<2>(tile, row).run();
  if (row < tile.end_row) WindowRows<1>(tile, row).run();
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tensorlane
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorlane {

HWY_EXPORT(sum_rows);

void sum_window_rows(const RowWindowTile& tile) {
  HWY_DYNAMIC_DISPATCH(sum_rows)(tile);
}

}  // namespace tensorlane
#endif  // HWY_ONCE
