// Integer arithmetic in vectors, for the rules of integer_rows.h.
//
// Sources are widened to the shortest lanes that hold every step, 16 to 64 bits; the results keep
// the low bits of the destination's type. Rows of elements side by side are read and written where
// they are, others are gathered in short chunks. The steps are exact, so the bits are those of
// IntegerFormula.
#ifndef TENSORLANE_COMPUTE_ROWS_INTEGER_VECTORS_H_
#define TENSORLANE_COMPUTE_ROWS_INTEGER_VECTORS_H_

#include <span>

#include "tensorlane/compute/rows/integer_rows.h"
#include "tensorlane/compute/rows/integer_steps.h"

namespace tensorlane {

// The row function of a rule; null where lanes of 64 bits do not hold every step either. Raw types
// are unsigned ones.
RowFunction integer_vector_row(const IntegerRule& rule, std::span<const Dtype> sources, Dtype dst);

// A frame by its steps, in these lanes.
using RunIntegers = void (*)(const IntegerSteps& steps, const Row& frame);
RunIntegers integers_in(IntegerLanes lanes);
// The first lanes of a set of them, as lanes_that_hold() gives it.
IntegerLanes first_lanes(unsigned lanes);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_ROWS_INTEGER_VECTORS_H_
