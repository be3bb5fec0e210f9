// All implementations of an element-wise function, from its formula in row_formulas.h: vectors
// first, then rows of any form and the reference, which compute one number at a time.
//
//   .implementations = fp32_formula<TypedRow::kAdd, float, float, float>("dst_addr", {"a", "b"})
//
// The other makers are for functions whose type an argument decides (widened_rows.h). What they
// compute of numbers stands in number_arithmetic.h; the sentence comes from formula_words.h.
#ifndef TENSORLANE_COMPUTE_ROWS_FORMULA_ROWS_H_
#define TENSORLANE_COMPUTE_ROWS_FORMULA_ROWS_H_

#include <array>
#include <utility>
#include <vector>

#include "tensorlane/compute/rows/formula_of.h"
#include "tensorlane/compute/rows/number_arithmetic.h"
#include "tensorlane/compute/rows/widened_rows.h"

namespace tensorlane {

// A formula as a plain function. (Loops over numbers take pointers to these, so that formulas with
// the same types share one loop: vectors are where time counts.)
template <TypedRow kRow, class A, class R, class... T>
R formula_value(T... x) {
  return static_cast<R>(FormulaOf<kRow>::template of<A>(x...));
}
template <TypedRow kRow, class... T>
std::int64_t integer_value(T... x) {
  return IntegerFormulaOf<kRow>::template of<IntegerNumbers>(x...);
}

// Of operands whose types are known.
template <TypedRow kRow, class A, class R, class... T>
std::vector<Implementation> formula_of_types(
    std::string_view dst, const std::array<std::string_view, sizeof...(T)>& sources,
    SimdRow vectors) {
  return elementwise<R, T...>(dst, sources, formula_value<kRow, A, R, T...>, vectors);
}
template <TypedRow kRow, class R, class... T>
std::vector<Implementation> fp32_formula(
    std::string_view dst, const std::array<std::string_view, sizeof...(T)>& sources) {
  return formula_of_types<kRow, FloatNumbers, R, T...>(dst, sources, fp32_row<kRow>);
}

template <std::size_t>
using FloatSource = float;
template <std::size_t>
using IntegerSource = std::int64_t;
template <std::size_t>
using BitSource = std::uint32_t;

template <std::size_t kSources>
using SourceParams = std::array<SourceParam, kSources>;

// Of floats, with one step that is rounded.
template <TypedRow kRow, std::size_t kSources>
std::vector<Implementation> float_numbers(std::string_view dst,
                                          const SourceParams<kSources>& sources) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return widened<float, FloatSource<I>...>(
        dst, sources, formula_value<kRow, FloatNumbers, float, FloatSource<I>...>);
  }
  (std::make_index_sequence<kSources>());
}
// Of floats, each step rounded to the type of the result.
template <TypedRow kRow, std::size_t kSources>
std::vector<Implementation> rounded_numbers(std::string_view dst,
                                            const SourceParams<kSources>& sources) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return widened<float, FloatSource<I>...>(dst, sources, [dst](const Command& command) {
      switch (command.find(dst)->layout.dtype()) {
        case Dtype::kFp16:
          return formula_value<kRow, RoundedNumbers<Dtype::kFp16>, float, FloatSource<I>...>;
        case Dtype::kBf16:
          return formula_value<kRow, RoundedNumbers<Dtype::kBf16>, float, FloatSource<I>...>;
        default:
          return formula_value<kRow, FloatNumbers, float, FloatSource<I>...>;
      }
    });
  }
  (std::make_index_sequence<kSources>());
}
template <TypedRow kRow, std::size_t kSources>
std::vector<Implementation> integer_numbers(std::string_view dst,
                                            const SourceParams<kSources>& sources) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return widened<std::int64_t, IntegerSource<I>...>(dst, sources,
                                                      integer_value<kRow, IntegerSource<I>...>);
  }
  (std::make_index_sequence<kSources>());
}
template <TypedRow kRow, std::size_t kSources>
std::vector<Implementation> bit_numbers(std::string_view dst,
                                        const SourceParams<kSources>& sources) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return widened<std::uint32_t, BitSource<I>...>(
        dst, sources, formula_value<kRow, BitNumbers, std::uint32_t, BitSource<I>...>);
  }
  (std::make_index_sequence<kSources>());
}

// The vectors in front of one of those.
template <TypedRow kRow, std::size_t kSources>
std::vector<Implementation> in_vectors(std::string_view dst, const SourceParams<kSources>& sources,
                                       std::string_view dtype_param,
                                       std::vector<Implementation> rest) {
  std::vector<std::string_view> names;
  for (const SourceParam& source : sources) names.push_back(source.param);
  return typed_simd(kRow, dst, std::move(names), dtype_param, std::move(rest));
}
template <TypedRow kRow, std::size_t kSources>
std::vector<Implementation> float_formula(std::string_view dst,
                                          const SourceParams<kSources>& sources,
                                          std::string_view dtype_param) {
  return in_vectors<kRow>(dst, sources, dtype_param, float_numbers<kRow>(dst, sources));
}
template <TypedRow kRow, std::size_t kSources>
std::vector<Implementation> rounded_formula(std::string_view dst,
                                            const SourceParams<kSources>& sources,
                                            std::string_view dtype_param) {
  return in_vectors<kRow>(dst, sources, dtype_param, rounded_numbers<kRow>(dst, sources));
}
template <TypedRow kRow, std::size_t kSources>
std::vector<Implementation> bit_formula(std::string_view dst, const SourceParams<kSources>& sources,
                                        std::string_view dtype_param) {
  return in_vectors<kRow>(dst, sources, dtype_param, bit_numbers<kRow>(dst, sources));
}
// Of floats and of integers.
template <TypedRow kRow, std::size_t kSources>
std::vector<Implementation> number_formula(std::string_view dst,
                                           const SourceParams<kSources>& sources,
                                           std::string_view dtype_param) {
  return in_vectors<kRow>(
      dst, sources, dtype_param,
      by_kind(dtype_param, float_numbers<kRow>(dst, sources), integer_numbers<kRow>(dst, sources)));
}

// ---- selections by a comparison: sources 0 and 1 are compared, 2 or 3 is the result ----

using FloatSelection = std::uint32_t (*)(float, float, std::uint32_t, std::uint32_t);
using IntegerSelection = std::uint32_t (*)(std::int64_t, std::int64_t, std::uint32_t,
                                           std::uint32_t);
struct Selection {
  TypedRow vectors;
  FloatSelection of_floats;
  IntegerSelection of_integers;
};
template <TypedRow kRow>
constexpr Selection kSelection = {
    kRow,
    formula_value<kRow, FloatNumbers, std::uint32_t, float, float, std::uint32_t, std::uint32_t>,
    formula_value<kRow, IntegerNumbers, std::uint32_t, std::int64_t, std::int64_t, std::uint32_t,
                  std::uint32_t>};

// `dtype_param` holds the type of what is compared.
std::vector<Implementation> selection(std::string_view dst, const SourceParams<4>& sources,
                                      std::string_view dtype_param, const Selection& selection);

// ---- minimum and maximum of numbers of any type ----

struct Extreme {
  TypedRow vectors;
  Combination combination;
  std::uint32_t (*of_floats)(StoredFloat, StoredFloat);
  std::int64_t (*of_integers)(std::int64_t, std::int64_t);
};
template <TypedRow kRow>
constexpr Extreme kExtreme = {
    kRow, kRow == TypedRow::kMaximum ? Combination::kMaximum : Combination::kMinimum,
    formula_value<kRow, StoredFloats, std::uint32_t, StoredFloat, StoredFloat>,
    integer_value<kRow, std::int64_t, std::int64_t>};

std::vector<Implementation> extreme(std::string_view dst, const SourceParams<2>& sources,
                                    std::string_view dtype_param, const Extreme& extreme);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_ROWS_FORMULA_ROWS_H_
