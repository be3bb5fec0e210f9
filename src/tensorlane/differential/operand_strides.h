// Strides of operands: every kind that somebody may pass.
#ifndef TENSORLANE_DIFFERENTIAL_OPERAND_STRIDES_H_
#define TENSORLANE_DIFFERENTIAL_OPERAND_STRIDES_H_

#include "tensorlane/differential/random.h"
#include "tensorlane/ops/op.h"

namespace tensorlane::differential {

// NULL where the entry has a default; else a nest of the extents in any order, with gaps, with
// zeros along any axes, with steps backwards, or numbers that do not nest at all. `tame`: NULL, or
// a nest in the usual order.
Arg draw_stride(const Op& op, const Op::CompiledOperand& operand, const Environment& environment,
                bool tame, Random& random);

}  // namespace tensorlane::differential

#endif  // TENSORLANE_DIFFERENTIAL_OPERAND_STRIDES_H_
