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
// half of their range: that of words is the same without it, and lies outside where it would.
template <class T>
struct Difference {
  using Signed = hn::ScalableTag<std::make_signed_t<T>>;
  using V = hn::Vec<Signed>;
  static HWY_INLINE V of(ElementsOf<T> x, ElementsOf<T> y) {
    const V a = hn::BitCast(Signed(), x), b = hn::BitCast(Signed(), y);
    if constexpr (sizeof(T) < 4) {
      return hn::SaturatedSub(with_sign(a), with_sign(b));
    } else {
      const V difference = hn::Sub(a, b), apart = hn::Xor(a, b), turned = hn::Xor(a, difference);
      if constexpr (std::is_signed_v<T>) return inside(hn::And(apart, turned), a, difference);
      const V end = hn::Xor(hn::BroadcastSignBit(a), least());
      return hn::IfNegativeThenElse(hn::AndNot(turned, apart), end, difference);
    }
  }
  static HWY_INLINE V with_sign(V bits) {
    return std::is_signed_v<T> ? bits : hn::Xor(bits, least());
  }
  static HWY_INLINE V least() {
    return hn::Set(Signed(), std::numeric_limits<std::make_signed_t<T>>::min());
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
// The odd words at even places.
template <class T>
HWY_INLINE ElementsOf<T> odd_words(ElementsOf<T> value) {
  const hn::ScalableTag<T> d;
  const hn::Repartition<std::uint64_t, hn::ScalableTag<T>> pairs;
  return hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(pairs, value)));
}
// The upper halves of products: the even and the odd products of words are a vector each.
template <class T>
HWY_INLINE ElementsOf<T> upper_words(ElementsOf<T> a, ElementsOf<T> b, ElementsOf<T> b_odd) {
  const hn::ScalableTag<T> d;
  const hn::Repartition<std::uint64_t, hn::ScalableTag<T>> pairs;
  const auto even = hn::BitCast(pairs, hn::MulEven(a, b));
  const auto odd = hn::BitCast(pairs, hn::MulEven(odd_words<T>(a), b_odd));
  return hn::OddEven(hn::BitCast(d, odd), hn::BitCast(d, hn::ShiftRight<32>(even)));
}
// What products end at follows from the signs of the factors, which most rows share.
template <class T>
HWY_INLINE ElementsOf<T> product_of_words(ElementsOf<T> a, ElementsOf<T> b) {
  const hn::ScalableTag<T> d;
  const auto high = upper_words<T>(a, b, odd_words<T>(b)), low = hn::Mul(a, b);
  if constexpr (std::is_signed_v<T>) {
    const auto end =
        hn::Xor(hn::Xor(hn::BroadcastSignBit(a), hn::Set(d, std::numeric_limits<T>::max())),
                hn::BroadcastSignBit(b));
    return hn::IfThenElse(hn::Eq(high, hn::BroadcastSignBit(low)), low, end);
  } else {
    return nearest<T>(low, high);
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

// Products of words with one factor for all, saturated and shifted to the left: those with the
// factor that is shifted instead, where it has room.
template <class T>
class RaisedProduct {
 public:
  using V = ElementsOf<T>;

  HWY_INLINE RaisedProduct(T factor, int left)
      : raised_(left), has_room_(static_cast<T>(shifted(factor, left)) == shifted(factor, left)) {
    factor_ =
        hn::Set(hn::ScalableTag<T>(), has_room_ ? static_cast<T>(shifted(factor, left)) : factor);
    factor_odd_ = odd_words<T>(factor_);
  }
  HWY_INLINE V operator()(V a, V /*factor*/) const {
    const V product = nearest<T>(hn::Mul(a, factor_), upper_words<T>(a, factor_, factor_odd_));
    return has_room_ ? product : raised_(product);
  }

 private:
  static constexpr std::int64_t shifted(T factor, int left) {
    return std::int64_t{factor} * (std::int64_t{1} << left);
  }

  Raised<T> raised_;
  bool has_room_;
  V factor_, factor_odd_;
};

}  // namespace saturating
#endif

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::simd
HWY_AFTER_NAMESPACE();

#endif  // TENSORLANE_COMPUTE_ROWS_SATURATED_LANES_INL_H_
