#include "tensorlane/products/integer_tile.h"

#include <type_traits>

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
    for (int v = 0; v < kTileVectors; ++v) {
      sum[r][v] = tile.adds ? hn::LoadU(d, tile.sums + r * kWidth + v * kLanes)
                            : hn::Set(d, tile.starts == nullptr ? 0 : tile.starts[r]);
    }
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

// sums[r] += the sum of a position's inputs * input_factors[r] for one vector of positions.
template <IntegerFactors kFactors>
void add_input_sums(const IntegerTile& tile, int first, int width) {
  const Words d;
  Vector sum = hn::Zero(d);
  for (int k = 0; k < tile.length; ++k) {
    const Vector in = hn::LoadU(d, tile.inputs + tile.offsets[k] + first);
    sum = add_products<kFactors>(sum, in, hn::Set(d, tile.ones[k]));
  }
  for (int r = 0; r < tile.rows; ++r) {
    std::int32_t* to = tile.sums + r * width + first;
    const Vector term = hn::Mul(sum, hn::Set(d, tile.input_factors[r]));
    hn::StoreU(hn::Add(hn::LoadU(d, to), term), d, to);
  }
}

// visit(std::integral_constant of the tile's factors)
template <class Visit>
void with_factors([[maybe_unused]] const IntegerTile& tile, const Visit& visit) {
#if TL_HAS_DOT_PRODUCTS
  if (tile.factors == IntegerFactors::kUnsignedInputs)
    return visit(std::integral_constant<IntegerFactors, IntegerFactors::kUnsignedInputs>());
  if (tile.factors == IntegerFactors::kUnsignedWeights)
    return visit(std::integral_constant<IntegerFactors, IntegerFactors::kUnsignedWeights>());
#endif
  visit(std::integral_constant<IntegerFactors, IntegerFactors::kPairs>());
}

void add_inputs(const IntegerTile& tile, int width) {
  with_factors(tile, [&](auto factors) {
    for (int first = 0; first < tile.positions; first += kLanes) {
      add_input_sums<decltype(factors)::value>(tile, first, width);
    }
  });
}

void add_terms(const IntegerTile& tile, int width) {
  const Words d;
  for (int r = 0; tile.starts != nullptr && r < tile.rows; ++r) {
    for (int i = 0; i < tile.positions; i += kLanes) {
      std::int32_t* to = tile.sums + r * width + i;
      hn::StoreU(hn::Add(hn::LoadU(d, to), hn::Set(d, tile.starts[r])), d, to);
    }
  }
  if (tile.input_factors != nullptr) add_inputs(tile, width);
}

template <int kTileRows, int kTileVectors>
struct Loop {
  static void run(const IntegerTile& tile) {
    with_factors(tile, [&](auto factors) {
      run_tile<decltype(factors)::value, kTileRows, kTileVectors>(tile);
    });
  }
};

TileShape shape() {
  return {kRows, kWidth, kLanes};
}

void run(const IntegerTile& tile) {
  run_for_size<Loop, kRows, kVectors, kLanes>(tile);
  if (tile.input_factors != nullptr) add_inputs(tile, kWidth);
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
HWY_EXPORT(add_terms);

TileShape integer_tile_shape() {
  return HWY_DYNAMIC_DISPATCH(shape)();
}

bool has_integer_quads() {
  return HWY_DYNAMIC_DISPATCH(has_quads)();
}

void run_integer_tile(const IntegerTile& tile) {
  HWY_DYNAMIC_DISPATCH(run)(tile);
}

void add_row_terms(const IntegerTile& tile, int width) {
  HWY_DYNAMIC_DISPATCH(add_terms)(tile, width);
}

}  // namespace tensorlane
#endif  // HWY_ONCE
