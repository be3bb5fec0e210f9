// Element-wise execution: one scalar formula, applied to every element of strided tensors.
//
// An entry of the ops list gives the formula as a lambda; `elementwise` makes the implementations:
//
//   .implementations = elementwise<float, float, float>(
//        "dst_addr", {"src0_addr", "src1_addr"}, [](float a, float b) { return fp32::add(a, b); }),
//
// That is a list of two: "rows", which walks the folded boxes row by row and spreads them over
// threads, and "reference", which visits the elements in logical order through Layout::address.
// Where the formula has a SIMD form (compute/rows/row_formulas.h), it is named after the lambda and
// goes first.
//
// Sources are named by parameter. A tensor operand is read element by element; a parameter that is
// not an operand of this call (a float, an x32, a fp32_or_addr_t that holds a value) is a constant,
// and so is a decimal number in place of a name.
// Reads happen before writes: a destination that overlaps a source at other addresses sees the old
// values (observed on the model); in place with the same addresses costs nothing.
#ifndef TENSORLANE_COMPUTE_ROWS_ELEMENTWISE_H_
#define TENSORLANE_COMPUTE_ROWS_ELEMENTWISE_H_

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <functional>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "tensorlane/ops/command.h"

namespace tensorlane {

inline constexpr int kMaxSources = 5;

// A row of elements: pointers and byte steps of the destination and the sources.
struct Row {
  std::byte* dst;
  std::int64_t dst_step;
  std::array<const std::byte*, kMaxSources> src;
  std::array<std::int64_t, kMaxSources> src_step;
  std::int64_t count;
  // Rows like this one, and the bytes from each to the next; and blocks of such rows (the NPUs, as
  // a rule). One call for a whole tensor costs little where its rows are short.
  std::int64_t rows = 1;
  std::int64_t dst_next = 0;
  std::array<std::int64_t, kMaxSources> src_next = {};
  std::int64_t blocks = 1;
  std::int64_t dst_block = 0;
  std::array<std::int64_t, kMaxSources> src_block = {};
  // Nobody else writes into the words of 32 bits that hold the destination's elements meanwhile.
  bool owns_words = false;
};
// Whether no two elements of a destination, which lie `steps` bytes apart by its loops, stand in
// the same word of 32 bits: all of them have the same place in their words then.
inline bool own_their_words(std::span<const std::int64_t> steps) {
  constexpr std::int64_t kWord = 4;
  return std::ranges::all_of(steps, [](std::int64_t step) { return step % kWord == 0; });
}
using RowFunction = std::function<void(const Row&)>;

// Calls f(row) for each row of a frame, alone.
template <class F>
void each_row(const Row& frame, const F& f) {
  Row row = frame;
  row.rows = row.blocks = 1;
  for (std::int64_t b = 0; b < frame.blocks; ++b) {
    for (std::int64_t r = 0; r < frame.rows; ++r) {
      row.dst = frame.dst + b * frame.dst_block + r * frame.dst_next;
      for (std::size_t k = 0; k < row.src.size(); ++k)
        row.src[k] = frame.src[k] + b * frame.src_block[k] + r * frame.src_next[k];
      f(row);
    }
  }
}

// Exchanges two sources.
inline void swap_sources(Row& row, std::size_t a, std::size_t b) {
  std::swap(row.src[a], row.src[b]);
  std::swap(row.src_step[a], row.src_step[b]);
  std::swap(row.src_next[a], row.src_next[b]);
  std::swap(row.src_block[a], row.src_block[b]);
}

// A row function in vectors. It takes the rows of vector_rows() and has to: a destination side by
// side, and each source side by side or one element for all, in any mixture, of each row or of the
// whole frame. A test holds all of them to that (row_forms_test.cc).
using SimdRow = void (*)(const Row&);

// What rows a function takes: the forms along them, and the bytes of elements (0: of any).
struct RowForms {
  AlongSet result = AlongSet::all();
  AlongSet sources = AlongSet::all();
  std::int64_t result_bytes = 0;
  std::int64_t source_bytes = 0;

  friend constexpr bool operator==(const RowForms&, const RowForms&) = default;
};
constexpr RowForms vector_rows(std::int64_t result_bytes, std::int64_t source_bytes) {
  return {
      {Along::kSideBySide}, {Along::kSideBySide, Along::kOneForAll}, result_bytes, source_bytes};
}
// The forms of an implementation that calls run_rows with these.
constexpr OperandForms forms_of(const RowForms& rows) {
  return {rows.result, rows.sources, Overlap::kPartly};
}
inline constexpr OperandForms kVectorOperands = forms_of(vector_rows(0, 0));

// Calls `row`, which takes all rows, for frames with every row of the folded boxes, on several
// threads when the work is worth it. False when the destination's strides do not nest: then the
// order of writes matters.
bool run_rows(const Invocation& invocation, std::string_view dst,
              std::span<const std::string_view> sources, const RowFunction& row);
// The same in vectors, for elements of so many bytes. False as well when rows are not of the forms
// or elements not of the widths that `row` takes.
struct ElementBytes {
  std::int64_t result, sources;
};
bool run_rows(const Invocation& invocation, std::string_view dst,
              std::span<const std::string_view> sources, SimdRow row, ElementBytes bytes);
// Nobody knows what elements it is for.
bool run_rows(const Invocation& invocation, std::string_view dst,
              std::span<const std::string_view> sources, SimdRow row) = delete;
// A call that comes again keeps its rows. Lets go of those that it kept for other sources, for a
// way of computing it that has these from now on.
void release_other_rows(const Invocation& invocation, std::span<const std::string_view> sources);

// How the operands of an element-wise call stand along its rows: the worst of all of them, kApart
// after kOneForAll after kSideBySide.
struct FormsAlongRows {
  Along result = Along::kSideBySide;
  std::array<Along, kMaxSources> sources{};

  bool fit(const OperandForms& forms, std::size_t source_count) const;
};
FormsAlongRows forms_along_rows(const Invocation& invocation, std::string_view dst,
                                std::span<const std::string_view> sources);

// The bits of a source that is no operand of the call: of a parameter, or a number in its place.
std::uint32_t constant_bits(const Command& command, std::string_view source);

// Calls `row` with one element at a time in logical order.
bool run_elements(const Invocation& invocation, std::string_view dst,
                  std::span<const std::string_view> sources, const RowFunction& row);

template <class T>
T load_element(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

template <class T>
void store_element(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

// A source that is dense or constant along a row; a constant is repeated in a buffer, so that one
// loop serves both.
template <class T>
class DenseSource {
 public:
  static constexpr std::int64_t kChunk = 256;

  DenseSource(const std::byte* src, std::int64_t step, std::int64_t count)
      : src_(src), step_(step) {
    if (step == 0) std::fill_n(copies_.begin(), std::min(kChunk, count), load_element<T>(src));
  }
  // The elements from `begin` on, a multiple of kChunk; kChunk of them at most.
  const std::byte* chunk(std::int64_t begin) const {
    return step_ == 0 ? reinterpret_cast<const std::byte*>(copies_.data()) : src_ + begin * step_;
  }

 private:
  const std::byte* src_;
  std::int64_t step_;
  std::array<T, kChunk> copies_;
};

template <class R, class F, class... T>
void dense_row(const Row& row, const F& f, const DenseSource<T>&... sources) {
  constexpr std::int64_t kChunk = DenseSource<R>::kChunk;
  for (std::int64_t begin = 0; begin < row.count; begin += kChunk) {
    // Copies: a store might change what `row` holds, as far as the compiler knows.
    std::byte* const to = row.dst + begin * static_cast<std::int64_t>(sizeof(R));
    const auto count = static_cast<std::size_t>(std::min(kChunk, row.count - begin));
    const auto compute = [to, count, f](auto*... from) {
      for (std::size_t i = 0; i < count; ++i)
        store_element<R>(to + i * sizeof(R), f(load_element<T>(from + i * sizeof(T))...));
    };
    compute(sources.chunk(begin)...);
  }
}

// Applies `f` along a row. The dense case gets loops of its own that can be vectorised.
template <class R, class... T, class F>
RowFunction scalar_row(F f) {
  return [f](const Row& frame) {
    each_row(frame, [&](const Row& row) {
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        if (row.dst_step == sizeof(R) &&
            ((row.src_step[I] == sizeof(T) || row.src_step[I] == 0) && ...)) {
          return dense_row<R>(row, f, DenseSource<T>(row.src[I], row.src_step[I], row.count)...);
        }
        for (std::int64_t i = 0; i < row.count; ++i) {
          store_element<R>(row.dst + i * row.dst_step,
                           f(load_element<T>(row.src[I] + i * row.src_step[I])...));
        }
      }
      (std::index_sequence_for<T...>{});
    });
  };
}

// The implementations of an element-wise function with result type R and source types T...
template <class R, class... T, class F>
std::vector<Implementation> elementwise(std::string_view dst,
                                        std::array<std::string_view, sizeof...(T)> sources, F f) {
  const RowFunction row = scalar_row<R, T...>(f);
  return {
      {"rows",
       [=](const Invocation& invocation) { return run_rows(invocation, dst, sources, row); },
       kAnyOperands},
      {"reference",
       [=](const Invocation& invocation) { return run_elements(invocation, dst, sources, row); },
       kAnyOperands},
  };
}

// dst = src for elements of any width, one strided copy per folded box. False as for run_rows.
bool run_copy(const Invocation& invocation, std::string_view dst, std::string_view src);

// The implementations of a copy or fill of elements of type T: "strided" (layout/strided_copy.h)
// in front of those of any element-wise function.
template <class T>
std::vector<Implementation> copy_elements(std::string_view dst, std::string_view src) {
  std::vector<Implementation> list = elementwise<T, T>(dst, {src}, [](T value) { return value; });
  list.insert(
      list.begin(),
      {"strided", [=](const Invocation& invocation) { return run_copy(invocation, dst, src); },
       kAnyOperands});
  return list;
}

// One function as several element-wise steps, each a list made by `elementwise`: a work tensor is
// computed first and read by the next step.
std::vector<Implementation> in_turn(const std::vector<std::vector<Implementation>>& steps);

// A SIMD row function in front of `rest`, for calls whose rows and elements it takes.
std::vector<Implementation> simd_rows(std::string_view dst, std::vector<std::string_view> sources,
                                      SimdRow row, ElementBytes bytes,
                                      std::vector<Implementation> rest);

// `elementwise` with the SIMD form of the same formula (compute/rows/row_formulas.h) in front.
template <class R, class... T, class F>
std::vector<Implementation> elementwise(std::string_view dst,
                                        std::array<std::string_view, sizeof...(T)> sources, F f,
                                        SimdRow simd) {
  constexpr ElementBytes kBytes{sizeof(R), std::max({sizeof(T)...})};
  static_assert(((sizeof(T) == kBytes.sources) && ...));
  return simd_rows(dst, {sources.begin(), sources.end()}, simd, kBytes,
                   elementwise<R, T...>(dst, sources, f));
}

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_ROWS_ELEMENTWISE_H_
