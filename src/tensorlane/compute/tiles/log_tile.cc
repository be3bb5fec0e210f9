#include "tensorlane/compute/tiles/log_tile.h"

#include <algorithm>
#include <limits>

#include "tensorlane/base/error.h"
#include "tensorlane/base/simd_targets.h"
#include "tensorlane/compute/tiles/tile_shape.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/compute/tiles/log_tile.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "tensorlane/compute/tiles/block_sum_inl.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET <= HWY_AVX2 && HWY_ARCH_X86
constexpr bool kHasLogTile = true;

using Shorts = hn::Repartition<std::int16_t, Floats>;
using ShortVector = hn::Vec<Shorts>;
constexpr int kVectors = 2;  // of products: one of logarithms
constexpr int kWidth = kVectors * kLanes;
constexpr int kParts = 1 << kLogPartBits;  // of a power of two
constexpr int kBias = 127;                 // of an exponent field
// Smaller numbers have the least logarithm as well, which is too large for them. Sums from kToldLog
// on have none of it.
constexpr std::int16_t kLeastLog = -kParts * kLogPowers / 4;
constexpr std::int16_t kToldLog = kParts * kLogPowers / 2 + kLeastLog;
// Of 0. A sum with it, kZeroSum at most, is below all others.
constexpr std::int16_t kNoLog = std::numeric_limits<std::int16_t>::min();
constexpr std::int16_t kZeroSum = 2 * kLeastLog - 1;
static_assert(kNoLog + kParts * kLogPowers / 2 - 1 <= kZeroSum);
// Of columns that nobody reads: with any weight that is not too small it tells an exponent.
constexpr std::int16_t kFilling = kParts * (kLogPowers / 2 - 1);
// Rows whose products are added up together: as many as registers hold.
constexpr int kRowsAtOnce = HWY_TARGET <= HWY_AVX3 ? 4 : 2;

HWY_INLINE void widen_shorts(ShortVector value, IntegerVector (&to)[kVectors]) {
  to[0] = hn::PromoteTo(Integers(), hn::LowerHalf(value));
  to[1] = hn::PromoteTo(Integers(), hn::UpperHalf(hn::Half<Shorts>(), value));
}

// Of magnitudes, as integers of 32 bits: log2(1 + f) from below, too low by less than 0.2 parts.
HWY_INLINE IntegerVector logs_of(Vector number, int base) {
  const Floats d;
  const Integers di;
  const IntegerVector bits = hn::BitCast(di, hn::Abs(number));
  const IntegerVector power = hn::ShiftRight<23>(bits);
  const IntegerVector mantissa =
      hn::Or(hn::And(bits, hn::Set(di, 0x007FFFFF)), hn::Set(di, kBias << 23));
  const Vector f = hn::Sub(hn::BitCast(d, mantissa), hn::Set(d, 1.0F));
  Vector series = hn::Set(d, 0.04644903F);
  for (const float next : {-0.19640701F, 0.41769625F, -0.70969114F, 1.44188802F})
    series = hn::MulAdd(series, f, hn::Set(d, next));
  const Vector parts = hn::Mul(hn::Mul(series, f), hn::Set(d, kParts));
  const IntegerVector whole =
      hn::ShiftLeft<kLogPartBits>(hn::Sub(power, hn::Set(di, base + kBias)));
  const IntegerVector log = hn::Add(whole, truncate(parts));
  return hn::IfThenElse(hn::Eq(power, hn::Zero(di)), hn::Set(di, kNoLog),
                        hn::Max(log, hn::Set(di, kLeastLog)));
}

// Of `count` numbers from the last vector on: those behind them are 0.
HWY_INLINE Vector load_rest(const float* numbers, int count) {
  HWY_ALIGN float rest[kLanes] = {};
  std::copy_n(numbers, count, rest);
  return hn::Load(Floats(), rest);
}

HWY_INLINE IntegerVector larger_bits(IntegerVector largest, Vector number) {
  const Integers di;
  return hn::Max(largest, hn::BitCast(di, hn::Abs(number)));
}

// Of the largest magnitude; the largest logarithm is below kLogPowers / 2 powers of two then.
HWY_INLINE int base_of(IntegerVector largest) {
  const Integers di;
  const auto bits = static_cast<std::uint32_t>(hn::GetLane(hn::MaxOfLanes(di, largest)));
  return static_cast<int>(bits >> 23) - kBias + 1 - kLogPowers / 2;
}

int input_logs(const float* inputs, const std::int32_t* offsets, int steps, int positions,
               std::int16_t* to) {
  const Floats d;
  const hn::Rebind<std::int16_t, Floats> narrow;
  const int whole = positions / kLanes * kLanes;
  IntegerVector largest = hn::Zero(Integers());
  for (int k = 0; k < steps; ++k) {
    const float* from = inputs + offsets[k];
    for (int i = 0; i < whole; i += kLanes) largest = larger_bits(largest, hn::LoadU(d, from + i));
    if (whole < positions)
      largest = larger_bits(largest, load_rest(from + whole, positions - whole));
  }
  const int base = base_of(largest);
  for (int k = 0; k < steps; ++k, to += kWidth) {
    const float* from = inputs + offsets[k];
    for (int i = 0; i < whole; i += kLanes)
      hn::StoreU(hn::DemoteTo(narrow, logs_of(hn::LoadU(d, from + i), base)), narrow, to + i);
    if (whole < positions) {
      const Vector rest = load_rest(from + whole, positions - whole);
      hn::StoreU(hn::DemoteTo(narrow, logs_of(rest, base)), narrow, to + whole);
    }
    std::fill(to + positions, to + kWidth, kFilling);
  }
  return base;
}

int weight_logs(const float* weights, std::int64_t count, std::uint32_t* to) {
  const Floats d;
  const Integers di;
  IntegerVector largest = hn::Zero(di);
  const std::int64_t whole = count / kLanes * kLanes;
  const auto left = static_cast<int>(count - whole);
  for (std::int64_t i = 0; i < whole; i += kLanes)
    largest = larger_bits(largest, hn::LoadU(d, weights + i));
  largest = larger_bits(largest, load_rest(weights + whole, left));
  const int base = base_of(largest);
  const auto pairs = [&](Vector number) HWY_ATTR {
    const IntegerVector log = logs_of(number, base);
    return hn::Or(hn::ShiftLeft<16>(log), hn::And(log, hn::Set(di, 0xFFFF)));
  };
  auto* const words = reinterpret_cast<std::int32_t*>(to);
  for (std::int64_t i = 0; i < whole; i += kLanes)
    hn::StoreU(pairs(hn::LoadU(d, weights + i)), di, words + i);
  HWY_ALIGN std::int32_t rest[kLanes];
  hn::Store(pairs(load_rest(weights + whole, left)), di, rest);
  std::copy_n(rest, left, words + whole);
  return base;
}

// Lanes whose exponent a logarithm does not tell. A lane of products that are all 0 needs none.
template <class D>
HWY_INLINE auto untold(D d, hn::Vec<D> largest) {
  using T = hn::TFromD<D>;
  const auto inside = hn::And(hn::Add(largest, hn::Set(d, T{2})), hn::Set(d, T{kParts - 2}));
  const auto close = hn::Eq(inside, hn::Zero(d));
  return hn::Or(close, hn::And(hn::Lt(largest, hn::Set(d, T{kToldLog})),
                               hn::Gt(largest, hn::Set(d, T{kZeroSum}))));
}

// Some steps of a tile.
struct Block {
  const LogTile& tile;
  int first, end;  // steps
};

// The sum of a block of one row and vector in two passes.
HWY_NOINLINE Vector sum_in_two_passes(const Block& block, int tile_rows, int r, int v) {
  const Floats d;
  HWY_ALIGN float products[kBlockChannels * kLanes];
  float* to = products;
  Vector largest = hn::Zero(d);
  for (int step = block.first; step < block.end; ++step, to += kLanes) {
    const LogTile& tile = block.tile;
    const Vector product = hn::Mul(hn::LoadU(d, tile.inputs + tile.offsets[step] + v * kLanes),
                                   hn::Set(d, tile.weights[step * tile_rows + r]));
    hn::Store(product, d, to);
    largest = larger_magnitude<false>(largest, product);
  }
  return sum_any_block(products, kLanes, block.end - block.first, largest);
}

// Adds to the sums of rows [row, row + kCount) a block whose largest logarithms these are.
template <int kTileRows, int kCount>
HWY_INLINE void add_rows(const Block& block, int row, const ShortVector* largest) {
  const Floats d;
  const Integers di;
  const LogTile& tile = block.tile;
  IntegerVector logs[kCount][kVectors], sum[kCount][kVectors], shift[kCount][kVectors];
#pragma GCC unroll 4
  for (int r = 0; r < kCount; ++r) {
    widen_shorts(largest[r], logs[r]);
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) {
      const IntegerVector power = hn::ShiftRight<kLogPartBits>(logs[r][v]);
      sum[r][v] = hn::Zero(di);
      shift[r][v] = hn::ShiftLeft<23>(hn::Sub(hn::Set(di, 24 - tile.base), power));
    }
  }
#pragma GCC unroll 4
  for (int step = block.first; step < block.end; ++step) {
    const float* HWY_RESTRICT from = tile.inputs + tile.offsets[step];
    const float* HWY_RESTRICT weight = tile.weights + std::ptrdiff_t{step} * kTileRows + row;
    Vector in[kVectors];
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) in[v] = hn::LoadU(d, from + v * kLanes);
#pragma GCC unroll 4
    for (int r = 0; r < kCount; ++r) {
      const Vector w = hn::Set(d, weight[r]);
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) {
        const IntegerVector product = hn::BitCast(di, hn::Mul(in[v], w));
        sum[r][v] = hn::Add(sum[r][v], truncate(hn::BitCast(d, hn::Add(product, shift[r][v]))));
      }
    }
  }
#pragma GCC unroll 4
  for (int r = 0; r < kCount; ++r) {
    const bool told = hn::AllFalse(Shorts(), untold(Shorts(), largest[r]));
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) {
      // 2^(E-24) is as many exponents down as the products were moved up.
      const Vector unit = hn::BitCast(d, hn::Sub(hn::Set(di, kBias << 23), shift[r][v]));
      const Vector of_block = HWY_LIKELY(told || hn::AllFalse(di, untold(di, logs[r][v])))
                                  ? hn::Mul(hn::ConvertTo(d, sum[r][v]), unit)
                                  : sum_in_two_passes(block, kTileRows, row + r, v);
      float* const to = tile.sums + (row + r) * kWidth + v * kLanes;
      hn::Store(hn::Add(hn::Load(d, to), of_block), d, to);
    }
  }
}

template <int kTileRows>
HWY_INLINE void add_block(const Block& block) {
  const Shorts d;
  const hn::Repartition<std::uint32_t, Floats> pairs;
  const LogTile& tile = block.tile;
  ShortVector largest[kTileRows];
#pragma GCC unroll 4
  for (int r = 0; r < kTileRows; ++r) largest[r] = hn::Set(d, kNoLog);
  const std::int16_t* HWY_RESTRICT in = tile.input_logs + std::ptrdiff_t{block.first} * kWidth;
  const std::uint32_t* HWY_RESTRICT weight =
      tile.weight_logs + std::ptrdiff_t{block.first} * kTileRows;
#pragma GCC unroll 4
  for (int step = block.first; step < block.end; ++step, in += kWidth, weight += kTileRows) {
    const ShortVector from = hn::Load(d, in);
#pragma GCC unroll 4
    for (int r = 0; r < kTileRows; ++r) {
      const ShortVector w = hn::BitCast(d, hn::Set(pairs, weight[r]));
      largest[r] = hn::Max(largest[r], hn::SaturatedAdd(from, w));
    }
  }
  constexpr int kGroups = kTileRows / kRowsAtOnce, kRest = kTileRows % kRowsAtOnce;
  for (int group = 0; group < kGroups; ++group)
    add_rows<kTileRows, kRowsAtOnce>(block, group * kRowsAtOnce, largest + group * kRowsAtOnce);
  if constexpr (kRest > 0)
    add_rows<kTileRows, kRest>(block, kTileRows - kRest, largest + kTileRows - kRest);
}

template <int kTileRows>
HWY_NOINLINE void add_blocks(const LogTile& tile) {
  if (tile.start == nullptr) {
    std::fill_n(tile.sums, kTileRows * kWidth, 0.0F);
  } else {
    std::copy_n(tile.start, kTileRows * kWidth, tile.sums);
  }
  int step = 0;
  for (int block = 0; block < tile.blocks; ++block) {
    add_block<kTileRows>({tile, step, tile.block_ends[block]});
    step = tile.block_ends[block];
  }
}

void sum_log_tile(const LogTile& tile) {
  switch (tile.rows) {
    case 1:
      return add_blocks<1>(tile);
    case 2:
      return add_blocks<2>(tile);
    case 3:
      return add_blocks<3>(tile);
    default:
      return add_blocks<4>(tile);
  }
}
#else
constexpr bool kHasLogTile = false;

int input_logs(const float*, const std::int32_t*, int, int, std::int16_t*) {
  throw InternalError("logarithms of products on a processor without");
}
int weight_logs(const float*, std::int64_t, std::uint32_t*) {
  throw InternalError("logarithms of products on a processor without");
}
void sum_log_tile(const LogTile&) {
  throw InternalError("logarithms of products on a processor without");
}
#endif

bool is_there() {
  return kHasLogTile;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tensorlane
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorlane {

HWY_EXPORT(is_there);
HWY_EXPORT(input_logs);
HWY_EXPORT(weight_logs);
HWY_EXPORT(sum_log_tile);

bool has_log_tile() {
  return HWY_DYNAMIC_DISPATCH(is_there)();
}

int make_input_logs(const float* inputs, const std::int32_t* offsets, int steps, int positions,
                    std::int16_t* to) {
  return HWY_DYNAMIC_DISPATCH(input_logs)(inputs, offsets, steps, positions, to);
}

int make_weight_logs(const float* weights, std::int64_t count, std::uint32_t* to) {
  return HWY_DYNAMIC_DISPATCH(weight_logs)(weights, count, to);
}

// Where a logarithm tells E it is from kLogPowers / 4 above the base to kLogPowers - 1 above. What
// a lane of zeros has for one is down to kLogPowers below: it may not make numbers of 1 of them.
bool log_tile_serves(int base) {
  constexpr int kBias = 127, kLargest = 24;  // as in block_sum_inl.h
  return base - kLogPowers > kLargest - kBias && base + kLogPowers - 1 <= kLargest;
}

void run_log_tile(const LogTile& tile) {
  HWY_DYNAMIC_DISPATCH(sum_log_tile)(tile);
}

}  // namespace tensorlane
#endif  // HWY_ONCE
