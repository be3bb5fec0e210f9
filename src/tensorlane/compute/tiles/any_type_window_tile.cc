#include "tensorlane/compute/tiles/any_type_window_tile.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "tensorlane/base/simd_targets.h"
#include "tensorlane/compute/float_maximum.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/compute/tiles/any_type_window_tile.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "tensorlane/compute/tiles/window_blocks_inl.h"

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

constexpr int kLanes = kWindowLanes;

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

// kProducts: of inputs that are products already.
template <class Round, bool kProducts>
struct RoundedSums {
  const float* weights;
  ChainStarts starts;

  // sum + the product of position t, both rounded. What is added to zero, kFirst, needs no
  // rounding.
  template <int kCount, bool kFirst = false>
  HWY_INLINE void add(const WindowTile<float>& tile, std::int64_t q, int t,
                      Vector (&sum)[kCount]) const {
    const Floats d;
    const Round round;
    const float* in = tile.inputs + q + tile.offsets[t];
    const Vector w = hn::Set(d, kProducts ? 1.0F : weights[t]);
#pragma GCC unroll 4
    for (int v = 0; v < kCount; ++v) {
      const Vector input = hn::LoadU(d, in + v * kLanes);
      const Vector next = hn::Add(sum[v], kProducts ? input : round(hn::Mul(input, w)));
      sum[v] = kFirst ? next : round(next);
    }
  }

#if HWY_TARGET <= HWY_AVX3
  // The same of positions t to t + 2, whose inputs are neighbours: what lies between two vectors is
  // made of them. Loads that cross lines cost twice, and of 64 bytes all but one in sixteen do.
  template <int kCount>
  HWY_INLINE void add_three(const WindowTile<float>& tile, std::int64_t q, int t,
                            Vector (&outer)[kCount], Vector (&inner)[kCount]) const {
    const Floats d;
    const float* in = tile.inputs + q + tile.offsets[t];
    constexpr int kLast = (kCount - 1) * kLanes;
    Vector input[kCount];
#pragma GCC unroll 4
    for (int v = 0; v < kCount; ++v) input[v] = hn::LoadU(d, in + v * kLanes);
    const Vector last[] = {hn::LoadU(d, in + kLast + 1), hn::LoadU(d, in + kLast + 2)};
    const auto term = [&](Vector x, int k) HWY_ATTR {
      return kProducts ? x : hn::Mul(x, hn::Set(d, weights[t + k]));
    };
#pragma GCC unroll 4
    for (int v = 0; v < kCount; ++v) {
      const bool is_last = v + 1 == kCount;
      const Vector one =
          is_last ? last[0] : between<1>(input[v], input[std::min(v + 1, kCount - 1)]);
      const Vector two =
          is_last ? last[1] : between<2>(input[v], input[std::min(v + 1, kCount - 1)]);
      outer[v] = hn::Add(outer[v], term(input[v], 0));
      inner[v] = hn::Add(inner[v], term(one, 1));
      outer[v] = hn::Add(outer[v], term(two, 2));
    }
  }
  // The vector that begins kPlaces behind the first one.
  template <int kPlaces>
  static HWY_INLINE Vector between(Vector first, Vector second) {
    const __m512i joined = _mm512_alignr_epi32(_mm512_castps_si512(second.raw),
                                               _mm512_castps_si512(first.raw), kPlaces);
    return Vector{_mm512_castsi512_ps(joined)};
  }
  static bool are_neighbours(const WindowTile<float>& tile, int t) {
    return t + 2 < tile.length && tile.offsets[t + 1] == tile.offsets[t] + 1 &&
           tile.offsets[t + 2] == tile.offsets[t] + 2;
  }
#endif

  // The products of all positions, those of even ones and those of odd ones.
  template <int kCount>
  HWY_INLINE void add_all(const WindowTile<float>& tile, std::int64_t q, Vector (&even)[kCount],
                          Vector (&odd)[kCount]) const {
    int t = 0;
    if constexpr (!std::is_same_v<Round, KeepFp32>) {
      if (tile.length > 1 && starts.first == 0 && starts.second == 0) {
        add<kCount, true>(tile, q, t++, even);
        add<kCount, true>(tile, q, t++, odd);
      }
    }
    while (t < tile.length) {
#if HWY_TARGET <= HWY_AVX3
      if constexpr (kCount > 1 && std::is_same_v<Round, KeepFp32>) {  // others wait for rounding
        if (are_neighbours(tile, t)) {
          t % 2 == 0 ? add_three(tile, q, t, even, odd) : add_three(tile, q, t, odd, even);
          t += 3;
          continue;
        }
      }
#endif
      t % 2 == 0 ? add(tile, q, t, even) : add(tile, q, t, odd);
      ++t;
    }
  }

  template <int kCount>
  HWY_INLINE void block(const WindowTile<float>& tile, std::int64_t q) const {
    const Floats d;
    Vector even[kCount];
    Vector odd[kCount];
#pragma GCC unroll 4
    for (int v = 0; v < kCount; ++v) {
      even[v] = hn::Set(d, starts.first);
      odd[v] = hn::Set(d, starts.second);
    }
    add_all(tile, q, even, odd);
#pragma GCC unroll 4
    for (int v = 0; v < kCount; ++v) {
      Vector sum = Round()(hn::Add(even[v], odd[v]));
      if (starts.last != nullptr) sum = Round()(hn::Add(sum, hn::Set(d, *starts.last)));
      hn::StoreU(sum, d, tile.out + q + v * kLanes);
    }
  }
};

// f(the rounding to a type)
template <class F>
HWY_INLINE void with_rounding(Dtype type, const F& f) {
  if (type == Dtype::kFp16) return f(ToFp16());
  if (type == Dtype::kBf16) return f(ToBf16());
  f(KeepFp32());
}

void sum_floats(const WindowTile<float>& tile, const float* weights, const ChainStarts& starts,
                Dtype type) {
  with_rounding(type, [&](auto round) HWY_ATTR {
    for_each_block(tile, RoundedSums<decltype(round), false>{weights, starts});
  });
}

void sum_products(const WindowTile<float>& tile, const ChainStarts& starts, Dtype type) {
  with_rounding(type, [&](auto round) HWY_ATTR {
    for_each_block(tile, RoundedSums<decltype(round), true>{nullptr, starts});
  });
}

// Whole vectors: up to kWindowSlack words behind the last may change.
void scale_words(float* words, std::int64_t count, float weight, Dtype type) {
  with_rounding(type, [&](auto round) HWY_ATTR {
    const Floats d;
    const Vector w = hn::Set(d, weight);
    for (std::int64_t q = 0; q < count; q += kLanes)
      hn::StoreU(round(hn::Mul(hn::LoadU(d, words + q), w)), d, words + q);
  });
}

HWY_INLINE Vector larger(Vector a, Vector b) {
  return hn::IfThenElse(hn::Gt(a, b), a, b);
}
HWY_INLINE IntegerVector larger(IntegerVector a, IntegerVector b) {
  return hn::Max(a, b);
}

// Zeros of the same sign for denormal numbers, by their bits: no NaN becomes quiet.
HWY_INLINE Vector without_denormals(Vector value) {
  const Floats d;
  const Bits du;
  const auto size = hn::BitCast(du, hn::Abs(value));
  const auto is_small = hn::RebindMask(d, hn::Lt(size, hn::Set(du, 0x00800000U)));
  return hn::IfThenElse(is_small, hn::And(value, hn::Set(d, -0.0F)), value);
}

template <class D, bool kFlush = false, bool kNanLoses = false>
struct Maxima {
  using Word = hn::TFromD<D>;
  Word least;  // what the comparison starts with

  template <int kCount>
  HWY_INLINE void block(const WindowTile<Word>& tile, std::int64_t q) const {
    const D d;
    const Word* in = tile.inputs + q;
    hn::Vec<D> largest[kCount];
#pragma GCC unroll 4
    for (int v = 0; v < kCount; ++v) largest[v] = hn::Set(d, least);
    for (int t = 0; t < tile.length; ++t) {
#pragma GCC unroll 4
      for (int v = 0; v < kCount; ++v) {
        const auto value = hn::LoadU(d, in + tile.offsets[t] + v * kLanes);
        largest[v] = kNanLoses ? larger(value, largest[v]) : larger(largest[v], value);
      }
    }
#pragma GCC unroll 4
    for (int v = 0; v < kCount; ++v) {
      if constexpr (kFlush) largest[v] = without_denormals(largest[v]);
      hn::StoreU(largest[v], d, tile.out + q + v * kLanes);
    }
  }
};

void max_floats(const WindowTile<float>& tile, Dtype type, bool nan_loses) {
  const float least = least_float(type);
  const bool flush = type == Dtype::kFp32;
  if (nan_loses && flush) return for_each_block(tile, Maxima<Floats, true, true>{least});
  if (nan_loses) return for_each_block(tile, Maxima<Floats, false, true>{least});
  if (flush) return for_each_block(tile, Maxima<Floats, true>{least});
  for_each_block(tile, Maxima<Floats>{least});
}

void max_integers(const WindowTile<std::int32_t>& tile) {
  for_each_block(tile, Maxima<Integers>{INT32_MIN});
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

HWY_INLINE IntegerVector add_words(IntegerVector sum, IntegerVector a, IntegerVector b) {
  return hn::Add(sum, hn::Mul(a, b));
}

template <bool kPairs>
struct IntegerSums {
  const std::int32_t* weights;

  template <int kCount>
  HWY_INLINE void block(const WindowTile<std::int32_t>& tile, std::int64_t q) const {
    const Integers d;
    IntegerVector sum[kCount];
#pragma GCC unroll 4
    for (int v = 0; v < kCount; ++v) sum[v] = hn::Zero(d);
    for (int t = 0; t < tile.length; ++t) {
      const IntegerVector weight = hn::Set(d, weights[t]);
      const std::int32_t* in = tile.inputs + q + tile.offsets[t];
#pragma GCC unroll 4
      for (int v = 0; v < kCount; ++v) {
        const IntegerVector input = hn::LoadU(d, in + v * kLanes);
        sum[v] = kPairs ? add_pairs(sum[v], input, weight) : add_words(sum[v], input, weight);
      }
    }
#pragma GCC unroll 4
    for (int v = 0; v < kCount; ++v) hn::StoreU(sum[v], d, tile.out + q + v * kLanes);
  }
};

void sum_integers(const WindowTile<std::int32_t>& tile, const std::int32_t* weights) {
  for_each_block(tile, IntegerSums<false>{weights});
}

void sum_pairs(const WindowTile<std::int32_t>& tile, const std::int32_t* weights) {
  for_each_block(tile, IntegerSums<true>{weights});
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

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tensorlane
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorlane {

HWY_EXPORT(sum_floats);
HWY_EXPORT(sum_products);
HWY_EXPORT(scale_words);
HWY_EXPORT(max_floats);
HWY_EXPORT(sum_integers);
HWY_EXPORT(max_integers);
HWY_EXPORT(sum_pairs);
HWY_EXPORT(make_pairs);

void sum_rounded_windows(const WindowTile<float>& tile, const float* weights,
                         const ChainStarts& starts, Dtype type) {
  HWY_DYNAMIC_DISPATCH(sum_floats)(tile, weights, starts, type);
}

void scale_rounded(float* words, std::int64_t count, float weight, Dtype type) {
  HWY_DYNAMIC_DISPATCH(scale_words)(words, count, weight, type);
}

void sum_rounded_products(const WindowTile<float>& tile, const ChainStarts& starts, Dtype type) {
  HWY_DYNAMIC_DISPATCH(sum_products)(tile, starts, type);
}

void max_float_windows(const WindowTile<float>& tile, Dtype type, bool nan_loses) {
  HWY_DYNAMIC_DISPATCH(max_floats)(tile, type, nan_loses);
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
