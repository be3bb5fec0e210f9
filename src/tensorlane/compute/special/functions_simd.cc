// The special functions in vectors.
#include <algorithm>
#include <array>

#include "tensorlane/base/simd_targets.h"
#include "tensorlane/compute/special/functions_internal.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/compute/special/functions_simd.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "tensorlane/compute/special/formulas_inl.h"
#include "tensorlane/compute/special/vector_arithmetic_inl.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane::special::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
namespace formulas = tensorlane::special::HWY_NAMESPACE;

// The first `rest` values of a row's end, with ones behind them; and back. Nothing else is touched.
HWY_INLINE Vector load_rest(const float* from, std::size_t rest) {
  const Floats d;
#if HWY_TARGET <= HWY_AVX2 && HWY_ARCH_X86
  const Mask mask = hn::FirstN(d, rest);
  return hn::IfThenElse(mask, hn::MaskedLoad(mask, d, from), hn::Set(d, 1.0F));
#else
  std::array<float, hn::MaxLanes(Floats())> padded;
  padded.fill(1);
  std::copy_n(from, rest, padded.begin());
  return hn::LoadU(d, padded.data());
#endif
}
HWY_INLINE void store_rest(Vector values, float* to, std::size_t rest) {
  const Floats d;
#if HWY_TARGET <= HWY_AVX2 && HWY_ARCH_X86
  hn::BlendedStore(values, hn::FirstN(d, rest), d, to);
#else
  std::array<float, hn::MaxLanes(Floats())> padded;
  hn::StoreU(values, d, padded.data());
  std::copy_n(padded.begin(), rest, to);
#endif
}

template <class Format, class Formula>
HWY_INLINE void compute(const Arrays& given, const Constants& given_constants, Formula formula) {
  using A = VectorArithmetic<Format>;
  const Environment<Format> environment;
  // Copies: a store might change the others, as far as the compiler knows.
  const Arrays arrays = given;
  const Constants constants = given_constants;
  const Floats d;
  constexpr std::size_t kLanes = hn::MaxLanes(Floats());
  for (std::size_t r = 0; r < arrays.rows; ++r) {
    const auto row = static_cast<std::ptrdiff_t>(r);
    const float* const x = arrays.x + row * arrays.x_next;
    const float* const y = arrays.y == nullptr ? nullptr : arrays.y + row * arrays.y_next;
    float* const result = arrays.result + row * arrays.result_next;
    for (std::size_t i = 0; i < arrays.count; i += kLanes) {
      const std::size_t rest = arrays.count - i;
      const auto load = [d, i, rest](const float* from) HWY_ATTR {
        return rest < kLanes ? load_rest(from + i, rest) : hn::LoadU(d, from + i);
      };
      const Vector first = A::read(load(x));
      const Vector second = A::read(y == nullptr ? hn::Zero(d) : load(y));
      const Vector value = A::written(formula(first, second, constants));
      if (rest < kLanes) {
        store_rest(value, result + i, rest);
      } else {
        hn::StoreU(value, d, result + i);
      }
    }
  }
}

#define TL_SPECIAL_INSTANCE(name, Format)                                                    \
  void name##_##Format(const Arrays& arrays, const Constants& constants) {                   \
    compute<Format>(arrays, constants, [](Vector a, Vector b, const Constants& c) HWY_ATTR { \
      return formulas::of_##name<VectorArithmetic<Format>>(a, b, c);                         \
    });                                                                                      \
  }
TL_SPECIAL_INSTANCES
#undef TL_SPECIAL_INSTANCE

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::special::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorlane::special::simd {

#define TL_SPECIAL_INSTANCE(name, Format)                                  \
  HWY_EXPORT(name##_##Format);                                             \
  void name##_##Format(const Arrays& arrays, const Constants& constants) { \
    HWY_DYNAMIC_DISPATCH(name##_##Format)(arrays, constants);              \
  }
TL_SPECIAL_INSTANCES
#undef TL_SPECIAL_INSTANCE

}  // namespace tensorlane::special::simd
#endif  // HWY_ONCE
