// Sums, differences and products of integers in lanes as wide as they are: the nearest number that
// a lane holds, shifted to the left or not. Included once per vector target, as Highway's -inl.h
// files are.
#if defined(TENSORLANE_COMPUTE_ROWS_SATURATED_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSORLANE_COMPUTE_ROWS_SATURATED_LANES_INL_H_
#undef TENSORLANE_COMPUTE_ROWS_SATURATED_LANES_INL_H_
#else
#define TENSORLANE_COMPUTE_ROWS_SATURATED_LANES_INL_H_
#endif

#include <cstdint>
#include <limits>
#include <type_traits>

#include "hwy/highway.h"
#include "tensorlane/compute/rows/vector_blocks_inl.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR
namespace saturating {

template <class T>
using ElementsOf = hn::Vec<hn::ScalableTag<T>>;

// `value`, or where the sign of `outside` is set the end on the side of a.
template <class V>
HWY_INLINE V inside(V outside, V a, V value) {
  const hn::ScalableTag<std::int32_t> d;
  const V end =
      hn::Xor(hn::BroadcastSignBit(a), hn::Set(d, std::numeric_limits<std::int32_t>::max()));
  return hn::IfNegativeThenElse(outside, end, value);
}
template <class T>
struct Sum {
  using V = ElementsOf<T>;
  static HWY_INLINE V of(V a, V b) {
    if constexpr (sizeof(T) < 4) {
      return hn::SaturatedAdd(a, b);
    } else {
      const V sum = hn::Add(a, b);
      if constexpr (std::is_signed_v<T>) {
        return inside(hn::And(hn::Xor(a, sum), hn::Xor(b, sum)), a, sum);
      } else {
        const hn::ScalableTag<T> d;
        return hn::IfThenElse(hn::Eq(hn::Max(sum, a), sum), sum,
                              hn::Set(d, std::numeric_limits<T>::max()));
      }
    }
  }
};
// a - b for numbers with a sign. Those without, whose difference has one, are both made less by
// half of their range.
template <class T>
struct Difference {
  using Signed = hn::ScalableTag<std::make_signed_t<T>>;
  using V = hn::Vec<Signed>;
  static HWY_INLINE V of(ElementsOf<T> x, ElementsOf<T> y) {
    const V a = with_sign(x), b = with_sign(y);
    if constexpr (sizeof(T) < 4) {
      return hn::SaturatedSub(a, b);
    } else {
      const V difference = hn::Sub(a, b);
      return inside(hn::And(hn::Xor(a, b), hn::Xor(a, difference)), a, difference);
    }
  }
  static HWY_INLINE V with_sign(ElementsOf<T> value) {
    const auto bits = hn::BitCast(Signed(), value);
    if constexpr (std::is_signed_v<T>) return bits;
    return hn::Xor(bits, hn::Set(Signed(), std::numeric_limits<std::make_signed_t<T>>::min()));
  }
};

// Of the two halves of a product, the lower one where the upper one holds nothing but its sign.
template <class T>
HWY_INLINE ElementsOf<T> nearest(ElementsOf<T> low, ElementsOf<T> high) {
  const hn::ScalableTag<T> d;
  if constexpr (std::is_signed_v<T>) {
    const auto end = hn::Xor(hn::BroadcastSignBit(high), hn::Set(d, std::numeric_limits<T>::max()));
    return hn::IfThenElse(hn::Eq(high, hn::BroadcastSignBit(low)), low, end);
  } else {
    return hn::IfThenElse(hn::Eq(high, hn::Zero(d)), low,
                          hn::Set(d, std::numeric_limits<T>::max()));
  }
}
// The even bytes and the odd ones in lanes of 16 bits.
template <class T>
HWY_INLINE ElementsOf<T> product_of_bytes(ElementsOf<T> a, ElementsOf<T> b) {
  using Short = std::conditional_t<std::is_signed_v<T>, std::int16_t, std::uint16_t>;
  const hn::ScalableTag<T> d;
  const hn::Repartition<Short, hn::ScalableTag<T>> shorts;
  const hn::RebindToUnsigned<decltype(shorts)> bits;
  const auto even = [&](auto x) TL_INLINE_ATTR {
    return hn::ShiftRight<8>(hn::BitCast(shorts, hn::ShiftLeft<8>(hn::BitCast(bits, x))));
  };
  const auto odd = [&](auto x) TL_INLINE_ATTR { return hn::ShiftRight<8>(hn::BitCast(shorts, x)); };
  const auto limited = [&](auto product) TL_INLINE_ATTR {
    product = hn::Min(product, hn::Set(shorts, std::numeric_limits<T>::max()));
    if constexpr (std::is_signed_v<T>)
      product = hn::Max(product, hn::Set(shorts, std::numeric_limits<T>::min()));
    return hn::BitCast(bits, product);
  };
  const auto low = limited(hn::Mul(even(a), even(b))), high = limited(hn::Mul(odd(a), odd(b)));
  return hn::BitCast(d, hn::Or(hn::And(low, hn::Set(bits, 0xff)), hn::ShiftLeft<8>(high)));
}
// The even and the odd products of words are a vector each. What they end at follows from the signs
// of the factors, which most rows share.
template <class T>
HWY_INLINE ElementsOf<T> product_of_words(ElementsOf<T> a, ElementsOf<T> b) {
  const hn::ScalableTag<T> d;
  const hn::Repartition<std::uint64_t, hn::ScalableTag<T>> pairs;
  const auto odd_ones = [&](auto x)
                            TL_INLINE_ATTR { return hn::ShiftRight<32>(hn::BitCast(pairs, x)); };
  const auto even = hn::BitCast(pairs, hn::MulEven(a, b));
  const auto odd =
      hn::BitCast(pairs, hn::MulEven(hn::BitCast(d, odd_ones(a)), hn::BitCast(d, odd_ones(b))));
  const auto high = hn::OddEven(hn::BitCast(d, odd), hn::BitCast(d, hn::ShiftRight<32>(even)));
  const auto low = hn::Mul(a, b);
  if constexpr (std::is_signed_v<T>) {
    const auto end =
        hn::Xor(hn::Xor(hn::BroadcastSignBit(a), hn::Set(d, std::numeric_limits<T>::max())),
                hn::BroadcastSignBit(b));
    return hn::IfThenElse(hn::Eq(high, hn::BroadcastSignBit(low)), low, end);
  } else {
    return hn::IfThenElse(hn::Eq(high, hn::Zero(d)), low,
                          hn::Set(d, std::numeric_limits<T>::max()));
  }
}
template <class T>
struct Product {
  static HWY_INLINE ElementsOf<T> of(ElementsOf<T> a, ElementsOf<T> b) {
    if constexpr (sizeof(T) == 1) {
      return product_of_bytes<T>(a, b);
    } else if constexpr (sizeof(T) == 2) {
      return nearest<T>(hn::Mul(a, b), hn::MulHigh(a, b));
    } else {
      return product_of_words<T>(a, b);
    }
  }
};

// A saturated number shifted to the left, by less than its bits: the nearest that a lane holds.
template <class T>
class Raised {
 public:
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;

  HWY_INLINE explicit Raised(int left)
      : left_(left),
        least_(hn::Set(D(), static_cast<T>(std::numeric_limits<T>::min() >> left))),
        most_(hn::Set(D(), static_cast<T>(std::numeric_limits<T>::max() >> left))) {}
  HWY_INLINE V operator()(V value) const {
    const V end = hn::Set(D(), std::numeric_limits<T>::max());
    if constexpr (std::is_signed_v<T>) {
      const V raised = hn::ShiftLeftSame(hn::Max(value, least_), left_);
      return hn::IfThenElse(hn::Gt(value, most_), end, raised);
    } else {
      const auto fits = hn::Eq(hn::Min(value, most_), value);
      return hn::IfThenElse(fits, hn::ShiftLeftSame(value, left_), end);
    }
  }

 private:
  int left_;
  V least_, most_;
};

}  // namespace saturating
#endif

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::simd
HWY_AFTER_NAMESPACE();

#endif  // TENSORLANE_COMPUTE_ROWS_SATURATED_LANES_INL_H_
