// Elements of operands side by side, and copies between any two layouts of one shape.
#ifndef TENSORLANE_COMPUTE_ROWS_DENSE_ELEMENTS_H_
#define TENSORLANE_COMPUTE_ROWS_DENSE_ELEMENTS_H_

#include <cstddef>
#include <vector>

#include "tensorlane/ops/command.h"

namespace tensorlane {

// The shape of `layout` in row-major order without gaps.
Layout dense_like(const Layout& layout);

// Each element of `src` to its place in `dst`, a layout of the same shape; they must not overlap.
void copy_elements(const Layout& dst, std::byte* to, const Layout& src, const std::byte* from);

// The elements of an operand in row-major order, one after the other.
std::vector<std::byte> dense_elements(const Invocation& invocation, const Operand& operand);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_ROWS_DENSE_ELEMENTS_H_
