#include "tensorlane/compute/rows/saturated_rows.h"

#include <cstdint>
#include <type_traits>

#include "tensorlane/base/simd_targets.h"
#include "tensorlane/compute/rows/row_parts.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/compute/rows/saturated_rows.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "tensorlane/compute/rows/row_loops_inl.h"
#include "tensorlane/compute/rows/saturated_lanes_inl.h"
#include "tensorlane/compute/rows/shifted_rows_inl.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR
namespace saturating {

template <class T, template <class> class Formula, PairLoops kLoops>
void saturated(const Row& row) {
  const hn::ScalableTag<T> d;
  constexpr int kBlock = HWY_TARGET == HWY_AVX2 ? 2 : 1;
  map_vectors<hn::ScalableTag<T>, 2, kBlock, kLoops>(
      row, [d](auto a, auto b) TL_INLINE_ATTR { return hn::BitCast(d, Formula<T>::of(a, b)); });
}
// R: the type of the result.
template <class T, class R, template <class> class Formula>
class RaisedFormula {
 public:
  HWY_INLINE explicit RaisedFormula(int byte) : raised_(left_places(byte)) {}
  HWY_INLINE ElementsOf<T> operator()(ElementsOf<T> a, ElementsOf<T> b) const {
    return hn::BitCast(hn::ScalableTag<T>(), raised_(Formula<T>::of(a, b)));
  }

 private:
  Raised<R> raised_;
};
template <class T, class R, template <class> class Formula>
void raised_by_byte(const Row& row) {
  using Lanes = RaisedFormula<T, R, Formula>;
  rows_by_byte<T, Lanes>(row, [](int byte) TL_INLINE_ATTR { return Lanes(byte); });
}

template <class T>
void raised_products_by_byte(const Row& row) {
  if constexpr (sizeof(T) == 4) {
    if (Places::of_source(row, 1).all_the_same()) {
      const T factor = load_element<T>(row.src[1]);
      return rows_by_byte<T, RaisedProduct<T>>(row, [factor](int byte) TL_INLINE_ATTR {
        return RaisedProduct<T>(factor, left_places(byte));
      });
    }
  }
  raised_by_byte<T, T, Product>(row);
}

struct Rows {
  SimdRow plain, by_byte;
};
template <class T>
constexpr Rows kSumRows = {saturated<T, Sum, PairLoops::kSymmetric>, raised_by_byte<T, T, Sum>};
template <class T, class R>
constexpr Rows kDifferenceRows = {saturated<T, Difference, PairLoops::kEither>,
                                  raised_by_byte<T, R, Difference>};
template <class T>
constexpr Rows kProductRows = {saturated<T, Product, PairLoops::kSymmetric>,
                               raised_products_by_byte<T>};

template <class T>
Rows rows_of_type(IntegerOperation operation, bool signed_result) {
  const bool one_type = std::is_signed_v<T> == signed_result;
  if (operation == IntegerOperation::kSubtract)
    return signed_result ? kDifferenceRows<T, std::make_signed_t<T>> : Rows();
  if (!one_type) return {};
  if (operation == IntegerOperation::kAdd) return kSumRows<T>;
  if (operation == IntegerOperation::kMultiply) return kProductRows<T>;
  return {};
}

Rows find_rows(IntegerOperation operation, Dtype source, bool signed_result) {
  switch (source) {
    case Dtype::kInt8:
      return rows_of_type<std::int8_t>(operation, signed_result);
    case Dtype::kUint8:
      return rows_of_type<std::uint8_t>(operation, signed_result);
    case Dtype::kInt16:
      return rows_of_type<std::int16_t>(operation, signed_result);
    case Dtype::kUint16:
      return rows_of_type<std::uint16_t>(operation, signed_result);
    case Dtype::kInt32:
      return rows_of_type<std::int32_t>(operation, signed_result);
    case Dtype::kUint32:
      return rows_of_type<std::uint32_t>(operation, signed_result);
    default:
      return {};
  }
}

}  // namespace saturating
#endif

SimdRow find_saturated([[maybe_unused]] IntegerOperation operation, [[maybe_unused]] Dtype source,
                       [[maybe_unused]] bool signed_result, [[maybe_unused]] bool by_byte) {
#if HWY_TARGET == HWY_SCALAR
  return nullptr;
#else
  const saturating::Rows rows = saturating::find_rows(operation, source, signed_result);
  return by_byte ? rows.by_byte : rows.plain;
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorlane {
namespace simd {
namespace {

HWY_EXPORT(find_saturated);

SimdRow saturated_on_processor(IntegerOperation operation, Dtype source, bool signed_result,
                               bool by_byte) {
  return HWY_DYNAMIC_DISPATCH(find_saturated)(operation, source, signed_result, by_byte);
}

}  // namespace
}  // namespace simd

namespace {

SimdRow row_of_types(IntegerOperation operation, std::span<const Dtype> sources, Dtype dst,
                     bool by_byte) {
  if (sources.size() != 2 || sources[0] != sources[1]) return nullptr;
  const DtypeInfo& result = dtype_info(dst);
  if (result.is_float || dtype_bits(dst) != dtype_bits(sources[0])) return nullptr;
  return simd::saturated_on_processor(operation, sources[0], result.is_signed, by_byte);
}

}  // namespace

SimdRow saturated_row(IntegerOperation operation, std::span<const Dtype> sources, Dtype dst) {
  return row_of_types(operation, sources, dst, false);
}

SimdRow raised_row(IntegerOperation operation, std::span<const Dtype> sources, Dtype dst) {
  return row_of_types(operation, sources, dst, true);
}

}  // namespace tensorlane
#endif  // HWY_ONCE
