// Functions of all pairs of two vectors: dst[i, j] = f(src0[i], src1[j]).
//
// The vectors are in the vector layout, the result is a matrix of src0_len rows in the matrix
// layout, src1_len_per_channel columns in each channel.
#ifndef TENSORLANE_COMPUTE_ROWS_VECTOR_PAIRS_H_
#define TENSORLANE_COMPUTE_ROWS_VECTOR_PAIRS_H_

#include "tensorlane/compute/rows/formula_rows.h"

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

// Minimum or maximum of operands of the type that `dtype` holds.
PairRow extreme_pair_row(const Extreme& extreme);
// true_val where the comparison of numbers of the type that `src_dtype` holds is true, 0 elsewhere.
PairRow compared_pair_row(const Selection& selection);

// How the rows of a call are computed. From `long_row` bytes in a channel on, where they belong;
// below that a row costs as much set-up: whole rows are computed in a buffer and dealt to the
// channels.
inline constexpr std::int64_t kLongPairRow = 96;
struct PairedRows {
  RowFunction row = {};
  std::int64_t long_row = 256;
  bool turns_rows = false;  // those that turns_pairs() has are computed there as well
};
// A faster row than the one for all calls; an empty one where there is none.
using FasterRows = std::function<PairedRows(const Command&)>;

// For a row that compute/rows/pair_loops_inl.h turns.
PairedRows turned_rows(RowFunction row);

// The row in vectors for operands that have the type that `dtype_param` holds, or bits of its
// width; none for others. Comparisons give zero where they do not hold.
FasterRows typed_pair_row(TypedRow vectors, std::string_view dtype_param);

// The implementations: in rows, with `faster` before `row`, and the reference, pair by pair.
std::vector<Implementation> pair_rows(const PairRow& row, const FasterRows& faster = {});

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_ROWS_VECTOR_PAIRS_H_
