// Element-wise execution on integers whose types an argument decides.
//
// The fixed-point functions take 8- and 16-bit operands, signed or not, as their op_type says: up
// to 20 combinations per function. A row is widened to int32 in short chunks, the formula works on
// those, and the result is saturated to the destination's type:
//
//   .implementations = integer_elementwise("dst_addr", {{"src0_addr"}, {"src1_addr"}},
//                          [](std::int32_t a, std::int32_t b) { return std::max(a, b); }),
//
// The type of a tensor operand is that of its layout; a constant comes with a rule for its type.
// Numbers such as a shift, the same for every element, are named apart from the sources.
#ifndef TENSORLANE_COMPUTE_ROWS_INTEGER_ROWS_H_
#define TENSORLANE_COMPUTE_ROWS_INTEGER_ROWS_H_

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "tensorlane/compute/rows/elementwise.h"

namespace tensorlane {

struct IntegerSource {
  std::string_view param;
  DtypeRule constant = {};  // the type of a constant; default int32
};

inline constexpr int kIntegerChunk = 256;

// Widens `count` elements of an integer (or raw: unsigned) type, `step` bytes apart.
void load_integers(const std::byte* from, std::int64_t step, Dtype dtype, int count,
                   std::int32_t* to);
// Saturates to `dtype`; raw types keep the low bits.
void store_integers(const std::int32_t* from, int count, Dtype dtype, std::byte* to,
                    std::int64_t step);
// The type of a source in this call.
Dtype integer_type(const Command& command, const IntegerSource& source);

template <std::size_t N, class F>
RowFunction integer_row(const std::array<Dtype, N>& types, Dtype dst, const F& f) {
  const auto one_row = [types, dst, f](const Row& row) {
    std::int32_t src[N][kIntegerChunk];
    std::int32_t result[kIntegerChunk];
    for (std::int64_t begin = 0; begin < row.count; begin += kIntegerChunk) {
      const int count = static_cast<int>(std::min<std::int64_t>(kIntegerChunk, row.count - begin));
      for (std::size_t k = 0; k < N; ++k) {
        load_integers(row.src[k] + begin * row.src_step[k], row.src_step[k], types[k], count,
                      src[k]);
      }
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        const F g = f;  // a copy whose numbers no store changes: the loop can be vectorised
        for (int i = 0; i < count; ++i) result[i] = g(src[I][i]...);
      }
      (std::make_index_sequence<N>{});
      store_integers(result, count, dst, row.dst + begin * row.dst_step, row.dst_step);
    }
  };
  return [one_row](const Row& frame) { each_row(frame, one_row); };
}

// dst = f(sources, numbers): the sources element by element, then the values of the parameters
// `numbers`, which are the same for every element.
template <std::size_t N, std::size_t M, class F>
std::vector<Implementation> integer_elementwise(std::string_view dst,
                                                const IntegerSource (&sources)[N],
                                                const std::array<std::string_view, M>& numbers,
                                                F f) {
  std::array<IntegerSource, N> list;
  std::array<std::string_view, N> names;
  for (std::size_t k = 0; k < N; ++k) {
    list[k] = sources[k];
    names[k] = sources[k].param;
  }
  const auto row = [=](const Invocation& invocation) {
    std::array<Dtype, N> types;
    for (std::size_t k = 0; k < N; ++k) types[k] = integer_type(invocation.command, list[k]);
    std::array<std::int32_t, M> values;
    for (std::size_t k = 0; k < M; ++k)
      values[k] = static_cast<std::int32_t>(invocation.command.arg(numbers[k]).value());
    return integer_row(types, invocation.command.find(dst)->layout.dtype(), [f, values](auto... x) {
      return std::apply([&](auto... number) { return f(x..., number...); }, values);
    });
  };
  return {
      {"rows",
       [=](const Invocation& invocation) {
         return run_rows(invocation, dst, names, row(invocation));
       },
       kAnyOperands},
      {"reference",
       [=](const Invocation& invocation) {
         return run_elements(invocation, dst, names, row(invocation));
       },
       kAnyOperands},
  };
}

template <std::size_t N, class F>
std::vector<Implementation> integer_elementwise(std::string_view dst,
                                                const IntegerSource (&sources)[N], F f) {
  return integer_elementwise(dst, sources, std::array<std::string_view, 0>{}, f);
}

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_ROWS_INTEGER_ROWS_H_
