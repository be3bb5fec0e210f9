// The folded form: the canonical description of one or several strided operands.
//
// Copies, element-wise arithmetic, bounds and race checks, timing and drawing all walk the same
// thing: a tensor (or several of the same shape) as a few boxes of affine loops. A layout whose
// channels start at NPU 5 is not one affine loop nest but up to three (a first partial row of NPUs,
// the full rows, a last partial row); a matrix with a short last channel adds one more. `fold`
// finds those boxes once, for all operands together, then drops loops of extent 1 and fuses
// neighbouring loops whose strides multiply for every operand.
//
//   fold({&dst, &src})  ->  boxes; in each: base address per operand, loops outermost first, and
//                           per loop the extent and one stride per operand.
//
// Loops are sorted by the stride of operand 0 (largest first), so that the innermost loop is the
// most contiguous one of the destination and the NPU loop comes out outermost.
#ifndef TENSORLANE_LAYOUT_FOLD_H_
#define TENSORLANE_LAYOUT_FOLD_H_

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "tensorlane/layout/layout.h"

namespace tensorlane {

inline constexpr int kMaxFoldOperands = 6;
inline constexpr int kMaxLoops = Layout::kMaxDigits;

struct Loop {
  std::int64_t extent;
  std::array<std::int64_t, kMaxFoldOperands> stride;
};

struct Box {
  std::array<std::int64_t, kMaxFoldOperands> base{};
  int rank = 0;  // 0: a single element
  std::array<Loop, kMaxLoops> loops;

  std::span<const Loop> nest() const { return {loops.data(), static_cast<std::size_t>(rank)}; }
  std::int64_t size() const;
};

enum class LoopOrder {
  kByAddress,  // sorted by the stride of operand 0; merges the most
  kLogical,    // as the dimensions stand; merges neighbours only
};

// All layouts must have the same shape; internal error otherwise. Empty tensors give no box.
std::vector<Box> fold(std::span<const Layout* const> layouts,
                      LoopOrder order = LoopOrder::kByAddress);
inline std::vector<Box> fold(std::initializer_list<const Layout*> layouts,
                             LoopOrder order = LoopOrder::kByAddress) {
  return fold(std::span(layouts.begin(), layouts.size()), order);
}
inline std::vector<Box> fold(const Layout& layout) {
  return fold({&layout});
}

// True when no two iterations of the box touch the same unit of operand `k`, whose elements are
// `element_units` wide, as far as nesting of the strides shows it. (A false answer may be wrong for
// exotic interleaved strides; a true one never is.)
bool nested(const Box& box, int k, std::int64_t element_units);

}  // namespace tensorlane

#endif  // TENSORLANE_LAYOUT_FOLD_H_
