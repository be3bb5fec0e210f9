#include "tensorlane/compute/tiles/chain_tile.h"

#include "tensorlane/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/compute/tiles/chain_tile.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Vector = hn::Vec<Floats>;

// Accumulators fill the registers but for the inputs of a step, one weight and one product.
#if HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64  // 32 registers (better targets have lower numbers)
constexpr int kRows = 8;
constexpr int kVectors = 3;
#else
constexpr int kRows = 4;
constexpr int kVectors = 2;
#endif

constexpr int kLanes = static_cast<int>(hn::MaxLanes(Floats()));
constexpr int kWidth = kVectors * kLanes;
static_assert(kRows * kWidth <= kMaxTileWords);

// What happens to the outcome of a chain.
enum class Join {
  kStore,    // to = chain
  kAdd,      // to = to + chain
  kAddPair,  // to = first pair + (to + chain)
};

template <int kTileRows, int kTileVectors>
HWY_NOINLINE void run_chain(const Chain& chain, const float* HWY_RESTRICT inputs,
                            const float* HWY_RESTRICT start, Join join,
                            const float* HWY_RESTRICT first_pair, float* HWY_RESTRICT to) {
  const Floats d;
  Vector sum[kTileRows][kTileVectors];
#pragma GCC unroll 8
  for (int r = 0; r < kTileRows; ++r) {
#pragma GCC unroll 3
    for (int v = 0; v < kTileVectors; ++v) {
      sum[r][v] = start == nullptr ? hn::Zero(d) : hn::LoadU(d, start + r * kWidth + v * kLanes);
    }
  }
  const float* HWY_RESTRICT weight = chain.weights;
  for (int k = 0; k < chain.length; ++k, weight += kTileRows) {
    const float* HWY_RESTRICT from = inputs + chain.offsets[k];
    Vector in[kTileVectors];
#pragma GCC unroll 3
    for (int v = 0; v < kTileVectors; ++v) in[v] = hn::LoadU(d, from + v * kLanes);
#pragma GCC unroll 8
    for (int r = 0; r < kTileRows; ++r) {
      const Vector w = hn::Set(d, weight[r]);
#pragma GCC unroll 3
      for (int v = 0; v < kTileVectors; ++v) sum[r][v] = hn::Add(sum[r][v], hn::Mul(in[v], w));
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kTileRows; ++r) {
#pragma GCC unroll 3
    for (int v = 0; v < kTileVectors; ++v) {
      const int at = r * kWidth + v * kLanes;
      if (join != Join::kStore) sum[r][v] = hn::Add(hn::LoadU(d, to + at), sum[r][v]);
      if (join == Join::kAddPair) sum[r][v] = hn::Add(hn::LoadU(d, first_pair + at), sum[r][v]);
      hn::StoreU(sum[r][v], d, to + at);
    }
  }
}

template <int kTileRows, int kTileVectors>
struct Loop {
  static void run(const ChainTile& tile) {
    constexpr auto kRun = run_chain<kTileRows, kTileVectors>;
    if (tile.chain_count == 2) {
      kRun(tile.chains[0], tile.inputs, tile.starts[0], Join::kStore, nullptr, tile.sums);
      kRun(tile.chains[1], tile.inputs, tile.starts[1], Join::kAdd, nullptr, tile.sums);
    } else {
      HWY_ALIGN float pair[kRows * kWidth];
      kRun(tile.chains[0], tile.inputs, tile.starts[0], Join::kStore, nullptr, pair);
      kRun(tile.chains[1], tile.inputs, tile.starts[1], Join::kAdd, nullptr, pair);
      kRun(tile.chains[2], tile.inputs, nullptr, Join::kStore, nullptr, tile.sums);
      kRun(tile.chains[3], tile.inputs, nullptr, Join::kAddPair, pair, tile.sums);
    }
  }
};

TileShape shape() {
  return {kRows, kWidth, kLanes};
}

void run(const ChainTile& tile) {
  run_for_size<Loop, kRows, kVectors, kLanes>(tile);
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorlane {

HWY_EXPORT(shape);
HWY_EXPORT(run);

TileShape chain_tile_shape() {
  return HWY_DYNAMIC_DISPATCH(shape)();
}

void run_chain_tile(const ChainTile& tile) {
  HWY_DYNAMIC_DISPATCH(run)(tile);
}

}  // namespace tensorlane
#endif  // HWY_ONCE
