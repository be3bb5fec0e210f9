// Entries of functions of all pairs of two vectors (compute/rows/vector_pairs.h).
#ifndef TENSORLANE_TPUKERNEL_PAIR_FAMILIES_H_
#define TENSORLANE_TPUKERNEL_PAIR_FAMILIES_H_

#include "tensorlane/compute/rows/vector_pairs.h"
#include "tensorlane/tpukernel/families.h"

namespace tensorlane::tpukernel {

// The entry. Each type is a Dtype or the parameter that holds it. `faster` goes before `row`.
OpSpec pairs(std::string_view group, Doc doc, TypeOf dst, TypeOf src0, TypeOf src1,
             const PairRow& row, const FasterRows& faster = {});

}  // namespace tensorlane::tpukernel

#endif  // TENSORLANE_TPUKERNEL_PAIR_FAMILIES_H_
