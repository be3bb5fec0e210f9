#include "half_designs.h"

#define HWY_COMPILE_ONLY_STATIC
#include <hwy/highway.h>
#include <immintrin.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace tensorlane::bench {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::ScalableTag<float>;
using Integers = hn::RebindToSigned<Floats>;
using Shorts = hn::Repartition<std::int16_t, Floats>;
using Doubles = hn::ScalableTag<double>;
using Vector = hn::Vec<Floats>;
using IntegerVector = hn::Vec<Integers>;
using ShortVector = hn::Vec<Shorts>;
using WideVector = hn::Vec<Doubles>;

constexpr int kLanes = static_cast<int>(hn::MaxLanes(Floats()));
constexpr int kVectors = 2;
constexpr int kColumns = kVectors * kLanes;
constexpr int kPartBits = 11;
constexpr int kParts = 1 << kPartBits;  // of a power of two
constexpr int kPowers = 16;             // that logarithms of one operand tell apart
constexpr std::int16_t kLeastLog = -kParts * kPowers / 4;  // too large for what is below
constexpr std::int16_t kToldLog = kParts * kPowers / 2 + kLeastLog;
constexpr std::int16_t kZeroSum = 2 * kLeastLog - 1;
constexpr std::int16_t kNoLog = std::numeric_limits<std::int16_t>::min();

std::int16_t log_of(float number, int base) {
  if (number == 0.0F) return kNoLog;
  const double log = (std::log2(std::abs(static_cast<double>(number))) - base) * kParts;
  return std::max(static_cast<std::int16_t>(std::floor(log)), kLeastLog);
}

std::uint32_t twice(std::int16_t value) {
  return static_cast<std::uint16_t>(value) * 0x00010001U;
}

IntegerVector truncate(Vector value) {
#if HWY_TARGET <= HWY_AVX3
  return IntegerVector{_mm512_cvttps_epi32(value.raw)};
#else
  return IntegerVector{_mm256_cvttps_epi32(value.raw)};
#endif
}

// The halves of a vector of 16-bit numbers, each with sign.
HWY_INLINE void widen(ShortVector value, IntegerVector (&to)[kVectors]) {
  to[0] = hn::PromoteTo(Integers(), hn::LowerHalf(value));
  to[1] = hn::PromoteTo(Integers(), hn::UpperHalf(hn::Half<Shorts>(), value));
}

HWY_INLINE ShortVector spread(const std::uint32_t* pair) {
  return hn::BitCast(Shorts(), hn::Set(hn::Repartition<std::uint32_t, Floats>(), *pair));
}

// In two passes: the sum of a block of one row and vector.
HWY_NOINLINE Vector sum_in_two_passes(const HalfOperand& inputs, const HalfOperand& weights,
                                      int block, int r, int v) {
  const Floats d;
  const Integers di;
  HWY_ALIGN float products[kBlock * kLanes];
  Vector largest = hn::Zero(d);
  for (int k = 0; k < kBlock; ++k) {
    const int step = block * kBlock + k;
    const Vector product =
        hn::Mul(hn::Load(d, inputs.numbers.data() + step * kColumns + v * kLanes),
                hn::Set(d, weights.numbers.data()[step * kRows + r]));
    hn::Store(product, d, products + k * kLanes);
    largest = hn::Max(largest, hn::Abs(product));
  }
  const IntegerVector power = hn::And(hn::BitCast(di, largest), hn::Set(di, 255 << 23));
  const IntegerVector shift =
      hn::Min(hn::Sub(hn::Set(di, (24 + 127) << 23), power), hn::Set(di, 126 << 23));
  const IntegerVector positive = hn::Set(di, std::numeric_limits<std::int32_t>::max());
  const Vector unit = hn::BitCast(d, hn::And(hn::Sub(power, hn::Set(di, 24 << 23)), positive));
  IntegerVector sum = hn::Zero(di);
  for (int k = 0; k < kBlock; ++k) {
    const IntegerVector bits = hn::BitCast(di, hn::Load(d, products + k * kLanes));
    sum = hn::Add(sum, truncate(hn::BitCast(d, hn::Add(bits, shift))));
  }
  return hn::Mul(hn::ConvertTo(d, sum), unit);
}

// Logarithms of the largest products of a block, a vector of 16-bit numbers to a row.
HWY_INLINE void largest_logs(const HalfOperand& inputs, const HalfOperand& weights, int block,
                             ShortVector (&largest)[kRows]) {
  const Shorts d;
  for (auto& row : largest) row = hn::Set(d, kNoLog);
  const std::int16_t* in = inputs.logs.data() + std::ptrdiff_t{block} * kBlock * kColumns;
  const std::uint32_t* weight = weights.log_pairs.data() + std::ptrdiff_t{block} * kBlock * kRows;
#pragma GCC unroll 4
  for (int k = 0; k < kBlock; ++k, in += kColumns, weight += kRows) {
    const ShortVector from = hn::Load(d, in);
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r)
      largest[r] = hn::Max(largest[r], hn::SaturatedAdd(from, spread(weight + r)));
  }
}

// Lanes whose exponents they do not tell: sums of two are too low by less than three parts.
template <class D>
HWY_INLINE auto untold(D d, hn::Vec<D> largest) {
  using T = hn::TFromD<D>;
  const auto inside = hn::And(hn::Add(largest, hn::Set(d, T{2})), hn::Set(d, T{kParts - 2}));
  return hn::Or(hn::Eq(inside, hn::Zero(d)), hn::And(hn::Lt(largest, hn::Set(d, T{kToldLog})),
                                                     hn::Gt(largest, hn::Set(d, T{kZeroSum}))));
}
HWY_INLINE bool tells_exponents(ShortVector largest) {
  return hn::AllFalse(Shorts(), untold(Shorts(), largest));
}

// Exponents E.
HWY_INLINE void exponents_of(ShortVector largest, int base, IntegerVector (&to)[kVectors]) {
  widen(hn::ShiftRight<kPartBits>(largest), to);
  for (auto& exponent : to) exponent = hn::Add(exponent, hn::Set(Integers(), base));
}

// 2^e as a float.
HWY_INLINE Vector power_of_two(IntegerVector e) {
  return hn::BitCast(Floats(), hn::ShiftLeft<23>(hn::Add(e, hn::Set(Integers(), 127))));
}

// Calls sum(block, r, exponents, sums of the row) where logarithms tell exponents.
template <class Sum>
HWY_INLINE void for_each_block(const HalfOperand& inputs, const HalfOperand& weights, float* sums,
                               const Sum& sum) {
  const Floats d;
  std::fill_n(sums, kRows * kColumns, 0.0F);
  for (int block = 0; block < kSteps / kBlock; ++block) {
    ShortVector largest[kRows];
    largest_logs(inputs, weights, block, largest);
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
      Vector of_row[kVectors];
      IntegerVector exponents[kVectors];
      exponents_of(largest[r], inputs.base + weights.base, exponents);
      if (!tells_exponents(largest[r]) || !sum(block, r, exponents, of_row)) {
        for (int v = 0; v < kVectors; ++v)
          of_row[v] = sum_in_two_passes(inputs, weights, block, r, v);
      }
      for (int v = 0; v < kVectors; ++v) {
        float* const to = sums + r * kColumns + v * kLanes;
        hn::Store(hn::Add(hn::Load(d, to), of_row[v]), d, to);
      }
    }
  }
}

}  // namespace

int half_tile_columns() {
  return kColumns;
}

HalfOperand::HalfOperand(int count)
    : places(count),
      numbers(static_cast<std::size_t>(kSteps * count)),
      logs(static_cast<std::size_t>(kSteps * count)),
      log_pairs(static_cast<std::size_t>(kSteps * count)),
      mantissas(static_cast<std::size_t>(kSteps * count)),
      exponents(static_cast<std::size_t>(kSteps * count)),
      signs(static_cast<std::size_t>(kSteps * count)),
      lowest(static_cast<std::size_t>(kSteps * count)),
      lowest_pairs(static_cast<std::size_t>(kSteps * count)),
      wide(static_cast<std::size_t>(kSteps * count)),
      positive(static_cast<std::size_t>(kSteps * count)),
      negative(static_cast<std::size_t>(kSteps * count)) {}

void complete(HalfOperand& operand, int factor) {
  const int count = kSteps * operand.places;
  float largest = 0;
  for (int i = 0; i < count; ++i) largest = std::max(largest, std::abs(operand.numbers.data()[i]));
  operand.base = std::ilogb(largest) + 1 - kPowers / 2;
  for (int i = 0; i < count; ++i) {
    const float number = operand.numbers.data()[i];
    operand.logs.data()[i] = log_of(number, operand.base);
    operand.log_pairs.data()[i] = twice(operand.logs.data()[i]);
    const int exponent = number == 0 ? 0 : std::ilogb(number) - 10;
    const auto mantissa =
        static_cast<std::uint32_t>(std::ldexp(std::abs(number), -exponent));  // of 11 bits
    operand.mantissas.data()[i] = static_cast<std::int32_t>(mantissa) * factor;
    operand.exponents.data()[i] = exponent;
    operand.signs.data()[i] = number < 0 ? -1 : 0;
    operand.lowest.data()[i] =
        static_cast<std::int16_t>(number == 0 ? 1000 : exponent + std::countr_zero(mantissa));
    operand.lowest_pairs.data()[i] = twice(operand.lowest.data()[i]);
    operand.wide.data()[i] = number;
    operand.positive.data()[i] = std::max(number, 0.0F);
    operand.negative.data()[i] = std::max(-number, 0.0F);
  }
}

void cut_mantissas(const HalfOperand& inputs, const HalfOperand& weights, float* sums) {
  const Integers di;
  for_each_block(
      inputs, weights, sums,
      [&](int block, int r, const IntegerVector(&exponents)[kVectors], Vector(&of_row)[kVectors])
          HWY_ATTR {
            IntegerVector sum[kVectors], behind[kVectors];
            for (int v = 0; v < kVectors; ++v) {
              sum[v] = hn::Zero(di);
              behind[v] = hn::Sub(exponents[v], hn::Set(di, 20));
            }
#pragma GCC unroll 4
            for (int k = 0; k < kBlock; ++k) {
              const int step = block * kBlock + k;
              const std::int32_t at = step * kRows + r;
              const IntegerVector mantissa = hn::Set(di, weights.mantissas.data()[at]);
              const IntegerVector exponent = hn::Set(di, weights.exponents.data()[at]);
              const IntegerVector sign = hn::Set(di, weights.signs.data()[at]);
#pragma GCC unroll 2
              for (int v = 0; v < kVectors; ++v) {
                const int place = step * kColumns + v * kLanes;
                const IntegerVector in = hn::Load(di, inputs.mantissas.data() + place);
#if HWY_TARGET <= HWY_AVX3
                const IntegerVector product{_mm512_madd_epi16(in.raw, mantissa.raw)};
#else
                const IntegerVector product{_mm256_madd_epi16(in.raw, mantissa.raw)};
#endif
                const IntegerVector shift = hn::Sub(hn::Sub(behind[v], exponent),
                                                    hn::Load(di, inputs.exponents.data() + place));
                const IntegerVector all = hn::Xor(sign, hn::Load(di, inputs.signs.data() + place));
        // Counts beyond the width shift everything out; Highway's do not say so.
#if HWY_TARGET <= HWY_AVX3
                const IntegerVector cut{_mm512_srlv_epi32(product.raw, shift.raw)};
#else
                const IntegerVector cut{_mm256_srlv_epi32(product.raw, shift.raw)};
#endif
                sum[v] = hn::Add(sum[v], hn::Sub(hn::Xor(cut, all), all));
              }
            }
            for (int v = 0; v < kVectors; ++v)
              of_row[v] = hn::Mul(hn::ConvertTo(Floats(), sum[v]),
                                  power_of_two(hn::Sub(exponents[v], hn::Set(di, 24))));
            return true;
          });
}

template <int kTogether>
HWY_INLINE void cut_rows(const HalfOperand& inputs, const HalfOperand& weights, int block, int row,
                         const ShortVector* largest, float* sums) {
  const Floats d;
  const Integers di;
  IntegerVector exponents[kTogether][kVectors], sum[kTogether][kVectors],
      shift[kTogether][kVectors];
#pragma GCC unroll 4
  for (int r = 0; r < kTogether; ++r) {
    exponents_of(largest[r], inputs.base + weights.base, exponents[r]);
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) {
      sum[r][v] = hn::Zero(di);
      shift[r][v] = hn::ShiftLeft<23>(hn::Sub(hn::Set(di, 24), exponents[r][v]));
    }
  }
  const float* in = inputs.numbers.data() + std::ptrdiff_t{block} * kBlock * kColumns;
  const float* weight = weights.numbers.data() + std::ptrdiff_t{block} * kBlock * kRows + row;
#pragma GCC unroll 4
  for (int k = 0; k < kBlock; ++k, in += kColumns, weight += kRows) {
    Vector x[kVectors];
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) x[v] = hn::Load(d, in + v * kLanes);
#pragma GCC unroll 4
    for (int r = 0; r < kTogether; ++r) {
      const Vector w = hn::Set(d, weight[r]);
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) {
        const Vector product = hn::Mul(x[v], w);
        sum[r][v] = hn::Add(
            sum[r][v], truncate(hn::BitCast(d, hn::Add(hn::BitCast(di, product), shift[r][v]))));
      }
    }
  }
#pragma GCC unroll 4
  for (int r = 0; r < kTogether; ++r) {
    const bool told = tells_exponents(largest[r]);
    IntegerVector logs[kVectors];
    widen(largest[r], logs);
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) {
      const Vector of_block = HWY_LIKELY(told || hn::AllFalse(di, untold(di, logs[v])))
                                  ? hn::Mul(hn::ConvertTo(d, sum[r][v]),
                                            power_of_two(hn::Sub(exponents[r][v], hn::Set(di, 24))))
                                  : sum_in_two_passes(inputs, weights, block, row + r, v);
      float* const to = sums + (row + r) * kColumns + v * kLanes;
      hn::Store(hn::Add(hn::Load(d, to), of_block), d, to);
    }
  }
}

// As many rows at once as registers hold.
constexpr int kTogether = HWY_TARGET <= HWY_AVX3 ? 4 : 2;
void cut_by_logarithms(const HalfOperand& inputs, const HalfOperand& weights, float* sums) {
  std::fill_n(sums, kRows * kColumns, 0.0F);
  for (int block = 0; block < kSteps / kBlock; ++block) {
    ShortVector largest[kRows];
    largest_logs(inputs, weights, block, largest);
    for (int r = 0; r < kRows; r += kTogether)
      cut_rows<kTogether>(inputs, weights, block, r, largest + r, sums);
  }
}

void add_exactly(const HalfOperand& inputs, const HalfOperand& weights, float* sums) {
  const Doubles dd;
  const hn::Rebind<float, Doubles> narrow;
  constexpr int kWideLanes = kLanes / 2;
  HWY_ALIGN float row[kColumns];
  const Floats d;
  for_each_block(
      inputs, weights, sums,
      [&](int block, int r, const IntegerVector(&exponents)[kVectors], Vector(&of_row)[kVectors])
          HWY_ATTR {
            const Shorts ds;
            ShortVector least = hn::Set(ds, 1000);
#pragma GCC unroll 4
            for (int k = 0; k < kBlock; ++k) {
              const int step = block * kBlock + k;
              const ShortVector lowest = hn::Load(ds, inputs.lowest.data() + step * kColumns);
              least = hn::Min(
                  least, hn::Add(lowest, spread(weights.lowest_pairs.data() + step * kRows + r)));
            }
            IntegerVector lowest[kVectors];
            widen(least, lowest);
            const Integers di;
            for (int v = 0; v < kVectors; ++v) {
              if (!hn::AllFalse(di, hn::Lt(lowest[v], hn::Sub(exponents[v], hn::Set(di, 24)))))
                return false;
            }
            WideVector sum[2 * kVectors];
            for (auto& each : sum) each = hn::Zero(dd);
#pragma GCC unroll 4
            for (int k = 0; k < kBlock; ++k) {
              const int step = block * kBlock + k;
              const WideVector w = hn::Set(dd, weights.wide.data()[step * kRows + r]);
#pragma GCC unroll 4
              for (int v = 0; v < 2 * kVectors; ++v)
                sum[v] = hn::MulAdd(
                    hn::Load(dd, inputs.wide.data() + step * kColumns + v * kWideLanes), w, sum[v]);
            }
#pragma GCC unroll 4
            for (int v = 0; v < 2 * kVectors; ++v)
              hn::Store(hn::DemoteTo(narrow, sum[v]), narrow, row + v * kWideLanes);
            for (int v = 0; v < kVectors; ++v) of_row[v] = hn::Load(d, row + v * kLanes);
            return true;
          });
}

void cut_by_adding(const HalfOperand& inputs, const HalfOperand& weights, float* sums) {
  const Doubles dd;
  const Floats d;
  const hn::Rebind<float, Doubles> narrow;
  const hn::Rebind<std::int32_t, Doubles> narrow_integers;
  const hn::RebindToSigned<Doubles> wide_integers;
  constexpr int kWideLanes = kLanes / 2;
  HWY_ALIGN std::int32_t row_exponents[kColumns];
  HWY_ALIGN float row[kColumns];
  for_each_block(inputs, weights, sums,
                 [&](int block, int r, const IntegerVector(&exponents)[kVectors],
                     Vector(&of_row)[kVectors]) HWY_ATTR {
                   for (int v = 0; v < kVectors; ++v)
                     hn::Store(exponents[v], Integers(), row_exponents + v * kLanes);
                   WideVector start[2 * kVectors], above[2 * kVectors], below[2 * kVectors];
#pragma GCC unroll 4
                   for (int v = 0; v < 2 * kVectors; ++v) {
                     const auto e = hn::PromoteTo(
                         wide_integers, hn::Load(narrow_integers, row_exponents + v * kWideLanes));
                     // 2^(E-24) is the last bit of 2^(E-24+52).
                     start[v] = hn::BitCast(
                         dd, hn::ShiftLeft<52>(hn::Add(e, hn::Set(wide_integers, 1023 - 24 + 52))));
                     above[v] = start[v];
                     below[v] = start[v];
                   }
                   const unsigned mode = _mm_getcsr();
                   _mm_setcsr(mode | _MM_ROUND_TOWARD_ZERO);
#pragma GCC unroll 4
                   for (int k = 0; k < kBlock; ++k) {
                     const int step = block * kBlock + k;
                     const double weight = weights.wide.data()[step * kRows + r];
                     const double* planes[] = {inputs.positive.data(), inputs.negative.data()};
                     const int flipped = weights.signs.data()[step * kRows + r] & 1;
                     const double* const up = planes[flipped] + step * kColumns;
                     const double* const down = planes[1 - flipped] + step * kColumns;
                     const WideVector w = hn::Abs(hn::Set(dd, weight));
#pragma GCC unroll 4
                     for (int v = 0; v < 2 * kVectors; ++v) {
                       above[v] = hn::MulAdd(hn::Load(dd, up + v * kWideLanes), w, above[v]);
                       below[v] = hn::MulAdd(hn::Load(dd, down + v * kWideLanes), w, below[v]);
                     }
                   }
                   _mm_setcsr(mode);
#pragma GCC unroll 4
                   for (int v = 0; v < 2 * kVectors; ++v)
                     hn::Store(hn::DemoteTo(narrow, hn::Sub(above[v], below[v])), narrow,
                               row + v * kWideLanes);
                   for (int v = 0; v < kVectors; ++v) of_row[v] = hn::Load(d, row + v * kLanes);
                   return true;
                 });
}

}  // namespace tensorlane::bench
