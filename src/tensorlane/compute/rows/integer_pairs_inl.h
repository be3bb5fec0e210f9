// Elements of 32 bits in lanes of 64: the even and the odd elements of a vector are a vector of
// wide lanes each, which takes no shuffle. Before the last shift both halves of the lanes are put
// together again; the upper ones say which of the lower ones are the result. So it goes without
// shifts of such lanes with their sign and without comparisons of them, which some processors lack.
// Included once per vector target, as Highway's -inl.h files are.
#if defined(TENSORLANE_COMPUTE_ROWS_INTEGER_PAIRS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSORLANE_COMPUTE_ROWS_INTEGER_PAIRS_INL_H_
#undef TENSORLANE_COMPUTE_ROWS_INTEGER_PAIRS_INL_H_
#else
#define TENSORLANE_COMPUTE_ROWS_INTEGER_PAIRS_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "hwy/highway.h"
#include "tensorlane/compute/rows/integer_elements_inl.h"
#include "tensorlane/compute/rows/integer_steps.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SSE4 || HWY_TARGET <= HWY_AVX2
template <class Wide>
constexpr bool kInPairs = sizeof(Wide) == 8;
#else
template <class Wide>
constexpr bool kInPairs = false;
#endif

// Lanes of the even and of the odd elements.
template <class Wide>
struct IntegerPairs {
  using V = hn::Vec<IntegerTag<Wide>>;
  V even, odd;
};

template <class Wide>
class PairLanes {
 public:
  using D = IntegerTag<Wide>;
  using Bits = hn::RebindToUnsigned<D>;
  using Words = hn::Repartition<std::int32_t, D>;
  using V = hn::Vec<D>;
  using W = hn::Vec<Words>;
  using Pairs = IntegerPairs<Wide>;
  static constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(Words()));

  // Of results with sign or without, which lie outside sometimes.
  HWY_INLINE PairLanes(bool with_sign, bool clamps)
      : clamps_(clamps),
        sign_(hn::Set(Words(), with_sign ? -1 : 0)),
        most_(hn::Set(Words(), with_sign ? INT32_MAX : -1)) {}

  // Elements of type T, with kEnd fewer than a vector has. The upper halves of the lanes are
  // anything where a product follows.
  template <class T, bool kExtends, bool kEnd>
  static HWY_INLINE Pairs load(const RowInput<Wide>& from, std::int64_t i, std::size_t left) {
    if (from.form == ElementForm::kConstant) return {from.constant, from.constant};
    const auto* const at = reinterpret_cast<const std::int32_t*>(from.at) + i;
    const W words = [&]() HWY_ATTR {
      if constexpr (kEnd) return hn::MaskedLoad(hn::FirstN(Words(), left), Words(), at);
      return hn::LoadU(Words(), at);
    }();
    const V lanes = hn::BitCast(D(), words);
    if constexpr (!kExtends) {
      return {lanes, upper(lanes)};
    } else if constexpr (!std::is_signed_v<T>) {
      return {hn::And(lanes, hn::Set(D(), 0xffffffff)), upper(lanes)};
    } else {
      const V signs = hn::BitCast(D(), hn::BroadcastSignBit(words));
      return {hn::BitCast(D(), joined(hn::ShiftLeft<32>(signs), lanes)),
              hn::BitCast(D(), joined(signs, upper(lanes)))};
    }
  }

  // The elements after a shift to the right, or the nearest numbers that they hold.
  HWY_INLINE W narrowed(const Pairs& value, int right) const {
    const W halves = joined(value.odd, upper(value.even));
    const W below = std::is_signed_v<Wide> ? hn::BroadcastSignBit(halves) : hn::Zero(Words());
    const bool keeps_low = right < 32;
    const W low = keeps_low
                      ? joined(hn::ShiftLeft<32>(down(value.odd, right)), down(value.even, right))
                      : shifted(halves, right - 32);
    if (!clamps_) return low;
    const W high = keeps_low ? shifted(halves, right) : below;
    const W expected = hn::And(hn::BroadcastSignBit(low), sign_);
    return hn::IfThenElse(hn::Eq(high, expected), low, hn::Xor(below, most_));
  }

 private:
  static HWY_INLINE V down(V lanes, int by) {
    return hn::BitCast(D(), hn::ShiftRightSame(hn::BitCast(Bits(), lanes), by));
  }
  static HWY_INLINE V upper(V lanes) {
    return hn::BitCast(D(), hn::ShiftRight<32>(hn::BitCast(Bits(), lanes)));
  }
  static HWY_INLINE W shifted(W halves, int right) {
    if constexpr (std::is_signed_v<Wide>) return hn::ShiftRightSame(halves, right);
    const hn::RebindToUnsigned<Words> bits;
    return hn::BitCast(Words(), hn::ShiftRightSame(hn::BitCast(bits, halves), right));
  }
  // The odd words of one vector and the even ones of another.
  static HWY_INLINE W joined(V odd, V even) {
    return hn::OddEven(hn::BitCast(Words(), odd), hn::BitCast(Words(), even));
  }

  const bool clamps_;
  const W sign_, most_;
};

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::simd
HWY_AFTER_NAMESPACE();

#endif  // TENSORLANE_COMPUTE_ROWS_INTEGER_PAIRS_INL_H_
