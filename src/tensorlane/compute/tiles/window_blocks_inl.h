// How windows walk over their positions (window_tile.h), in vectors. Included once per vector
// target, as Highway's -inl.h files are.
#if defined(TENSORLANE_COMPUTE_TILES_WINDOW_BLOCKS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSORLANE_COMPUTE_TILES_WINDOW_BLOCKS_INL_H_
#undef TENSORLANE_COMPUTE_TILES_WINDOW_BLOCKS_INL_H_
#else
#define TENSORLANE_COMPUTE_TILES_WINDOW_BLOCKS_INL_H_
#endif

#include "hwy/highway.h"
#include "tensorlane/compute/tiles/window_tile.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane {
namespace HWY_NAMESPACE {

// Independent vectors hide the latency of the sums.
inline constexpr int kWindowVectors = 4;
inline constexpr int kWindowLanes =
    static_cast<int>(hwy::HWY_NAMESPACE::MaxLanes(hwy::HWY_NAMESPACE::ScalableTag<float>()));
static_assert(kWindowVectors * kWindowLanes <= kWindowSlack);

// operation.block<n>(tile, q) computes positions q to q + n * kWindowLanes: kWindowVectors vectors
// at a time, then one by one. It unrolls its loops over vectors, which keeps them in registers.
template <class Word, class Operation>
HWY_INLINE void for_each_block(const WindowTile<Word>& tile, const Operation& operation) {
  std::int64_t q = 0;
  for (; q + (kWindowVectors - 1) * kWindowLanes < tile.positions;
       q += kWindowVectors * kWindowLanes)
    operation.template block<kWindowVectors>(tile, q);
  for (; q < tile.positions; q += kWindowLanes) operation.template block<1>(tile, q);
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane
HWY_AFTER_NAMESPACE();

#endif  // TENSORLANE_COMPUTE_TILES_WINDOW_BLOCKS_INL_H_
