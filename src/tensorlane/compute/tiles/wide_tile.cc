#include "tensorlane/compute/tiles/wide_tile.h"

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
#else
constexpr int kWideVectors = 2;
#endif

// Of fp64 numbers.
struct NumberColumns {
  static constexpr int kParts = 1;  // vectors of sums to a vector of columns
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
    hn::StoreInterleaved2(sums[0], sums[1], D(), reinterpret_cast<std::uint64_t*>(to));
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

// Vectors of sums of a row that stay in registers.
template <class Columns>
constexpr int vectors_of() {
  return kWideVectors / Columns::kParts > 0 ? kWideVectors / Columns::kParts : 1;
}

// kRows rows by columns of kVectors vectors, from column `first` on. Unrolled loops keep their sums
// in registers.
template <class Columns, int kRows, int kVectors>
HWY_INLINE void multiply_strip(const WideTile& tile, int first) {
  using D = typename Columns::D;
  hn::Vec<D> sums[kRows][kVectors][Columns::kParts];
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
#pragma GCC unroll 2
      for (auto& part : sums[r][v]) part = hn::Zero(D());
    }
  }
  std::ptrdiff_t at = first;
  for (int k = 0; k < tile.inner; ++k, at += tile.columns) {
    typename Columns::Factor right[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) right[v] = Columns::load(tile, at + v * Columns::kLanes);
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
      const std::uint64_t left = tile.left[std::ptrdiff_t{r} * tile.inner + k];
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) Columns::add(sums[r][v], left, right[v]);
    }
  }
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) {
    std::int64_t* to = tile.sums + std::ptrdiff_t{r} * tile.columns + first;
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) Columns::store(sums[r][v], to + v * Columns::kLanes);
  }
}

template <WideFactors kFactors, int kRows>
void multiply_rows(const WideTile& tile) {
  using Columns = ColumnsOf<kFactors>;
  constexpr int kVectors = vectors_of<Columns>(), kStrip = kVectors * Columns::kLanes;
  int first = 0;
  for (; first + kStrip <= tile.columns; first += kStrip)
    multiply_strip<Columns, kRows, kVectors>(tile, first);
  if constexpr (kWideColumns % kStrip != 0) {
    static_assert(2 * kWideColumns == kStrip);
    if (first < tile.columns) multiply_strip<Columns, kRows, kVectors / 2>(tile, first);
  }
}

template <WideFactors kFactors>
void multiply_tile(const WideTile& tile) {
  switch (tile.rows) {
    case 1:
      return multiply_rows<kFactors, 1>(tile);
    case 2:
      return multiply_rows<kFactors, 2>(tile);
    case 3:
      return multiply_rows<kFactors, 3>(tile);
    default:
      return multiply_rows<kFactors, kWideRows>(tile);
  }
}

void multiply_wide(const WideTile& tile) {
  switch (tile.factors) {
    case WideFactors::kFp64:
      return multiply_tile<WideFactors::kFp64>(tile);
    case WideFactors::kSigned:
      return multiply_tile<WideFactors::kSigned>(tile);
    case WideFactors::kUnsigned:
      return multiply_tile<WideFactors::kUnsigned>(tile);
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

// Shifts of the lanes, to the left or with rounding to the right.
template <bool kPlain, WideEnd kEnd>
class WideShift {
 public:
  HWY_INLINE WideShift(RoundingMode mode, hn::Vec<WideInts> shift)
      : right_(hn::Max(hn::Neg(shift), hn::Zero(WideInts()))),
        left_(hn::Max(shift, hn::Zero(WideInts()))),
        threshold_(mode, hn::Sub(hn::Shl(hn::Set(WideInts(), 1), right_), hn::Set(WideInts(), 1))) {
  }

  // The halves that are kept of the shifted sums.
  HWY_INLINE auto of(hn::Vec<WideInts> sum) const {
    const auto floor = right(sum);
    const auto rounded =
        kPlain ? threshold_.round_plainly(sum, floor) : threshold_.round(sum, floor);
    return kept(hn::Shl(rounded, left_));
  }

 private:
  HWY_INLINE hn::Vec<WideInts> right(hn::Vec<WideInts> sum) const {
    if constexpr (kEnd != WideEnd::kUint32) return hn::Shr(sum, right_);
    return hn::BitCast(WideInts(),
                       hn::Shr(hn::BitCast(WideBits(), sum), hn::BitCast(WideBits(), right_)));
  }
  using Low = hn::Rebind<std::uint32_t, WideBits>;
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  // Instructions that narrow to the nearest number. Without sign, one beyond 63 bits is large.
  static HWY_INLINE hn::Vec<Low> kept(hn::Vec<WideInts> value) {
    if constexpr (kEnd == WideEnd::kInt32) return hn::Vec<Low>{_mm512_cvtsepi64_epi32(value.raw)};
    if constexpr (kEnd == WideEnd::kUint32) return hn::Vec<Low>{_mm512_cvtusepi64_epi32(value.raw)};
    return hn::TruncateTo(Low(), hn::BitCast(WideBits(), value));
  }
#else
  static HWY_INLINE hn::Vec<Low> kept(hn::Vec<WideInts> value) {
    return hn::TruncateTo(Low(), hn::BitCast(WideBits(), limited(value)));
  }
  static HWY_INLINE hn::Vec<WideInts> limited(hn::Vec<WideInts> value) {
    const WideInts d;
    if constexpr (kEnd == WideEnd::kLowBits) return value;
    if constexpr (kEnd == WideEnd::kInt32)
      return hn::Min(hn::Max(value, hn::Set(d, INT32_MIN)), hn::Set(d, INT32_MAX));
    // Without sign, a number beyond 63 bits looks negative.
    const auto beyond = hn::Or(hn::Lt(value, hn::Zero(d)), hn::Gt(value, hn::Set(d, UINT32_MAX)));
    return hn::IfThenElse(beyond, hn::Set(d, UINT32_MAX), value);
  }
#endif

  const hn::Vec<WideInts> right_, left_;
  const RoundingThreshold<WideInts> threshold_;
};

template <bool kPlain, WideEnd kEnd>
void shift_sums_by(const WideShifts& all, RoundingMode mode) {
  const WideInts d;
  const hn::Rebind<std::uint32_t, WideBits> low;
  auto* const words = reinterpret_cast<std::uint32_t*>(all.to);
  const std::ptrdiff_t pitch = all.columns;
  if (all.shifts_are_one) {
    const WideShift<kPlain, kEnd> shift(mode, hn::Set(d, *all.shifts));
    for (std::ptrdiff_t i = 0; i < all.rows * pitch; i += kWideLanes)
      hn::StoreU(shift.of(hn::LoadU(d, all.sums + i)), low, words + i);
    return;
  }
  for (int i = 0; i < all.columns; i += kWideLanes) {
    const WideShift<kPlain, kEnd> shift(mode, hn::LoadU(d, all.shifts + i));
    for (int r = 0; r < all.rows; ++r)
      hn::StoreU(shift.of(hn::LoadU(d, all.sums + r * pitch + i)), low, words + r * pitch + i);
  }
}

template <WideEnd kEnd>
void shift_sums_to(const WideShifts& all, RoundingMode mode) {
  if (RoundingThreshold<WideInts>::is_plain(mode)) {
    shift_sums_by<true, kEnd>(all, mode);
  } else {
    shift_sums_by<false, kEnd>(all, mode);
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
HWY_EXPORT(widen_to_wide);
HWY_EXPORT(shift_sums);
HWY_EXPORT(add_digits);

void make_wide_words(const std::int32_t* from, std::int64_t count, WideFactors factors,
                     std::uint64_t* to) {
  HWY_DYNAMIC_DISPATCH(widen_to_wide)(from, count, factors, to);
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
