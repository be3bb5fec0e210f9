// The special functions value by value.
#include "tensorlane/compute/special/formulas_inl.h"
#include "tensorlane/compute/special/functions_internal.h"
#include "tensorlane/compute/special/scalar_arithmetic.h"

namespace tensorlane::special::reference {
namespace {

namespace formulas = HWY_NAMESPACE;

template <class Format, class Formula>
void compute(const Arrays& arrays, const Constants& constants, Formula formula) {
  using A = ScalarArithmetic<Format>;
  const Environment<Format> environment;
  for (std::size_t r = 0; r < arrays.rows; ++r) {
    const auto row = static_cast<std::ptrdiff_t>(r);
    const float* const x = arrays.x + row * arrays.x_next;
    const float* const y = arrays.y == nullptr ? nullptr : arrays.y + row * arrays.y_next;
    float* const result = arrays.result + row * arrays.result_next;
    for (std::size_t i = 0; i < arrays.count; ++i) {
      const float second = y == nullptr ? 0 : A::read(y[i]);
      result[i] = A::written(formula(A::read(x[i]), second, constants));
    }
  }
}

}  // namespace

#define TL_SPECIAL_INSTANCE(name, Format)                                                  \
  void name##_##Format(const Arrays& arrays, const Constants& constants) {                 \
    compute<Format>(arrays, constants, [](float a, float b, const Constants& c) HWY_ATTR { \
      return formulas::of_##name<ScalarArithmetic<Format>>(a, b, c);                       \
    });                                                                                    \
  }
TL_SPECIAL_INSTANCES
#undef TL_SPECIAL_INSTANCE

}  // namespace tensorlane::special::reference
