#include "tensorlane/compute/tiles/exact_tile.h"

#include <algorithm>
#include <bit>

#include "tensorlane/base/simd_targets.h"
#include "tensorlane/compute/tiles/product_rules.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/compute/tiles/exact_tile.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using ExactFloats = hn::ScalableTag<float>;
using ExactBits = hn::RebindToSigned<ExactFloats>;
using ExactVector = hn::Vec<ExactFloats>;
using BitVector = hn::Vec<ExactBits>;
constexpr int kExactLanes = static_cast<int>(hn::MaxLanes(ExactFloats()));

constexpr std::int32_t kMantissa = 0x007FFFFF, kField = 0x7F800000;
// Of infinities and NaN: no weights are so small that products are numbers.
constexpr int kBeyondAll = 1 << 20;

// Of all numbers that were looked at: the bits of any mantissa, and the least and the largest
// exponent field, in its place.
class Seen {
 public:
  HWY_INLINE Seen()
      : mantissas_(hn::Zero(ExactBits())),
        least_(hn::Set(ExactBits(), kField)),
        largest_(hn::Zero(ExactBits())) {}

  HWY_INLINE void look_at(ExactVector number) {
    const ExactBits d;
    const BitVector bits = hn::BitCast(d, number);
    const BitVector field = hn::And(bits, hn::Set(d, kField));
    const auto is_zero = hn::Eq(field, hn::Zero(d));  // denormal ones count as zero
    mantissas_ = hn::Or(mantissas_, hn::IfThenZeroElse(is_zero, bits));
    least_ = hn::Min(least_, hn::IfThenElse(is_zero, hn::Set(d, kField), field));
    largest_ = hn::Max(largest_, field);
  }

  HWY_INLINE NumberRange range() const {
    constexpr int kBias = 127, kMantissaBits = 23;
    const ExactBits d;
    std::int32_t each[kExactLanes];
    hn::StoreU(mantissas_, d, each);
    std::uint32_t mantissas = 1U << kMantissaBits;  // the leading one
    for (const std::int32_t bits : each) mantissas |= static_cast<std::uint32_t>(bits & kMantissa);
    const int largest = hn::GetLane(hn::MaxOfLanes(d, largest_)) >> kMantissaBits;
    if (largest == 0) return {};
    if (largest == kField >> kMantissaBits) return {0, kBeyondAll};
    const int least = hn::GetLane(hn::MinOfLanes(d, least_)) >> kMantissaBits;
    return {least - kBias - kMantissaBits + std::countr_zero(mantissas), largest - kBias + 1};
  }

 private:
  BitVector mantissas_, least_, largest_;
};

HWY_INLINE ExactVector load_rest(const float* numbers, int count) {
  HWY_ALIGN float rest[kExactLanes] = {};
  std::copy_n(numbers, count, rest);
  return hn::Load(ExactFloats(), rest);
}

NumberRange range_of_steps(const float* numbers, const std::int32_t* offsets, int steps,
                           int positions) {
  const ExactFloats d;
  const int whole = positions / kExactLanes * kExactLanes;
  Seen seen;
  for (int k = 0; k < steps; ++k) {
    const float* from = numbers + offsets[k];
    for (int i = 0; i < whole; i += kExactLanes) seen.look_at(hn::LoadU(d, from + i));
    if (whole < positions) seen.look_at(load_rest(from + whole, positions - whole));
  }
  return seen.range();
}

NumberRange range_of_all(const float* numbers, std::int64_t count) {
  const ExactFloats d;
  Seen seen;
  std::int64_t i = 0;
  for (; i + kExactLanes <= count; i += kExactLanes) seen.look_at(hn::LoadU(d, numbers + i));
  if (i < count) seen.look_at(load_rest(numbers + i, static_cast<int>(count - i)));
  return seen.range();
}

constexpr int kExactRows = 4, kExactVectors = 2;
constexpr int kExactWidth = kExactVectors * kExactLanes;

template <int kTileRows, int kTileVectors>
HWY_NOINLINE void sum_exactly(const BlockTile& tile) {
  const ExactFloats d;
  const float* HWY_RESTRICT weight = tile.weights;
  for (int block = 0, step = 0; block < tile.blocks; ++block) {
    ExactVector sum[kTileRows][kTileVectors];
#pragma GCC unroll 4
    for (int r = 0; r < kTileRows; ++r) {
#pragma GCC unroll 2
      for (int v = 0; v < kTileVectors; ++v) sum[r][v] = hn::Zero(d);
    }
    for (const int end = tile.block_ends[block]; step < end; ++step, weight += kTileRows) {
      const float* HWY_RESTRICT from = tile.inputs + tile.offsets[step];
      ExactVector in[kTileVectors];
#pragma GCC unroll 2
      for (int v = 0; v < kTileVectors; ++v) in[v] = hn::LoadU(d, from + v * kExactLanes);
#pragma GCC unroll 4
      for (int r = 0; r < kTileRows; ++r) {
        const ExactVector w = hn::Set(d, weight[r]);
#pragma GCC unroll 2
        for (int v = 0; v < kTileVectors; ++v) sum[r][v] = hn::MulAdd(in[v], w, sum[r][v]);
      }
    }
#pragma GCC unroll 4
    for (int r = 0; r < kTileRows; ++r) {
#pragma GCC unroll 2
      for (int v = 0; v < kTileVectors; ++v) {
        const int at = r * kExactWidth + v * kExactLanes;
        const float* const old = block == 0 ? tile.start : tile.sums;
        const ExactVector before = old == nullptr ? hn::Zero(d) : hn::LoadU(d, old + at);
        hn::StoreU(hn::Add(before, sum[r][v]), d, tile.sums + at);
      }
    }
  }
}

template <int kTileRows, int kTileVectors>
struct ExactLoop {
  static void run(const BlockTile& tile) { sum_exactly<kTileRows, kTileVectors>(tile); }
};

void sum_exact_tile(const BlockTile& tile) {
  run_for_size<ExactLoop, kExactRows, kExactVectors, kExactLanes>(tile);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tensorlane
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorlane {
namespace {

constexpr int kFp32Bits = 24, kLeastExponent = -126, kLargestExponent = 127;
constexpr int kBlockBits = 5;
static_assert(kBlockChannels <= 1 << kBlockBits);

}  // namespace

HWY_EXPORT(range_of_steps);
HWY_EXPORT(range_of_all);
HWY_EXPORT(sum_exact_tile);

NumberRange range_of(const float* numbers, const std::int32_t* offsets, int steps, int positions) {
  return HWY_DYNAMIC_DISPATCH(range_of_steps)(numbers, offsets, steps, positions);
}

NumberRange range_of(const float* numbers, std::int64_t count) {
  return HWY_DYNAMIC_DISPATCH(range_of_all)(numbers, count);
}

// Sums are multiples of 2^lowest below 2^largest, of which fp32 has all; the unit 2^(E-24) is not
// above 2^lowest then, so that nothing is cut.
bool exact_tile_serves(const NumberRange& inputs, const NumberRange& weights) {
  const int lowest = inputs.lowest + weights.lowest;
  const int largest = inputs.largest + weights.largest + kBlockBits;
  return largest - lowest <= kFp32Bits && lowest >= kLeastExponent && largest <= kLargestExponent;
}

bool exact_tile_may_serve(const NumberRange& weights) {
  return weights.largest - weights.lowest <= kFp32Bits - kBlockBits;
}

void run_exact_tile(const BlockTile& tile) {
  HWY_DYNAMIC_DISPATCH(sum_exact_tile)(tile);
}

}  // namespace tensorlane
#endif  // HWY_ONCE
