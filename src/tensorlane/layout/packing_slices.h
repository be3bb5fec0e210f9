// A wrong packed tensor as its own slices in another order: rotated, two of them swapped, turned
// round in part, shuffled.
#ifndef TENSORLANE_LAYOUT_PACKING_SLICES_H_
#define TENSORLANE_LAYOUT_PACKING_SLICES_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tensorlane/layout/layout.h"

namespace tensorlane {

// The bits of an element; `index` is that of the tensor.
using BitsAtIndex = std::function<std::uint32_t(const Layout::Index& index)>;

// Which slice across axis `dim` stands in the place of each, so that `found` is `expected` slice by
// slice; empty where it is not, or where every slice stands in its own place. Of equal slices each
// stands where it should if it can.
std::vector<std::int64_t> order_of_slices(const Layout& shape, int dim, const BitsAtIndex& found,
                                          const BitsAtIndex& expected);

// Such an order in words: "o is rotated by 32: o 0 holds what belongs to 32".
std::string words_of_order(std::string_view axis, std::span<const std::int64_t> order);

}  // namespace tensorlane

#endif  // TENSORLANE_LAYOUT_PACKING_SLICES_H_
