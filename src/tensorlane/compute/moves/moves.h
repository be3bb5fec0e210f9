// Copies of elements between any two layouts: transposed, reversed, broadcast, flattened anew.
//
// A function of the ops list says which view of its source belongs to which element of its
// destination; everything else is a strided copy.
#ifndef TENSORLANE_COMPUTE_MOVES_MOVES_H_
#define TENSORLANE_COMPUTE_MOVES_MOVES_H_

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include "tensorlane/ops/command.h"

namespace tensorlane {

// The source as the destination sees it: a layout of the destination's shape.
using View = std::function<Layout(const Command&, const Layout& dst, const Layout& src)>;

// dst[i] = src[view(i)]. Reads happen before writes. Implementations "strided" and "reference".
std::vector<Implementation> move_elements(std::string_view dst, std::string_view src, View view);

// dst[i] = src[i with its dimensions in this order], e.g. {0, 3, 2, 1} for a transpose of c and w.
std::vector<Implementation> move_permuted(std::string_view dst, std::string_view src,
                                          std::vector<int> order);

// dst[i] = src[i backwards along the dimension that parameter `axis` holds].
std::vector<Implementation> move_reversed(std::string_view dst, std::string_view src,
                                          std::string_view axis);

// The elements of src in row-major order to those of dst, whose shape may be another.
std::vector<Implementation> move_flattened(std::string_view dst, std::string_view src);

// `layout` with dimension `dim` of extent 1 read `extent` times.
Layout repeated(const Layout& layout, int dim, std::int64_t extent);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_MOVES_MOVES_H_
