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
static_assert(kWideColumns % (kWideVectors * kWideLanes) == 0);

template <WideFactors kFactors>
struct Multiply;

template <>
struct Multiply<WideFactors::kFp64> {
  using D = WideNumbers;
  // One rounding or two: both are exact.
  static HWY_INLINE hn::Vec<D> add(hn::Vec<D> sum, WideWord a, WideWord b) {
    return hn::MulAdd(hn::BitCast(D(), a), hn::BitCast(D(), b), sum);
  }
  static HWY_INLINE hn::Vec<WideInts> result(hn::Vec<D> sum) {
    return hn::ConvertTo(WideInts(), sum);
  }
};

template <class Half>
struct MultiplyHalves {
  using D = WideInts;
  static HWY_INLINE hn::Vec<D> add(hn::Vec<D> sum, WideWord a, WideWord b) {
#if HWY_TARGET == HWY_SCALAR
    const auto half = [](WideWord word) {
      return static_cast<std::uint64_t>(static_cast<Half>(hn::GetLane(word)));
    };
    return hn::Add(sum, hn::BitCast(D(), hn::Set(WideBits(), half(a) * half(b))));
#else
    const hn::Repartition<Half, D> halves;
    const auto product = hn::MulEven(hn::BitCast(halves, a), hn::BitCast(halves, b));
    return hn::Add(sum, hn::BitCast(D(), product));
#endif
  }
  static HWY_INLINE hn::Vec<WideInts> result(hn::Vec<D> sum) {
    return sum;
  }
};
template <>
struct Multiply<WideFactors::kSigned> : MultiplyHalves<std::int32_t> {};
template <>
struct Multiply<WideFactors::kUnsigned> : MultiplyHalves<std::uint32_t> {};

// kRows rows by as many columns as fit registers, from column `first` on. Unrolled loops keep them
// there.
template <WideFactors kFactors, int kRows>
HWY_INLINE void multiply_strip(const WideTile& tile, int first) {
  using M = Multiply<kFactors>;
  using D = typename M::D;
  const WideBits bits;
  hn::Vec<D> sums[kRows][kWideVectors];
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < kWideVectors; ++v) sums[r][v] = hn::Zero(D());
  }
  const std::uint64_t* right = tile.right + first;
  for (int k = 0; k < tile.inner; ++k, right += tile.columns) {
    WideWord from_right[kWideVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kWideVectors; ++v) from_right[v] = hn::LoadU(bits, right + v * kWideLanes);
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) {
      const WideWord from_left = hn::Set(bits, tile.left[std::ptrdiff_t{r} * tile.inner + k]);
#pragma GCC unroll 4
      for (int v = 0; v < kWideVectors; ++v)
        sums[r][v] = M::add(sums[r][v], from_left, from_right[v]);
    }
  }
#pragma GCC unroll 4
  for (int r = 0; r < kRows; ++r) {
    std::int64_t* to = tile.sums + std::ptrdiff_t{r} * tile.columns + first;
#pragma GCC unroll 4
    for (int v = 0; v < kWideVectors; ++v)
      hn::StoreU(M::result(sums[r][v]), WideInts(), to + v * kWideLanes);
  }
}

template <WideFactors kFactors, int kRows>
void multiply_rows(const WideTile& tile) {
  constexpr int kStrip = kWideVectors * kWideLanes;
  for (int first = 0; first < tile.columns; first += kStrip)
    multiply_strip<kFactors, kRows>(tile, first);
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
    const hn::Rebind<std::uint32_t, WideBits> low;
    return hn::TruncateTo(low, hn::BitCast(WideBits(), limited(hn::Shl(rounded, left_))));
  }

 private:
  HWY_INLINE hn::Vec<WideInts> right(hn::Vec<WideInts> sum) const {
    if constexpr (kEnd != WideEnd::kUint32) return hn::Shr(sum, right_);
    return hn::BitCast(WideInts(),
                       hn::Shr(hn::BitCast(WideBits(), sum), hn::BitCast(WideBits(), right_)));
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

  const hn::Vec<WideInts> right_, left_;
  const RoundingThreshold<WideInts> threshold_;
};

template <bool kPlain, WideEnd kEnd>
void shift_sums_by(const std::int64_t* sums, const std::int64_t* shifts, bool shifts_are_one,
                   int count, RoundingMode mode, std::int32_t* to) {
  const WideInts d;
  const hn::Rebind<std::uint32_t, WideBits> low;
  auto* const words = reinterpret_cast<std::uint32_t*>(to);
  if (shifts_are_one) {
    const WideShift<kPlain, kEnd> shift(mode, hn::Set(d, *shifts));
    for (int i = 0; i < count; i += kWideLanes)
      hn::StoreU(shift.of(hn::LoadU(d, sums + i)), low, words + i);
    return;
  }
  for (int i = 0; i < count; i += kWideLanes) {
    const WideShift<kPlain, kEnd> shift(mode, hn::LoadU(d, shifts + i));
    hn::StoreU(shift.of(hn::LoadU(d, sums + i)), low, words + i);
  }
}

template <WideEnd kEnd>
void shift_sums_to(const std::int64_t* sums, const std::int64_t* shifts, bool shifts_are_one,
                   int count, RoundingMode mode, std::int32_t* to) {
  if (RoundingThreshold<WideInts>::is_plain(mode)) {
    shift_sums_by<true, kEnd>(sums, shifts, shifts_are_one, count, mode, to);
  } else {
    shift_sums_by<false, kEnd>(sums, shifts, shifts_are_one, count, mode, to);
  }
}

// The mode that rounds a number without sign as the given one rounds positive numbers, and which
// does not look at signs.
RoundingMode without_sign(RoundingMode mode) {
  if (mode == RoundingMode::kHalfAwayFromZero) return RoundingMode::kHalfUp;
  return mode == RoundingMode::kTowardsZero ? RoundingMode::kDown : mode;
}

void shift_sums(const std::int64_t* sums, const std::int64_t* shifts, bool shifts_are_one,
                int count, RoundingMode mode, WideEnd end, std::int32_t* to) {
  switch (end) {
    case WideEnd::kLowBits:
      return shift_sums_to<WideEnd::kLowBits>(sums, shifts, shifts_are_one, count, mode, to);
    case WideEnd::kInt32:
      return shift_sums_to<WideEnd::kInt32>(sums, shifts, shifts_are_one, count, mode, to);
    case WideEnd::kUint32:
      return shift_sums_to<WideEnd::kUint32>(sums, shifts, shifts_are_one, count,
                                             without_sign(mode), to);
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

void shift_wide_sums(const std::int64_t* sums, const std::int64_t* shifts, bool shifts_are_one,
                     int count, RoundingMode mode, WideEnd end, std::int32_t* to) {
  HWY_DYNAMIC_DISPATCH(shift_sums)(sums, shifts, shifts_are_one, count, mode, end, to);
}

void add_digit_sums(const std::int32_t* const* sums, int count, std::int64_t term,
                    const std::int64_t* terms, int columns, std::int64_t* to) {
  HWY_DYNAMIC_DISPATCH(add_digits)(sums, count, term, terms, columns, to);
}

}  // namespace tensorlane
#endif  // HWY_ONCE
