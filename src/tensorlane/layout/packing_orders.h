// Other orders in memory that the elements of a tensor may have been packed in by mistake.
#ifndef TENSORLANE_LAYOUT_PACKING_ORDERS_H_
#define TENSORLANE_LAYOUT_PACKING_ORDERS_H_

#include <functional>
#include <string>

#include "tensorlane/layout/axes.h"
#include "tensorlane/layout/layout.h"

namespace tensorlane {

// An order that might be the one: a layout of the same axes and extents, and its text.
using VisitOrder = std::function<void(const Layout& layout, const std::string& text)>;

// All row-major orders of the axes of `target` without padding. Up to five axes.
void for_each_row_major_order(const Layout& target, const Axes& axes, const VisitOrder& visit);

// All orders of the digits of `target`, a layout of linear memory, and then, in its own order,
// other sizes of its blocks. Nothing for layouts of more than seven digits, with a swizzle or a
// start.
void for_each_order_of_digits(const Layout& target, const Axes& axes, const VisitOrder& visit);

}  // namespace tensorlane

#endif  // TENSORLANE_LAYOUT_PACKING_ORDERS_H_
