#include "tensorlane/compute/tiles/integer_tile.h"

#include <algorithm>
#include <type_traits>

// With its one-instruction dot products.
#define HWY_WANT_AVX3_DL 1
#include "tensorlane/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/compute/tiles/integer_tile.cc"
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

// The products of a step: of vectors of positions with the weight of each row.
template <IntegerFactors kFactors, int kTileRows, int kTileVectors>
HWY_INLINE void add_step(const std::int32_t* HWY_RESTRICT from,
                         const std::int32_t* HWY_RESTRICT weight,
                         Vector (&sum)[kTileRows][kTileVectors]) {
  const Words d;
  Vector in[kTileVectors];
#pragma GCC unroll 3
  for (int v = 0; v < kTileVectors; ++v) in[v] = hn::LoadU(d, from + v * kLanes);
#pragma GCC unroll 8
  for (int r = 0; r < kTileRows; ++r) {
    const Vector w = hn::Set(d, weight[r]);
#pragma GCC unroll 3
    for (int v = 0; v < kTileVectors; ++v) sum[r][v] = add_products<kFactors>(sum[r][v], in[v], w);
  }
}

template <IntegerFactors kFactors, int kTileRows, int kTileVectors>
HWY_NOINLINE void run_tile(const IntegerTile& tile) {
  const Words d;
  const std::ptrdiff_t stride = tile.stride;
  Vector sum[kTileRows][kTileVectors];
#pragma GCC unroll 8
  for (int r = 0; r < kTileRows; ++r) {
#pragma GCC unroll 3
    for (int v = 0; v < kTileVectors; ++v) {
      sum[r][v] = tile.adds ? hn::LoadU(d, tile.sums + r * stride + v * kLanes) : hn::Zero(d);
    }
  }
  const std::int32_t* HWY_RESTRICT weight = tile.weights;
  for (int k = 0; k < tile.length; ++k, weight += kTileRows)
    add_step<kFactors>(tile.inputs + tile.offsets[k], weight, sum);
#pragma GCC unroll 8
  for (int r = 0; r < kTileRows; ++r) {
#pragma GCC unroll 3
    for (int v = 0; v < kTileVectors; ++v) {
      hn::StoreU(sum[r][v], d, tile.sums + r * stride + v * kLanes);
    }
  }
}

// Columns [first, first + kTileVectors * kLanes) of rows that are results.
template <IntegerFactors kFactors, int kTileVectors>
HWY_INLINE void run_columns(const IntegerRows& rows, int first) {
  const Words d;
  Vector sum[kRows][kTileVectors];
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    const Vector start = hn::Set(d, rows.starts == nullptr ? 0 : rows.starts[r]);
#pragma GCC unroll 3
    for (int v = 0; v < kTileVectors; ++v) sum[r][v] = start;
  }
  if (rows.row_factors != nullptr) {
#pragma GCC unroll 3
    for (int v = 0; v < kTileVectors; ++v) {
      const Vector factors = hn::LoadU(d, rows.column_factors + first + v * kLanes);
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r)
        sum[r][v] = hn::Add(sum[r][v], hn::Mul(factors, hn::Set(d, rows.row_factors[r])));
    }
  }
  const std::int32_t* HWY_RESTRICT weight = rows.weights;
  const std::int32_t* HWY_RESTRICT from = rows.inputs + first;
  for (int k = 0; k < rows.length; ++k, weight += kRows, from += rows.pitch)
    add_step<kFactors>(from, weight, sum);
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    auto* const to = reinterpret_cast<std::int32_t*>(rows.to[r]) + first;
#pragma GCC unroll 3
    for (int v = 0; v < kTileVectors; ++v) hn::StoreU(sum[r][v], d, to + v * kLanes);
  }
}

// As few tiles as there can be, of as many vectors each as the others.
template <IntegerFactors kFactors>
HWY_NOINLINE void run_result_rows(const IntegerRows& rows) {
  static_assert(kVectors == 2 || kVectors == 3);
  const int vectors = rows.columns / kLanes;
  for (int done = 0; done < vectors;) {
    const int left = vectors - done;
    const bool three = kVectors == 3 && (left == 3 || left > 4);
    if (three) {
      run_columns<kFactors, kVectors>(rows, done * kLanes);
    } else if (left >= 2) {
      run_columns<kFactors, 2>(rows, done * kLanes);
    } else {
      run_columns<kFactors, 1>(rows, done * kLanes);
    }
    done += three ? kVectors : std::min(left, 2);
  }
}

// One vector of positions of a tile of one row. Sums of every fourth step: a product takes as long
// as four of them.
template <IntegerFactors kFactors>
HWY_INLINE void run_row_vector(const IntegerTile& tile, int first) {
  constexpr int kChains = 4;
  const Words d;
  Vector sum[kChains];
  sum[0] = tile.adds ? hn::LoadU(d, tile.sums + first) : hn::Zero(d);
  for (int i = 1; i < kChains; ++i) sum[i] = hn::Zero(d);
  const auto add = [&](Vector to, int k) HWY_ATTR {
    const Vector in = hn::LoadU(d, tile.inputs + tile.offsets[k] + first);
    return add_products<kFactors>(to, in, hn::Set(d, tile.weights[k]));
  };
  int k = 0;
  for (; k + kChains <= tile.length; k += kChains) {
#pragma GCC unroll 4
    for (int i = 0; i < kChains; ++i) sum[i] = add(sum[i], k + i);
  }
  for (; k < tile.length; ++k) sum[0] = add(sum[0], k);
  hn::StoreU(hn::Add(hn::Add(sum[0], sum[1]), hn::Add(sum[2], sum[3])), d, tile.sums + first);
}

// visit(std::integral_constant of the tile's factors)
template <class Tile, class Visit>
void with_factors([[maybe_unused]] const Tile& tile, const Visit& visit) {
#if TL_HAS_DOT_PRODUCTS
  if (tile.factors == IntegerFactors::kUnsignedInputs)
    return visit(std::integral_constant<IntegerFactors, IntegerFactors::kUnsignedInputs>());
  if (tile.factors == IntegerFactors::kUnsignedWeights)
    return visit(std::integral_constant<IntegerFactors, IntegerFactors::kUnsignedWeights>());
#endif
  visit(std::integral_constant<IntegerFactors, IntegerFactors::kPairs>());
}

void run_row(const IntegerTile& tile) {
  with_factors(tile, [&](auto factors) {
    for (int first = 0; first < tile.positions; first += kLanes)
      run_row_vector<decltype(factors)::value>(tile, first);
  });
}

template <int kTileRows, int kTileVectors>
struct Loop {
  static void run(const IntegerTile& tile) {
    with_factors(tile, [&](auto factors) {
      run_tile<decltype(factors)::value, kTileRows, kTileVectors>(tile);
    });
  }
};

void run_rows(const IntegerRows& rows) {
  with_factors(rows, [&](auto factors) { run_result_rows<decltype(factors)::value>(rows); });
}

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
HWY_EXPORT(run_row);
HWY_EXPORT(run_rows);

TileShape integer_tile_shape() {
  return HWY_DYNAMIC_DISPATCH(shape)();
}

bool has_integer_quads() {
  return HWY_DYNAMIC_DISPATCH(has_quads)();
}

void run_integer_tile(const IntegerTile& tile) {
  HWY_DYNAMIC_DISPATCH(run)(tile);
}

void run_integer_rows(const IntegerRows& rows) {
  HWY_DYNAMIC_DISPATCH(run_rows)(rows);
}

void run_integer_row(const IntegerTile& tile) {
  HWY_DYNAMIC_DISPATCH(run_row)(tile);
}

}  // namespace tensorlane
#endif  // HWY_ONCE
