// How elements and lines move inside local memory by indices and masks: gathers, scatters,
// selection.
//
// The operands are output_addr, param_addr and index_addr or mask_addr; a parameter fill_const says
// that an index of all ones stands for none.
#ifndef TENSORLANE_COMPUTE_MOVES_INDEXED_MOVES_H_
#define TENSORLANE_COMPUTE_MOVES_INDEXED_MOVES_H_

#include <vector>

#include "tensorlane/ops/command.h"

namespace tensorlane {

// Indices [1, count, 1, 1] that all channels share: along w, and of words that hold h and w.
std::vector<Implementation> moves_along_w(bool scatter);
std::vector<Implementation> moves_along_hw(bool scatter);
// Every (n, c) has its own indices, of elements along w or of lines along h.
std::vector<Implementation> moves_by_own_indices(bool scatter, bool along_h);
// The elements whose mask is not 0, and into count_addr how many.
std::vector<Implementation> moves_by_mask();

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_MOVES_INDEXED_MOVES_H_
