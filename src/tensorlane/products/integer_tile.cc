#include "tensorlane/products/integer_tile.h"

// With its one-instruction dot products.
#define HWY_WANT_AVX3_DL 1
#include "tensorlane/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/products/integer_tile.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
// The dot products: every processor of this target has them, Highway does not ask for them.
#if HWY_TARGET == HWY_AVX3_DL && HWY_COMPILER_GCC_ACTUAL
#pragma GCC target("avx512vnni")
#define TL_HAS_DOT_PRODUCTS 1
#else
#define TL_HAS_DOT_PRODUCTS 0
#endif
namespace tensorlane {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Words = hn::ScalableTag<std::int32_t>;
using Vector = hn::Vec<Words>;

#if HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64  // 32 registers (better targets have lower numbers)
constexpr int kRows = 8;
constexpr int kVectors = 3;
#else
constexpr int kRows = 4;
constexpr int kVectors = 2;
#endif
constexpr int kLanes = static_cast<int>(hn::MaxLanes(Words()));
constexpr int kWidth = kVectors * kLanes;
static_assert(kRows * kWidth <= kMaxTileWords);

// sum + the products of both pairs of each lane.
HWY_INLINE Vector add_pair_products(Vector sum, Vector a, Vector b) {
#if TL_HAS_DOT_PRODUCTS
  return Vector{_mm512_dpwssd_epi32(sum.raw, a.raw, b.raw)};
#elif HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR
  const hn::Repartition<std::int16_t, Words> pairs;
  Vector unused = hn::Zero(Words());
  // On x86 a lane gets the products of its own pair.
  return hn::ReorderWidenMulAccumulate(Words(), hn::BitCast(pairs, a), hn::BitCast(pairs, b), sum,
                                       unused);
#else
  const Vector high = hn::Mul(hn::ShiftRight<16>(a), hn::ShiftRight<16>(b));
  const Vector low =
      hn::Mul(hn::ShiftRight<16>(hn::ShiftLeft<16>(a)), hn::ShiftRight<16>(hn::ShiftLeft<16>(b)));
  return hn::Add(sum, hn::Add(low, high));
#endif
}

// sum + the products of the factors of each lane.
template <IntegerFactors kFactors>
HWY_INLINE Vector add_products(Vector sum, Vector in, Vector weight) {
#if TL_HAS_DOT_PRODUCTS
  if constexpr (kFactors == IntegerFactors::kUnsignedInputs)
    return Vector{_mm512_dpbusd_epi32(sum.raw, in.raw, weight.raw)};
  if constexpr (kFactors == IntegerFactors::kUnsignedWeights)
    return Vector{_mm512_dpbusd_epi32(sum.raw, weight.raw, in.raw)};
#endif
  return add_pair_products(sum, in, weight);
}

template <IntegerFactors kFactors, int kTileRows, int kTileVectors>
HWY_NOINLINE void run_tile(const IntegerTile& tile) {
  const Words d;
  Vector sum[kTileRows][kTileVectors];
#pragma GCC unroll 8
  for (int r = 0; r < kTileRows; ++r) {
#pragma GCC unroll 3
    for (int v = 0; v < kTileVectors; ++v)
      sum[r][v] = hn::Set(d, tile.starts == nullptr ? 0 : tile.starts[r]);
  }
  const std::int32_t* HWY_RESTRICT weight = tile.weights;
  for (int k = 0; k < tile.length; ++k, weight += kTileRows) {
    const std::int32_t* HWY_RESTRICT from = tile.inputs + tile.offsets[k];
    Vector in[kTileVectors];
#pragma GCC unroll 3
    for (int v = 0; v < kTileVectors; ++v) in[v] = hn::LoadU(d, from + v * kLanes);
#pragma GCC unroll 8
    for (int r = 0; r < kTileRows; ++r) {
      const Vector w = hn::Set(d, weight[r]);
#pragma GCC unroll 3
      for (int v = 0; v < kTileVectors; ++v)
        sum[r][v] = add_products<kFactors>(sum[r][v], in[v], w);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kTileRows; ++r) {
#pragma GCC unroll 3
    for (int v = 0; v < kTileVectors; ++v) {
      hn::StoreU(sum[r][v], d, tile.sums + r * kWidth + v * kLanes);
    }
  }
}

template <int kTileRows, int kTileVectors>
struct Loop {
  static void run(const IntegerTile& tile) {
#if TL_HAS_DOT_PRODUCTS
    if (tile.factors == IntegerFactors::kUnsignedInputs)
      return run_tile<IntegerFactors::kUnsignedInputs, kTileRows, kTileVectors>(tile);
    if (tile.factors == IntegerFactors::kUnsignedWeights)
      return run_tile<IntegerFactors::kUnsignedWeights, kTileRows, kTileVectors>(tile);
#endif
    run_tile<IntegerFactors::kPairs, kTileRows, kTileVectors>(tile);
  }
};

TileShape shape() {
  return {kRows, kWidth, kLanes};
}

void run(const IntegerTile& tile) {
  run_for_size<Loop, kRows, kVectors, kLanes>(tile);
}

bool has_quads() {
  return TL_HAS_DOT_PRODUCTS != 0;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tensorlane
#undef TL_HAS_DOT_PRODUCTS
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorlane {

HWY_EXPORT(shape);
HWY_EXPORT(run);
HWY_EXPORT(has_quads);

TileShape integer_tile_shape() {
  return HWY_DYNAMIC_DISPATCH(shape)();
}

bool has_integer_quads() {
  return HWY_DYNAMIC_DISPATCH(has_quads)();
}

void run_integer_tile(const IntegerTile& tile) {
  HWY_DYNAMIC_DISPATCH(run)(tile);
}

}  // namespace tensorlane
#endif  // HWY_ONCE
