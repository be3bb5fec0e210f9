// Functions of all pairs of two vectors: dst[i, j] = f(src0[i], src1[j]).
//
// The vectors are in the vector layout, the result is a matrix of src0_len rows in the matrix
// layout, src1_len_per_channel columns in each channel.
#ifndef TENSORLANE_COMPUTE_ROWS_VECTOR_PAIRS_H_
#define TENSORLANE_COMPUTE_ROWS_VECTOR_PAIRS_H_

#include "tensorlane/compute/rows/extremes.h"
#include "tensorlane/compute/rows/typed_rows.h"
#include "tensorlane/compute/rows/widened_rows.h"

namespace tensorlane {

// The row function of a call whose source 0 is constant along a row. Source 2, if it has one, is
// the constant true_val.
using PairRow = std::function<RowFunction(const Command&)>;

template <class R, class A, class B, class Make>
PairRow pair_row(Make make) {
  return [=](const Command& command) {
    return widened_row<R, A, B>(command, "dst_addr", {"src0_addr", "src1_addr"}, make,
                                std::index_sequence_for<A, B>{});
  };
}

// Minimum or maximum; sources 2 and 3 are the operands once more, for their bits.
template <class T, class TakesFirst>
RowFunction extreme_row(const Command& command, TakesFirst takes_first) {
  const SourceParam a("src0_addr"), b("src1_addr");
  const FlushBits flush(command.operands()[0].layout.dtype());
  return widened_row<std::uint32_t, T, T, std::uint32_t, std::uint32_t>(
      command, "dst_addr", {a, b, a, b},
      [=](T x, T y, std::uint32_t x_bits, std::uint32_t y_bits) {
        return flush(takes_first(x, y) ? x_bits : y_bits);
      },
      std::make_index_sequence<4>{});
}
template <class TakesFirst>
PairRow extreme_pair_row(TakesFirst takes_first) {
  return [=](const Command& command) {
    return dtype_info(type_in(command, "dtype")).is_float
               ? extreme_row<float>(command, takes_first)
               : extreme_row<std::int64_t>(command, takes_first);
  };
}

template <class T, class F>
RowFunction compared_row(const Command& command, F test) {
  return widened_row<std::uint32_t, T, T, std::uint32_t>(
      command, "dst_addr", {"src0_addr", "src1_addr", SourceParam("true_val", "dst_dtype")},
      [test](T a, T b, std::uint32_t yes) { return test(a, b) ? yes : 0U; },
      std::index_sequence_for<T, T, std::uint32_t>{});
}
template <class F>
PairRow compared_pair_row(F test) {
  return [=](const Command& command) {
    return dtype_info(type_in(command, "src_dtype")).is_float
               ? compared_row<float>(command, test)
               : compared_row<std::int64_t>(command, test);
  };
}

// A row in vectors, where it makes a function. From `long_row` bytes in a channel on, rows are
// computed where they belong: a row costs as much set-up as that many bytes.
struct PairVectors {
  PairRow row = {};
  std::int64_t long_row = 256;
};

// The row in vectors for operands that have the type that `dtype_param` holds, or bits of its
// width; none for others. Comparisons give zero where they do not hold.
PairVectors typed_pair_row(TypedRow vectors, std::string_view dtype_param);

// The implementations: in rows, with `vectors` before `row`, and the reference, pair by pair.
std::vector<Implementation> pair_rows(const PairRow& row, const PairVectors& vectors = {});

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_ROWS_VECTOR_PAIRS_H_
