#include "tensorlane/compute/rows/integer_products.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "tensorlane/base/simd_targets.h"
#include "tensorlane/compute/rows/row_parts.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/compute/rows/integer_products.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "tensorlane/compute/rows/row_loops_inl.h"
#include "tensorlane/compute/rows/shifted_rows_inl.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR
// Lanes of T, whose sign is that of the factors. kHalves: half of the product, halves to even. The
// bit that is shifted out is set where it is in both factors, so that the lower words are not
// needed.
template <class T, bool kHalves>
class ProductLanes {
 public:
  using D = hn::ScalableTag<std::make_signed_t<T>>;
  using V = hn::Vec<D>;

  HWY_INLINE ProductLanes(const IntegerShift& shift, bool saturates)
      : right_(kHalves ? 1 : shift.right),
        saturates_(saturates),
        looks_at_last_(shift.even != 0),
        looks_at_sign_(kSigned && shift.negative != 0),
        rest_(set((std::int64_t{1} << right_) - 1)),
        base_(set(shift.base)),
        negative_(set(shift.negative)) {}

  // Of a factor, for products in lanes of twice the width.
  static HWY_INLINE V odd_of(V v) {
    if constexpr (kShort) {
      return v;
    } else {
      return lanes(hn::ShiftRight<32>(hn::BitCast(Pairs(), v)));
    }
  }

  HWY_INLINE V operator()(V a, V b) const { return (*this)(a, odd_of(a), b, odd_of(b)); }
  // Of factors whose odd elements stand at even places in a second vector.
  HWY_INLINE V operator()(V a, V a_odd, V b, V b_odd) const {
    V low, high, floor;
    multiply(a, a_odd, b, b_odd, low, high, floor);
    V up;
    if constexpr (kHalves) {
      up = hn::And(hn::And(a, b), hn::And(floor, set(1)));
    } else {
      up = base_;
      if (looks_at_last_) up = hn::Add(up, hn::And(floor, set(1)));
      if (looks_at_sign_) up = hn::Add(up, hn::And(hn::BroadcastSignBit(high), negative_));
      up = logical(hn::Add(hn::And(low, rest_), up), right_);
    }
    const V nearest = hn::Add(floor, up);
    return saturates_ ? inside(high, floor, nearest) : nearest;
  }

 private:
  using Bits = hn::RebindToUnsigned<D>;
  using Pairs = hn::Repartition<std::uint64_t, D>;
  using Factors = hn::ScalableTag<T>;
  static constexpr bool kSigned = std::is_signed_v<T>, kShort = sizeof(T) == 2;

  static HWY_INLINE V set(std::int64_t value) {
    return hn::Set(D(), static_cast<hn::TFromD<D>>(value));
  }
  template <class Other>
  static HWY_INLINE V lanes(Other v) {
    return hn::BitCast(D(), v);
  }
  static HWY_INLINE V logical(V v, int right) {
    return lanes(hn::ShiftRightSame(hn::BitCast(Bits(), v), right));
  }
  // The words of the products and those of what is left of them.
  HWY_INLINE void multiply(V a, [[maybe_unused]] V a_odd, V b, [[maybe_unused]] V b_odd, V& low,
                           V& high, V& floor) const {
    if constexpr (kShort) {
      low = hn::Mul(a, b);
      high = lanes(hn::MulHigh(hn::BitCast(Factors(), a), hn::BitCast(Factors(), b)));
      // In two steps: right_ may be 0, and no lane is shifted by all its bits.
      const V above = hn::ShiftLeftSame(hn::ShiftLeft<1>(high), kHalves ? 14 : 15 - right_);
      floor = hn::Or(above, logical(low, right_));
    } else {
      const auto product = [](V x, V y) TL_INLINE_ATTR {
        return hn::BitCast(Pairs(),
                           hn::MulEven(hn::BitCast(Factors(), x), hn::BitCast(Factors(), y)));
      };
      const auto even = product(a, b), odd = product(a_odd, b_odd);
      low = hn::OddEven(lanes(hn::ShiftLeft<32>(odd)), lanes(even));
      high = hn::OddEven(lanes(odd), lanes(hn::ShiftRight<32>(even)));
      floor = hn::OddEven(lanes(hn::ShiftLeftSame(odd, 32 - right_)),
                          lanes(hn::ShiftRightSame(even, right_)));
    }
  }
  // `nearest`, or the end that is nearest to it.
  HWY_INLINE V inside(V high, V floor, V nearest) const {
    if constexpr (kSigned) {
      // The floor alone has a sign where -1 becomes 0, its neighbour alone where it leaves the
      // type.
      const V sign = hn::BroadcastSignBit(hn::Or(floor, nearest));
      const V above = kHalves ? high : hn::ShiftRightSame(high, right_);
      const V end = hn::Xor(hn::BroadcastSignBit(high), set(std::numeric_limits<T>::max()));
      return hn::IfThenElse(hn::Eq(above, sign), nearest, end);
    } else {
      const auto most = hn::Max(hn::BitCast(Bits(), floor), hn::BitCast(Bits(), nearest));
      const auto beyond = hn::Ne(logical(high, right_), hn::Zero(D()));
      return hn::Or(lanes(most), hn::VecFromMask(D(), beyond));
    }
  }

  int right_;
  bool saturates_, looks_at_last_, looks_at_sign_;
  V rest_, base_, negative_;
};

constexpr int kProductBlock = HWY_TARGET == HWY_AVX2 ? 2 : 1;

// Whether no product of a factor and a number of its type leaves the type after the shift, wherever
// it is rounded to.
template <class T>
bool stays_inside(T factor, int right) {
  __extension__ using Exact = __int128;
  using Limits = std::numeric_limits<T>;
  const auto fits = [=](T number) {
    const Exact floor = Exact{factor} * number >> right;
    return floor >= Limits::min() && floor < Limits::max();
  };
  return fits(Limits::min()) && fits(Limits::max());
}

// One factor that is the same for all rows is no source, nor is a second one that is the first.
template <class T, bool kHalves>
void product_rows(const IntegerProducts& products, const Row& frame) {
  using Lanes = ProductLanes<T, kHalves>;
  using D = typename Lanes::D;
  using V = typename Lanes::V;
  for (const std::size_t k : {0, 1}) {
    if (!Places::of_source(frame, k).all_the_same()) continue;
    Row other = frame;
    if (k == 0) swap_sources(other, 0, 1);
    const T number = load_element<T>(frame.src[k]);
    const V factor = hn::Set(D(), static_cast<hn::TFromD<D>>(number));
    const Lanes lanes(products.shift,
                      products.saturates && !stays_inside(number, products.shift.right));
    return map_vectors<D, 1, kProductBlock>(
        other, [&](V a) TL_INLINE_ATTR { return lanes(a, Lanes::odd_of(a), factor, factor); });
  }
  const Lanes lanes(products.shift, products.saturates);
  const bool same = frame.src[0] == frame.src[1] && frame.src_step[0] == frame.src_step[1] &&
                    frame.src_next[0] == frame.src_next[1] &&
                    frame.src_block[0] == frame.src_block[1];
  if (same) {
    return map_vectors<D, 1, kProductBlock>(frame, [&](V a) TL_INLINE_ATTR {
      const V odd = Lanes::odd_of(a);
      return lanes(a, odd, a, odd);
    });
  }
  map_vectors<D, 2, kProductBlock, PairLoops::kSymmetric>(
      frame, [&](V a, V b) TL_INLINE_ATTR { return lanes(a, b); });
}
template <class T>
void product_rows_of_type(const IntegerProducts& products, const Row& frame) {
  if (products.by_byte != nullptr) {
    using Lanes = ProductLanes<T, false>;
    return rows_by_byte<std::make_signed_t<T>, Lanes>(frame, [&](int byte) TL_INLINE_ATTR {
      return Lanes(products.by_byte[byte], products.saturates);
    });
  }
  const IntegerShift& shift = products.shift;
  shift.right == 1 && shift.even != 0 ? product_rows<T, true>(products, frame)
                                      : product_rows<T, false>(products, frame);
}
#endif

bool products_of_frame([[maybe_unused]] const IntegerProducts* products,
                       [[maybe_unused]] const Row* frame) {
#if HWY_TARGET == HWY_SCALAR
  return false;
#else
  if (frame == nullptr) return true;
  if (products->bytes == 2) {
    products->is_signed ? product_rows_of_type<std::int16_t>(*products, *frame)
                        : product_rows_of_type<std::uint16_t>(*products, *frame);
  } else {
    products->is_signed ? product_rows_of_type<std::int32_t>(*products, *frame)
                        : product_rows_of_type<std::uint32_t>(*products, *frame);
  }
  return true;
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorlane {
namespace simd {
namespace {

HWY_EXPORT(products_of_frame);

// Whether there are vectors, and the frame is done if there is one.
bool products_on_processor(const IntegerProducts* products, const Row* frame) {
  return HWY_DYNAMIC_DISPATCH(products_of_frame)(products, frame);
}

}  // namespace
}  // namespace simd

std::optional<IntegerProducts> integer_products(const IntegerRule& rule,
                                                std::span<const Dtype> sources, Dtype dst) {
  if (rule.operation != IntegerOperation::kMultiply || rule.left != 0 || sources.size() != 2)
    return {};
  const std::int64_t bytes = dtype_bytes(dst);
  if (rule.right < 1 || rule.right >= 8 * bytes) return {};
  constexpr std::array kTypes = {Dtype::kInt16, Dtype::kUint16, Dtype::kInt32, Dtype::kUint32};
  if (std::ranges::count(kTypes, dst) == 0) return {};
  if (!std::ranges::all_of(sources, [dst](Dtype source) { return source == dst; })) return {};
  if (!simd::products_on_processor(nullptr, nullptr)) return {};
  return IntegerProducts{dtype_info(dst).is_signed, rule.saturate, bytes, integer_shift(rule)};
}

bool run_products(const IntegerProducts& products, const Row& frame) {
  constexpr std::int64_t kShortest = 16;  // of elements that others take together
  const auto fits = [&](std::int64_t step) { return step == 0 || step == products.bytes; };
  if (frame.dst_step != products.bytes || !fits(frame.src_step[0]) || !fits(frame.src_step[1]))
    return false;
  if (products.bytes == 2 && frame.count < kShortest) return false;
  if (products.by_byte != nullptr && frame.src_step[2] != 0) return false;
  return simd::products_on_processor(&products, &frame);
}

}  // namespace tensorlane
#endif  // HWY_ONCE
