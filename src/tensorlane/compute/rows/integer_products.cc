#include "tensorlane/compute/rows/integer_products.h"

#include <algorithm>
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

HWY_BEFORE_NAMESPACE();
namespace tensorlane::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR
// kHalves: half of the product, halves to even. The bit that is shifted out is set where it is in
// both factors, so that the lower words are not needed.
template <bool kSigned, bool kHalves>
class ProductLanes {
 public:
  using D = hn::ScalableTag<std::int32_t>;
  using V = hn::Vec<D>;

  HWY_INLINE explicit ProductLanes(const IntegerProducts& products)
      : right_(kHalves ? 1 : products.shift.right),
        saturates_(products.saturates),
        looks_at_last_(products.shift.even != 0),
        looks_at_sign_(kSigned && products.shift.negative != 0),
        rest_(set((std::int64_t{1} << right_) - 1)),
        base_(set(products.shift.base)),
        negative_(set(products.shift.negative)) {}

  static HWY_INLINE V odd_of(V v) { return words(hn::ShiftRight<32>(hn::BitCast(Pairs(), v))); }

  // Of factors whose odd elements stand at even places in a second vector.
  HWY_INLINE V operator()(V a, V a_odd, V b, V b_odd) const {
    const P even = product(a, b), odd = product(a_odd, b_odd);
    const V high = hn::OddEven(words(odd), words(hn::ShiftRight<32>(even)));
    const V floor = hn::OddEven(words(hn::ShiftLeftSame(odd, 32 - right_)),
                                words(hn::ShiftRightSame(even, right_)));
    V up;
    if constexpr (kHalves) {
      up = hn::And(hn::And(a, b), hn::And(floor, set(1)));
    } else {
      const V low = hn::OddEven(words(hn::ShiftLeft<32>(odd)), words(even));
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
  using P = hn::Vec<Pairs>;

  static HWY_INLINE V set(std::int64_t value) {
    return hn::Set(D(), static_cast<std::int32_t>(value));
  }
  template <class Other>
  static HWY_INLINE V words(Other v) {
    return hn::BitCast(D(), v);
  }
  static HWY_INLINE V logical(V v, int right) {
    return words(hn::ShiftRightSame(hn::BitCast(Bits(), v), right));
  }
  static HWY_INLINE P product(V a, V b) {
    using Factors = std::conditional_t<kSigned, D, Bits>;
    return hn::BitCast(Pairs(), hn::MulEven(hn::BitCast(Factors(), a), hn::BitCast(Factors(), b)));
  }
  // `nearest`, or the end that is nearest to it.
  HWY_INLINE V inside(V high, V floor, V nearest) const {
    if constexpr (kSigned) {
      // The floor alone has a sign where -1 becomes 0, its neighbour alone where it leaves the
      // type.
      const V sign = hn::BroadcastSignBit(hn::Or(floor, nearest));
      const V above = kHalves ? high : hn::ShiftRightSame(high, right_);
      const V end =
          hn::Xor(hn::BroadcastSignBit(high), set(std::numeric_limits<std::int32_t>::max()));
      return hn::IfThenElse(hn::Eq(above, sign), nearest, end);
    } else {
      const auto most = hn::Max(hn::BitCast(Bits(), floor), hn::BitCast(Bits(), nearest));
      const auto beyond = hn::Gt(logical(high, right_), hn::Zero(D()));
      return hn::Or(words(most), hn::VecFromMask(D(), beyond));
    }
  }

  int right_;
  bool saturates_, looks_at_last_, looks_at_sign_;
  V rest_, base_, negative_;
};

constexpr int kProductBlock = HWY_TARGET == HWY_AVX2 ? 2 : 1;

// One factor that is the same for all rows is no source, nor is a second one that is the first.
template <bool kSigned, bool kHalves>
void product_rows(const IntegerProducts& products, const Row& frame) {
  using Lanes = ProductLanes<kSigned, kHalves>;
  using D = typename Lanes::D;
  using V = typename Lanes::V;
  const Lanes lanes(products);
  for (const std::size_t k : {0, 1}) {
    if (!Places::of_source(frame, k).all_the_same()) continue;
    Row other = frame;
    if (k == 0) {
      other.src[0] = frame.src[1];
      other.src_step[0] = frame.src_step[1];
      other.src_next[0] = frame.src_next[1];
      other.src_block[0] = frame.src_block[1];
    }
    const V factor = hn::Set(D(), load_element<std::int32_t>(frame.src[k]));
    return map_vectors<D, 1, kProductBlock>(
        other, [&](V a) TL_INLINE_ATTR { return lanes(a, Lanes::odd_of(a), factor, factor); });
  }
  const bool same = frame.src[0] == frame.src[1] && frame.src_step[0] == frame.src_step[1] &&
                    frame.src_next[0] == frame.src_next[1] &&
                    frame.src_block[0] == frame.src_block[1];
  if (same) {
    return map_vectors<D, 1, kProductBlock>(frame, [&](V a) TL_INLINE_ATTR {
      const V odd = Lanes::odd_of(a);
      return lanes(a, odd, a, odd);
    });
  }
  map_vectors<D, 2, kProductBlock>(frame, [&](V a, V b) TL_INLINE_ATTR {
    return lanes(a, Lanes::odd_of(a), b, Lanes::odd_of(b));
  });
}
template <bool kSigned>
void product_rows_of_type(const IntegerProducts& products, const Row& frame) {
  const IntegerShift& shift = products.shift;
  shift.right == 1 && shift.even != 0 ? product_rows<kSigned, true>(products, frame)
                                      : product_rows<kSigned, false>(products, frame);
}
#endif

bool products_of_frame([[maybe_unused]] const IntegerProducts* products,
                       [[maybe_unused]] const Row* frame) {
#if HWY_TARGET == HWY_SCALAR
  return false;
#else
  if (frame == nullptr) return true;
  products->is_signed ? product_rows_of_type<true>(*products, *frame)
                      : product_rows_of_type<false>(*products, *frame);
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
  constexpr int kMostRight = 31;
  if (rule.operation != IntegerOperation::kMultiply || rule.left != 0) return {};
  if (rule.right < 1 || rule.right > kMostRight || sources.size() != 2) return {};
  if (dst != Dtype::kInt32 && dst != Dtype::kUint32) return {};
  if (!std::ranges::all_of(sources, [dst](Dtype source) { return source == dst; })) return {};
  if (!simd::products_on_processor(nullptr, nullptr)) return {};
  return IntegerProducts{dst == Dtype::kInt32, rule.saturate, integer_shift(rule)};
}

bool run_products(const IntegerProducts& products, const Row& frame) {
  constexpr std::int64_t kWord = 4;
  const auto fits = [](std::int64_t step) { return step == 0 || step == kWord; };
  if (frame.dst_step != kWord || !fits(frame.src_step[0]) || !fits(frame.src_step[1])) return false;
  return simd::products_on_processor(&products, &frame);
}

}  // namespace tensorlane
#endif  // HWY_ONCE
