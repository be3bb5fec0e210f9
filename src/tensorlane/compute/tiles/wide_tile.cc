#include "tensorlane/compute/tiles/wide_tile.h"

#include <algorithm>
#include <cstring>

#include "tensorlane/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/compute/tiles/wide_tile.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "tensorlane/compute/rounding_shift_inl.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using WideInts = hn::ScalableTag<std::int64_t>;
using WideBits = hn::ScalableTag<std::uint64_t>;
using WideNumbers = hn::ScalableTag<double>;
using WideWord = hn::Vec<WideBits>;
constexpr int kWideLanes = static_cast<int>(hn::MaxLanes(WideBits()));

#if HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64  // 32 registers
constexpr int kWideVectors = 4;
// More rows of fewer columns: on Zen 5 half of its multiplications wait where a factor of a row
// comes with four of them.
constexpr int kIntegerVectors = 2, kIntegerRows = 8;
#else
constexpr int kWideVectors = 2;
constexpr int kIntegerVectors = 2, kIntegerRows = 4;
#endif
constexpr int kNumberRows = 4;

// Of fp64 numbers.
struct NumberColumns {
  static constexpr int kParts = 1;  // vectors of sums to a vector of columns
  static constexpr int kVectors = kWideVectors, kMostRows = kNumberRows;
  static constexpr int kLanes = kWideLanes;
  using D = WideNumbers;
  struct Factor {
    hn::Vec<D> value;
  };
  static HWY_INLINE Factor load(const WideTile& tile, std::ptrdiff_t at) {
    return {hn::BitCast(D(), hn::LoadU(WideBits(), tile.right + at))};
  }
  // One rounding or two: both are exact.
  static HWY_INLINE void add(hn::Vec<D> (&sums)[kParts], std::uint64_t left, const Factor& right) {
    sums[0] = hn::MulAdd(hn::BitCast(D(), hn::Set(WideBits(), left)), right.value, sums[0]);
  }
  static HWY_INLINE void store(const hn::Vec<D> (&sums)[kParts], std::int64_t* to) {
    hn::StoreU(hn::ConvertTo(WideInts(), sums[0]), WideInts(), to);
  }
};

#if HWY_TARGET == HWY_SCALAR
template <class Half>
struct IntegerColumns {
  static constexpr int kParts = 1;
  static constexpr int kVectors = kIntegerVectors, kMostRows = kIntegerRows;
  static constexpr int kLanes = 1;
  using D = WideBits;
  using Factor = std::uint64_t;
  static Factor load(const WideTile& tile, std::ptrdiff_t at) {
    return widen(tile.right_integers[at]);
  }
  static void add(hn::Vec<D> (&sums)[kParts], std::uint64_t left, Factor right) {
    sums[0] = hn::Add(sums[0], hn::Set(D(), widen(left) * right));
  }
  static void store(const hn::Vec<D> (&sums)[kParts], std::int64_t* to) {
    *to = static_cast<std::int64_t>(hn::GetLane(sums[0]));
  }

 private:
  template <class Word>
  static std::uint64_t widen(Word word) {
    return static_cast<std::uint64_t>(static_cast<Half>(word));
  }
};
#else
// Of integers: the sums of even and of odd columns.
template <class Half>
struct IntegerColumns {
  static constexpr int kParts = 2;
  static constexpr int kVectors = kIntegerVectors / kParts, kMostRows = kIntegerRows;
  static constexpr int kLanes = 2 * kWideLanes;
  using D = WideBits;
  using Halves = hn::Repartition<Half, D>;
  struct Factor {
    WideWord even, odd;
  };
  static HWY_INLINE Factor load(const WideTile& tile, std::ptrdiff_t at) {
    const hn::Repartition<std::int32_t, D> words;
    const WideWord both = hn::BitCast(D(), hn::LoadU(words, tile.right_integers + at));
    return {both, hn::ShiftRight<32>(both)};
  }
  static HWY_INLINE void add(WideWord (&sums)[kParts], std::uint64_t left, const Factor& right) {
    const WideWord factor = hn::Set(D(), left);
    sums[0] = hn::Add(sums[0], product(factor, right.even));
    sums[1] = hn::Add(sums[1], product(factor, right.odd));
  }
  static HWY_INLINE void store(const WideWord (&sums)[kParts], std::int64_t* to) {
    auto* const words = reinterpret_cast<std::uint64_t*>(to);
    hn::StoreU(sums[0], D(), words);
    hn::StoreU(sums[1], D(), words + kWideLanes);
  }

 private:
  static HWY_INLINE WideWord product(WideWord a, WideWord b) {
    return hn::BitCast(D(), hn::MulEven(hn::BitCast(Halves(), a), hn::BitCast(Halves(), b)));
  }
};
#endif

template <WideFactors kFactors>
struct ColumnsOf;
template <>
struct ColumnsOf<WideFactors::kFp64> : NumberColumns {};
template <>
struct ColumnsOf<WideFactors::kSigned> : IntegerColumns<std::int32_t> {};
template <>
struct ColumnsOf<WideFactors::kUnsigned> : IntegerColumns<std::uint32_t> {};

// kRows rows from `row` on by columns of kVectors vectors from `first` on. Unrolled loops keep
// their sums in registers.
template <class Columns, int kRows, int kVectors>
HWY_INLINE void multiply_strip(const WideTile& tile, int row, int first) {
  using D = typename Columns::D;
  hn::Vec<D> sums[kRows][kVectors][Columns::kParts];
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
#pragma GCC unroll 2
      for (auto& part : sums[r][v]) part = hn::Zero(D());
    }
  }
  const std::uint64_t* const left = tile.left + std::ptrdiff_t{row} * tile.inner;
  std::ptrdiff_t at = first;
  for (int k = 0; k < tile.inner; ++k, at += tile.columns) {
    typename Columns::Factor right[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) right[v] = Columns::load(tile, at + v * Columns::kLanes);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const std::uint64_t factor = left[std::ptrdiff_t{r} * tile.inner + k];
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) Columns::add(sums[r][v], factor, right[v]);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    std::int64_t* to = tile.sums + std::ptrdiff_t{row + r} * tile.columns + first;
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) Columns::store(sums[r][v], to + v * Columns::kLanes);
  }
}

template <class Columns, int kRows>
void multiply_rows(const WideTile& tile, int row) {
  constexpr int kVectors = Columns::kVectors, kStrip = kVectors * Columns::kLanes;
  int first = 0;
  for (; first + kStrip <= tile.columns; first += kStrip)
    multiply_strip<Columns, kRows, kVectors>(tile, row, first);
  if constexpr (kWideColumns % kStrip != 0) {
    static_assert(2 * kWideColumns == kStrip);
    if (first < tile.columns) multiply_strip<Columns, kRows, kVectors / 2>(tile, row, first);
  }
}

// Rows from `row` on, kRows at a time, then half as many.
template <class Columns, int kRows = Columns::kMostRows>
void multiply_rows_from(const WideTile& tile, int row) {
  for (; row + kRows <= tile.rows; row += kRows) multiply_rows<Columns, kRows>(tile, row);
  if constexpr (kRows > 1) multiply_rows_from<Columns, kRows / 2>(tile, row);
}

void multiply_wide(const WideTile& tile) {
  switch (tile.factors) {
    case WideFactors::kFp64:
      return multiply_rows_from<ColumnsOf<WideFactors::kFp64>>(tile, 0);
    case WideFactors::kSigned:
      return multiply_rows_from<ColumnsOf<WideFactors::kSigned>>(tile, 0);
    case WideFactors::kUnsigned:
      return multiply_rows_from<ColumnsOf<WideFactors::kUnsigned>>(tile, 0);
  }
}

// f of vectors of 32 bits as words, the rest of them from a buffer.
template <class Half, class F>
HWY_INLINE void map_to_wide(const std::int32_t* from, std::int64_t count, std::uint64_t* to,
                            const F& f) {
  const hn::Rebind<Half, WideBits> narrow;
  const auto* halves = reinterpret_cast<const Half*>(from);
  std::int64_t i = 0;
  for (; i + kWideLanes <= count; i += kWideLanes)
    hn::StoreU(f(hn::LoadU(narrow, halves + i)), WideBits(), to + i);
  if (i == count) return;
  Half rest[kWideLanes] = {};
  std::uint64_t words[kWideLanes];
  const auto left = static_cast<std::size_t>(count - i);
  std::memcpy(rest, halves + i, left * sizeof(Half));
  hn::StoreU(f(hn::LoadU(narrow, rest)), WideBits(), words);
  std::memcpy(to + i, words, left * sizeof(std::uint64_t));
}

int group_of(WideFactors factors) {
  return factors == WideFactors::kFp64 || HWY_TARGET == HWY_SCALAR ? 1 : 2 * kWideLanes;
}

void widen_to_wide(const std::int32_t* from, std::int64_t count, WideFactors factors,
                   std::uint64_t* to) {
  const WideBits bits;
  switch (factors) {
    case WideFactors::kFp64:
      return map_to_wide<std::int32_t>(from, count, to, [&](auto half) HWY_ATTR {
        return hn::BitCast(bits, hn::PromoteTo(WideNumbers(), half));
      });
    case WideFactors::kSigned:
      return map_to_wide<std::int32_t>(from, count, to, [&](auto half) HWY_ATTR {
        return hn::BitCast(bits, hn::PromoteTo(WideInts(), half));
      });
    case WideFactors::kUnsigned:
      return map_to_wide<std::uint32_t>(
          from, count, to, [&](auto half) HWY_ATTR { return hn::PromoteTo(bits, half); });
  }
}

// Shifts to the right whose rounding looks at nothing but what is shifted out, or whether what
// stays is odd; any others.
enum class ShiftKind : std::uint8_t { kPlain, kOdd, kAny };

// Shifts of the lanes.
template <ShiftKind kKind, WideEnd kEnd>
class WideShift {
 public:
  HWY_INLINE WideShift(RoundingMode mode, hn::Vec<WideInts> shift)
      : right_(hn::Max(hn::Neg(shift), hn::Zero(WideInts()))),
        left_(hn::Max(shift, hn::Zero(WideInts()))),
        shifted_sign_(hn::BitCast(WideInts(), hn::Shr(sign(), hn::BitCast(WideBits(), right_)))),
        threshold_(mode, hn::Sub(hn::Shl(hn::Set(WideInts(), 1), right_), hn::Set(WideInts(), 1))) {
  }

  // Shifted sums, of which the low halves are kept.
  HWY_INLINE hn::Vec<WideInts> of(hn::Vec<WideInts> sum) const { return limited(shifted(sum)); }
  // Those halves.
  HWY_INLINE auto halves(hn::Vec<WideInts> sum) const {
    using Low = hn::Rebind<std::uint32_t, WideBits>;
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
    // By instructions that narrow to the nearest number.
    if constexpr (kEnd == WideEnd::kInt32)
      return hn::Vec<Low>{_mm512_cvtsepi64_epi32(shifted(sum).raw)};
    if constexpr (kEnd == WideEnd::kUint32)
      return hn::Vec<Low>{_mm512_cvtusepi64_epi32(shifted(sum).raw)};
#endif
    return hn::TruncateTo(Low(), hn::BitCast(WideBits(), of(sum)));
  }

 private:
  HWY_INLINE hn::Vec<WideInts> shifted(hn::Vec<WideInts> sum) const {
    const auto floor = right(sum);
    if constexpr (kKind == ShiftKind::kPlain) return threshold_.round_plainly(sum, floor);
    if constexpr (kKind == ShiftKind::kOdd) return threshold_.round_by_oddness(sum, floor);
    return hn::Shl(threshold_.round(sum, floor), left_);
  }
  HWY_INLINE hn::Vec<WideInts> right(hn::Vec<WideInts> sum) const {
    constexpr bool kHasShift = HWY_TARGET <= HWY_AVX3 || !HWY_ARCH_X86;  // of numbers with sign
    if constexpr (kEnd != WideEnd::kUint32 && kHasShift) return hn::Shr(sum, right_);
    const auto bits = hn::BitCast(WideBits(), sum), places = hn::BitCast(WideBits(), right_);
    if constexpr (kEnd == WideEnd::kUint32) return hn::BitCast(WideInts(), hn::Shr(bits, places));
    // As numbers without sign, all as much larger.
    const auto larger = hn::Shr(hn::Xor(bits, sign()), places);
    return hn::Sub(hn::BitCast(WideInts(), larger), shifted_sign_);
  }
  static HWY_INLINE WideWord sign() {
    return hn::Set(WideBits(), std::uint64_t{1} << 63U);
  }
  static HWY_INLINE hn::Vec<WideInts> limited(hn::Vec<WideInts> value) {
    const WideInts d;
    if constexpr (kEnd == WideEnd::kLowBits) return value;
    if constexpr (kEnd == WideEnd::kInt32)
      return hn::Min(hn::Max(value, hn::Set(d, INT32_MIN)), hn::Set(d, INT32_MAX));
#if HWY_TARGET <= HWY_AVX3 || !HWY_ARCH_X86
    const auto bits = hn::BitCast(WideBits(), value);
    return hn::BitCast(d, hn::Min(bits, hn::Set(WideBits(), UINT32_MAX)));
#else
    // All bits of the low half where the high one has any.
    const auto high = hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(WideBits(), value)));
    return hn::Or(value, hn::VecFromMask(d, hn::Gt(high, hn::Zero(d))));
#endif
  }

  const hn::Vec<WideInts> right_, left_, shifted_sign_;
  const RoundingThreshold<WideInts> threshold_;
};

#if HWY_TARGET != HWY_SCALAR
// The low halves of the sums of even and of odd columns, as the columns follow each other.
HWY_INLINE auto merged(hn::Vec<WideInts> even, hn::Vec<WideInts> odd) {
  const hn::Repartition<std::uint32_t, WideInts> d;
  return hn::OddEven(hn::BitCast(d, hn::ShiftLeft<32>(odd)), hn::BitCast(d, even));
}
#endif

template <ShiftKind kKind, WideEnd kEnd>
void shift_sums_by(const WideShifts& all, RoundingMode mode) {
  using Shift = WideShift<kKind, kEnd>;
  const WideInts d;
  auto* const words = reinterpret_cast<std::uint32_t*>(all.to);
  const std::ptrdiff_t pitch = all.columns;
  // Each `step` sums by a shift for the first vector of them and one for the last.
  const auto shift_all = [&](int step, const auto& shift) HWY_ATTR {
    if (all.shifts_are_one) {
      const Shift one(mode, hn::Set(d, *all.shifts));
      for (std::ptrdiff_t at = 0; at < all.rows * pitch; at += step) shift(one, one, at);
      return;
    }
    for (int i = 0; i < all.columns; i += step) {
      const Shift first(mode, hn::LoadU(d, all.shifts + i));
      const Shift last(mode, hn::LoadU(d, all.shifts + i + step - kWideLanes));
      for (int r = 0; r < all.rows; ++r) shift(first, last, r * pitch + i);
    }
  };
#if HWY_TARGET != HWY_SCALAR
  if (all.splits) {
    const hn::Repartition<std::uint32_t, WideInts> pairs;
    shift_all(2 * kWideLanes, [&](const Shift& even, const Shift& odd, std::ptrdiff_t at) HWY_ATTR {
      const std::int64_t* const sums = all.sums + at;
      const auto words_of =
          merged(even.of(hn::LoadU(d, sums)), odd.of(hn::LoadU(d, sums + kWideLanes)));
      hn::StoreU(words_of, pairs, words + at);
    });
    return;
  }
#endif
  const hn::Rebind<std::uint32_t, WideBits> low;
  shift_all(kWideLanes, [&](const Shift& shift, const Shift&, std::ptrdiff_t at) HWY_ATTR {
    hn::StoreU(shift.halves(hn::LoadU(d, all.sums + at)), low, words + at);
  });
}

template <WideEnd kEnd>
void shift_sums_to(const WideShifts& all, RoundingMode mode) {
  const ShiftRounding rounding = shift_rounding(mode);
  if (all.left || rounding.looks_at_sign()) {
    shift_sums_by<ShiftKind::kAny, kEnd>(all, mode);
  } else if (rounding.is_plain()) {
    shift_sums_by<ShiftKind::kPlain, kEnd>(all, mode);
  } else {
    shift_sums_by<ShiftKind::kOdd, kEnd>(all, mode);
  }
}

// The mode that rounds a number without sign as the given one rounds positive numbers, and which
// does not look at signs.
RoundingMode without_sign(RoundingMode mode) {
  if (mode == RoundingMode::kHalfAwayFromZero) return RoundingMode::kHalfUp;
  return mode == RoundingMode::kTowardsZero ? RoundingMode::kDown : mode;
}

void shift_sums(const WideShifts& all) {
  switch (all.end) {
    case WideEnd::kLowBits:
      return shift_sums_to<WideEnd::kLowBits>(all, all.mode);
    case WideEnd::kInt32:
      return shift_sums_to<WideEnd::kInt32>(all, all.mode);
    case WideEnd::kUint32:
      return shift_sums_to<WideEnd::kUint32>(all, without_sign(all.mode));
  }
}

void add_digits(const std::int32_t* const* sums, int count, std::int64_t term,
                const std::int64_t* terms, int columns, std::int64_t* to) {
  const WideInts d;
  const hn::Rebind<std::int32_t, WideInts> narrow;
  for (int i = 0; i < columns; i += kWideLanes) {
    auto sum = hn::Zero(d);
    for (int digit = count - 1; digit >= 0; --digit)
      sum = hn::Add(hn::ShiftLeft<8>(sum), hn::PromoteTo(d, hn::LoadU(narrow, sums[digit] + i)));
    hn::StoreU(hn::Add(hn::Add(sum, hn::Set(d, term)), hn::LoadU(d, terms + i)), d, to + i);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tensorlane
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorlane {

HWY_EXPORT(multiply_wide);
HWY_EXPORT(group_of);
HWY_EXPORT(widen_to_wide);
HWY_EXPORT(shift_sums);
HWY_EXPORT(add_digits);

void make_wide_words(const std::int32_t* from, std::int64_t count, WideFactors factors,
                     std::uint64_t* to) {
  HWY_DYNAMIC_DISPATCH(widen_to_wide)(from, count, factors, to);
}

int wide_group(WideFactors factors) {
  return HWY_DYNAMIC_DISPATCH(group_of)(factors);
}

void run_wide_tile(const WideTile& tile) {
  HWY_DYNAMIC_DISPATCH(multiply_wide)(tile);
}

void shift_wide_sums(const WideShifts& shifts) {
  HWY_DYNAMIC_DISPATCH(shift_sums)(shifts);
}

void add_digit_sums(const std::int32_t* const* sums, int count, std::int64_t term,
                    const std::int64_t* terms, int columns, std::int64_t* to) {
  HWY_DYNAMIC_DISPATCH(add_digits)(sums, count, term, terms, columns, to);
}

}  // namespace tensorlane
#endif  // HWY_ONCE
