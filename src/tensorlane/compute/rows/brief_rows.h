// Special functions of few operations over rows, without widened copies of the elements: quotients
// and the straight lines for curves. For longer ones special_rows.h is as fast.
#ifndef TENSORLANE_COMPUTE_ROWS_BRIEF_ROWS_H_
#define TENSORLANE_COMPUTE_ROWS_BRIEF_ROWS_H_

#include "tensorlane/compute/rows/elementwise.h"
#include "tensorlane/compute/special/functions.h"

namespace tensorlane {

// Takes frames whose results stand side by side along rows, and each source so or one element for
// each row. What a divisor gives that serves many elements is computed once.
using BriefRow = void (*)(const Row& frame, const special::Constants& constants);

// The function that `on_arrays` is of functions.h, where all operands have the type; null for those
// that have none.
BriefRow brief_row(special::Compute on_arrays, Dtype dtype);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_ROWS_BRIEF_ROWS_H_
