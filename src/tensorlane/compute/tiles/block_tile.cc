#include "tensorlane/compute/tiles/block_tile.h"

#include "tensorlane/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/compute/tiles/block_tile.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "tensorlane/compute/tiles/block_sum_inl.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane {
namespace HWY_NAMESPACE {
namespace {

constexpr int kRows = 4;
constexpr int kVectors = 2;
constexpr int kWidth = kVectors * kLanes;
static_assert(kRows * kWidth <= kMaxTileWords);

template <bool kSpecials, int kTileRows, int kTileVectors>
HWY_NOINLINE void run_tile(const BlockTile& tile) {
  const Floats d;
  constexpr int kStride = kTileRows * kTileVectors * kLanes;  // products of one step
  HWY_ALIGN float products[kBlockChannels * kStride];
  Vector sum[kTileRows][kTileVectors];
#pragma GCC unroll 4
  for (int r = 0; r < kTileRows; ++r) {
#pragma GCC unroll 2
    for (int v = 0; v < kTileVectors; ++v) {
      sum[r][v] =
          tile.start == nullptr ? hn::Zero(d) : hn::LoadU(d, tile.start + r * kWidth + v * kLanes);
    }
  }
  int step = 0;
  for (int block = 0; block < tile.blocks; ++block) {
    const int end = tile.block_ends[block];
    const int length = end - step;
    Vector largest[kTileRows][kTileVectors];
#pragma GCC unroll 4
    for (int r = 0; r < kTileRows; ++r) {
#pragma GCC unroll 2
      for (int v = 0; v < kTileVectors; ++v) largest[r][v] = hn::Zero(d);
    }
    float* HWY_RESTRICT to = products;
    for (; step < end; ++step, to += kStride) {
      const float* HWY_RESTRICT from = tile.inputs + tile.offsets[step];
      const float* HWY_RESTRICT weight = tile.weights + static_cast<std::int64_t>(step) * kTileRows;
      Vector in[kTileVectors];
#pragma GCC unroll 2
      for (int v = 0; v < kTileVectors; ++v) in[v] = hn::LoadU(d, from + v * kLanes);
#pragma GCC unroll 4
      for (int r = 0; r < kTileRows; ++r) {
        const Vector w = hn::Set(d, weight[r]);
#pragma GCC unroll 2
        for (int v = 0; v < kTileVectors; ++v) {
          const Vector product = hn::Mul(in[v], w);
          hn::Store(product, d, to + (r * kTileVectors + v) * kLanes);
          largest[r][v] = larger_magnitude<kSpecials>(largest[r][v], product);
        }
      }
    }
#pragma GCC unroll 4
    for (int r = 0; r < kTileRows; ++r) {
#pragma GCC unroll 2
      for (int v = 0; v < kTileVectors; ++v) {
        const float* from = products + (r * kTileVectors + v) * kLanes;
        sum[r][v] = hn::Add(sum[r][v], sum_any_block(from, kStride, length, largest[r][v]));
      }
    }
  }
#pragma GCC unroll 4
  for (int r = 0; r < kTileRows; ++r) {
#pragma GCC unroll 2
    for (int v = 0; v < kTileVectors; ++v) {
      hn::StoreU(sum[r][v], d, tile.sums + r * kWidth + v * kLanes);
    }
  }
}

template <int kTileRows, int kTileVectors>
struct Loop {
  static void run(const BlockTile& tile) {
    tile.specials ? run_tile<true, kTileRows, kTileVectors>(tile)
                  : run_tile<false, kTileRows, kTileVectors>(tile);
  }
};

TileShape shape() {
  return {.rows = kRows, .width = kWidth, .lanes = kLanes, .packed = true};
}

void run(const BlockTile& tile) {
  run_for_size<Loop, kRows, kVectors, kLanes>(tile);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tensorlane
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorlane {

HWY_EXPORT(shape);
HWY_EXPORT(run);

TileShape block_tile_shape() {
  return HWY_DYNAMIC_DISPATCH(shape)();
}

void run_block_tile(const BlockTile& tile) {
  HWY_DYNAMIC_DISPATCH(run)(tile);
}

}  // namespace tensorlane
#endif  // HWY_ONCE
