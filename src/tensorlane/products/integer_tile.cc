#include "tensorlane/products/integer_tile.h"

#include <cstring>
#include <utility>

// With its one-instruction dot products.
#define HWY_WANT_AVX3_DL 1
// The accumulators are arrays of vectors, which scalable vectors cannot form.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)

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
static_assert(kRows * kWidth <= kMaxChainTileFloats);

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

HWY_INLINE Vector load(const float* from) {
  return hn::BitCast(Words(), hn::LoadU(hn::RebindToFloat<Words>(), from));
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
  const float* HWY_RESTRICT weight = tile.weights;
  for (int k = 0; k < tile.length; ++k, weight += kTileRows) {
    const float* HWY_RESTRICT from = tile.inputs + tile.offsets[k];
    Vector in[kTileVectors];
#pragma GCC unroll 3
    for (int v = 0; v < kTileVectors; ++v) in[v] = load(from + v * kLanes);
#pragma GCC unroll 8
    for (int r = 0; r < kTileRows; ++r) {
      const Vector w = hn::BitCast(d, hn::Set(hn::RebindToFloat<Words>(), weight[r]));
#pragma GCC unroll 3
      for (int v = 0; v < kTileVectors; ++v)
        sum[r][v] = add_products<kFactors>(sum[r][v], in[v], w);
    }
  }
  const hn::RebindToFloat<Words> df;
#pragma GCC unroll 8
  for (int r = 0; r < kTileRows; ++r) {
#pragma GCC unroll 3
    for (int v = 0; v < kTileVectors; ++v) {
      hn::StoreU(hn::BitCast(df, sum[r][v]), df, tile.sums + r * kWidth + v * kLanes);
    }
  }
}

using RunTile = void (*)(const IntegerTile&);

template <IntegerFactors kFactors, int... kTileRows>
RunTile tile_of(int rows, int vectors, std::integer_sequence<int, kTileRows...>) {
  static constexpr RunTile kTable[][3] = {{run_tile<kFactors, kTileRows + 1, 1>,
                                           run_tile<kFactors, kTileRows + 1, 2>,
                                           run_tile<kFactors, kTileRows + 1, kVectors>}...};
  return kTable[rows - 1][vectors - 1];
}

ChainTileShape shape() {
  return {kRows, kWidth, kLanes};
}

void run(const IntegerTile& tile) {
  const int vectors = (tile.positions + kLanes - 1) / kLanes;
  const auto rows = std::make_integer_sequence<int, kRows>();
#if TL_HAS_DOT_PRODUCTS
  if (tile.factors == IntegerFactors::kUnsignedInputs)
    return tile_of<IntegerFactors::kUnsignedInputs>(tile.rows, vectors, rows)(tile);
  if (tile.factors == IntegerFactors::kUnsignedWeights)
    return tile_of<IntegerFactors::kUnsignedWeights>(tile.rows, vectors, rows)(tile);
#endif
  tile_of<IntegerFactors::kPairs>(tile.rows, vectors, rows)(tile);
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

ChainTileShape integer_tile_shape() {
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
