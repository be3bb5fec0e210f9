// The formulas of row_formulas.h as templates over an arithmetic, by their TypedRow.
#ifndef TENSORLANE_COMPUTE_ROWS_FORMULA_OF_H_
#define TENSORLANE_COMPUTE_ROWS_FORMULA_OF_H_

#include "tensorlane/compute/rows/row_formulas.h"
#include "tensorlane/compute/rows/typed_rows.h"
#include "tensorlane/tensor/rounding.h"

namespace tensorlane {

#define TL_FORMULA(...) TL_FORMULA_OF(inline, __VA_ARGS__)
namespace formula {
TL_ALL_FORMULAS(TL_FORMULA)
}  // namespace formula
namespace integer_formula {
TL_INTEGER_FORMULAS(TL_FORMULA)
}  // namespace integer_formula
#undef TL_FORMULA

// FormulaOf<TypedRow::kAdd>::of<A>(a, b); IntegerFormulaOf where integers have one of their own.
template <TypedRow kRow>
struct FormulaOf;
template <TypedRow kRow>
struct IntegerFormulaOf : FormulaOf<kRow> {};

#define TL_FORMULA(name, ...)            \
  template <>                            \
  struct FormulaOf<TypedRow::k##name> {  \
    template <class A, class... T>       \
    static auto of(const T&... x) {      \
      return formula::name<A>::of(x...); \
    }                                    \
  };
TL_ALL_FORMULAS(TL_FORMULA)
#undef TL_FORMULA
#define TL_FORMULA(name, ...)                    \
  template <>                                    \
  struct IntegerFormulaOf<TypedRow::k##name> {   \
    template <class A, class... T>               \
    static auto of(const T&... x) {              \
      return integer_formula::name<A>::of(x...); \
    }                                            \
  };
TL_INTEGER_FORMULAS(TL_FORMULA)
#undef TL_FORMULA
#define TL_COMPLEMENT(name, sources, other)                          \
  template <>                                                        \
  struct FormulaOf<TypedRow::k##name> {                              \
    template <class A, class T, class S>                             \
    static auto of(const T& a, const T& b, const S& c, const S& d) { \
      return formula::other<A>::of(a, b, d, c);                      \
    }                                                                \
  };
TL_COMPLEMENTS(TL_COMPLEMENT)
#undef TL_COMPLEMENT

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_ROWS_FORMULA_OF_H_
