#include "tensorlane/products/any_type_window_tile.h"

#include <limits>
#include <type_traits>

#include "tensorlane/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/products/any_type_window_tile.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Vector = hn::Vec<Floats>;
using Bits = hn::RebindToUnsigned<Floats>;
using Integers = hn::RebindToSigned<Floats>;
using IntegerVector = hn::Vec<Integers>;

constexpr int kVectors = 4;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(Floats()));
static_assert(kVectors * kLanes <= kWindowSlack);

struct KeepFp32 {
  HWY_INLINE Vector operator()(Vector value) const { return value; }
};

// Rounds to nearest even at bit kLow. NaN operands of 16-bit types have zeros below, so that no
// carry leaves the payload.
template <int kLow>
HWY_INLINE Vector round_bits(Vector value) {
  const Floats d;
  const Bits du;
  const auto bits = hn::BitCast(du, value);
  const auto odd = hn::And(hn::ShiftRight<kLow>(bits), hn::Set(du, 1));
  const auto rounded = hn::Add(hn::Add(bits, hn::Set(du, (1U << (kLow - 1)) - 1)), odd);
  return hn::BitCast(d, hn::And(rounded, hn::Set(du, ~((1U << kLow) - 1))));
}

struct ToBf16 {
  HWY_INLINE Vector operator()(Vector value) const { return round_bits<16>(value); }
};

#if HWY_TARGET <= HWY_AVX2 && HWY_ARCH_X86
struct ToFp16 {
  HWY_INLINE Vector operator()(Vector value) const {
    return hn::PromoteTo(Floats(), hn::DemoteTo(hn::Rebind<hwy::float16_t, Floats>(), value));
  }
};
#else
struct ToFp16 {
  HWY_INLINE Vector operator()(Vector value) const {
    const Floats d;
    const Vector magnitude = hn::Abs(value);
    // Below 2^-14 the unit is 2^-24, the last place of a number near 0.5.
    const Vector half = hn::Set(d, 0.5F);
    const Vector denormal = hn::Sub(hn::Add(magnitude, half), half);
    Vector rounded = hn::IfThenElse(hn::Lt(magnitude, hn::Set(d, 0x1p-14F)), denormal,
                                    round_bits<13>(magnitude));
    rounded = hn::IfThenElse(hn::Gt(rounded, hn::Set(d, 65504.0F)),
                             hn::Set(d, std::numeric_limits<float>::infinity()), rounded);
    return hn::CopySign(rounded, value);
  }
};
#endif

// block(inputs, out, vectors) for the positions: kVectors at a time, then one by one.
template <class Word, class Block>
HWY_INLINE void for_each_block(const WindowTile<Word>& tile, const Block& block) {
  std::int64_t q = 0;
  for (; q + (kVectors - 1) * kLanes < tile.positions; q += kVectors * kLanes)
    block(tile.inputs + q, tile.out + q, std::integral_constant<int, kVectors>());
  for (; q < tile.positions; q += kLanes)
    block(tile.inputs + q, tile.out + q, std::integral_constant<int, 1>());
}

template <class Round>
void sum_rounded(const WindowTile<float>& tile, const float* weights, float bias) {
  const Floats d;
  const Round round;
  for_each_block(tile, [&](const float* in, float* out, auto vectors) HWY_ATTR {
    Vector even[vectors];
    Vector odd[vectors];
    for (int v = 0; v < vectors; ++v) {
      even[v] = hn::Zero(d);
      odd[v] = hn::Set(d, bias);
    }
    for (int t = 0; t < tile.length; ++t) {
      const Vector weight = hn::Set(d, weights[t]);
      const float* from = in + tile.offsets[t];
      for (int v = 0; v < vectors; ++v) {
        Vector& sum = t % 2 == 0 ? even[v] : odd[v];
        const Vector product = round(hn::Mul(hn::LoadU(d, from + v * kLanes), weight));
        sum = round(hn::Add(sum, product));
      }
    }
    for (int v = 0; v < vectors; ++v)
      hn::StoreU(round(hn::Add(even[v], odd[v])), d, out + v * kLanes);
  });
}

void sum_floats(const WindowTile<float>& tile, const float* weights, float bias, Dtype type) {
  if (type == Dtype::kFp16) return sum_rounded<ToFp16>(tile, weights, bias);
  if (type == Dtype::kBf16) return sum_rounded<ToBf16>(tile, weights, bias);
  sum_rounded<KeepFp32>(tile, weights, bias);
}

void max_floats(const WindowTile<float>& tile) {
  const Floats d;
  for_each_block(tile, [&](const float* in, float* out, auto vectors) HWY_ATTR {
    Vector largest[vectors];
    for (int v = 0; v < vectors; ++v) largest[v] = hn::LoadU(d, in + tile.offsets[0] + v * kLanes);
    for (int t = 1; t < tile.length; ++t) {
      for (int v = 0; v < vectors; ++v) {
        const Vector value = hn::LoadU(d, in + tile.offsets[t] + v * kLanes);
        largest[v] = hn::IfThenElse(hn::Gt(largest[v], value), largest[v], value);
      }
    }
    for (int v = 0; v < vectors; ++v) hn::StoreU(largest[v], d, out + v * kLanes);
  });
}

void sum_integers(const WindowTile<std::int32_t>& tile, const std::int32_t* weights) {
  const Integers di;
  for_each_block(tile, [&](const std::int32_t* in, std::int32_t* out, auto vectors) HWY_ATTR {
    IntegerVector sum[vectors];
    for (int v = 0; v < vectors; ++v) sum[v] = hn::Zero(di);
    for (int t = 0; t < tile.length; ++t) {
      const IntegerVector weight = hn::Set(di, weights[t]);
      for (int v = 0; v < vectors; ++v) {
        sum[v] = hn::Add(sum[v], hn::Mul(hn::LoadU(di, in + tile.offsets[t] + v * kLanes), weight));
      }
    }
    for (int v = 0; v < vectors; ++v) hn::StoreU(sum[v], di, out + v * kLanes);
  });
}

// sum + the products of both pairs of each lane.
HWY_INLINE IntegerVector add_pairs(IntegerVector sum, IntegerVector a, IntegerVector b) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR
  const hn::Repartition<std::int16_t, Integers> halves;
  IntegerVector unused = hn::Zero(Integers());
  // On x86 a lane gets the products of its own pair.
  return hn::ReorderWidenMulAccumulate(Integers(), hn::BitCast(halves, a), hn::BitCast(halves, b),
                                       sum, unused);
#else
  const auto low = [](IntegerVector v)
                       HWY_ATTR { return hn::ShiftRight<16>(hn::ShiftLeft<16>(v)); };
  const auto high = [](IntegerVector v) HWY_ATTR { return hn::ShiftRight<16>(v); };
  const IntegerVector products = hn::Add(hn::Mul(low(a), low(b)), hn::Mul(high(a), high(b)));
  return hn::Add(sum, products);
#endif
}

void sum_pairs(const WindowTile<std::int32_t>& tile, const std::int32_t* weights) {
  const Integers di;
  for_each_block(tile, [&](const std::int32_t* in, std::int32_t* out, auto vectors) HWY_ATTR {
    IntegerVector sum[vectors];
    for (int v = 0; v < vectors; ++v) sum[v] = hn::Zero(di);
    for (int t = 0; t < tile.length; ++t) {
      const IntegerVector weight = hn::Set(di, weights[t]);
      for (int v = 0; v < vectors; ++v)
        sum[v] = add_pairs(sum[v], hn::LoadU(di, in + tile.offsets[t] + v * kLanes), weight);
    }
    for (int v = 0; v < vectors; ++v) hn::StoreU(sum[v], di, out + v * kLanes);
  });
}

void make_pairs(std::int32_t* words, std::int64_t count) {
  const Integers di;
  const auto low_bits = hn::Set(di, 0xFFFF);
  std::int64_t q = 0;
  for (; q + kLanes <= count; q += kLanes) {
    const auto own = hn::And(hn::LoadU(di, words + q), low_bits);
    const auto next = hn::ShiftLeft<16>(hn::LoadU(di, words + q + 1));
    hn::StoreU(hn::Or(own, next), di, words + q);
  }
  for (; q < count; ++q) {
    const auto next = static_cast<std::uint32_t>(words[q + 1]) << 16;
    words[q] = static_cast<std::int32_t>((static_cast<std::uint32_t>(words[q]) & 0xFFFF) | next);
  }
}

void max_integers(const WindowTile<std::int32_t>& tile) {
  const Integers di;
  for_each_block(tile, [&](const std::int32_t* in, std::int32_t* out, auto vectors) HWY_ATTR {
    IntegerVector largest[vectors];
    for (int v = 0; v < vectors; ++v) largest[v] = hn::LoadU(di, in + tile.offsets[0] + v * kLanes);
    for (int t = 1; t < tile.length; ++t) {
      for (int v = 0; v < vectors; ++v)
        largest[v] = hn::Max(largest[v], hn::LoadU(di, in + tile.offsets[t] + v * kLanes));
    }
    for (int v = 0; v < vectors; ++v) hn::StoreU(largest[v], di, out + v * kLanes);
  });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tensorlane
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorlane {

HWY_EXPORT(sum_floats);
HWY_EXPORT(max_floats);
HWY_EXPORT(sum_integers);
HWY_EXPORT(max_integers);
HWY_EXPORT(sum_pairs);
HWY_EXPORT(make_pairs);

void sum_rounded_windows(const WindowTile<float>& tile, const float* weights, float bias,
                         Dtype type) {
  HWY_DYNAMIC_DISPATCH(sum_floats)(tile, weights, bias, type);
}

void max_float_windows(const WindowTile<float>& tile) {
  HWY_DYNAMIC_DISPATCH(max_floats)(tile);
}

void sum_integer_windows(const WindowTile<std::int32_t>& tile, const std::int32_t* weights) {
  HWY_DYNAMIC_DISPATCH(sum_integers)(tile, weights);
}

void sum_pair_windows(const WindowTile<std::int32_t>& tile, const std::int32_t* weights) {
  HWY_DYNAMIC_DISPATCH(sum_pairs)(tile, weights);
}

void pair_neighbours(std::int32_t* words, std::int64_t count) {
  HWY_DYNAMIC_DISPATCH(make_pairs)(words, count);
}

void max_integer_windows(const WindowTile<std::int32_t>& tile) {
  HWY_DYNAMIC_DISPATCH(max_integers)(tile);
}

}  // namespace tensorlane
#endif  // HWY_ONCE
