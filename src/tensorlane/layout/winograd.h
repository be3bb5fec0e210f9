// The filter transform of MACE's winograd convolution: U = G g G^T for each 3x3 filter g.
#ifndef TENSORLANE_LAYOUT_WINOGRAD_H_
#define TENSORLANE_LAYOUT_WINOGRAD_H_

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace tensorlane {

using WinogradRow = std::array<float, 3>;

// The block + 2 rows of G; `block` is 2, 4 or 6, UserError for any other.
std::span<const WinogradRow> winograd_matrix(int block);

// `filters` holds any number of 3x3 filters, row-major. The result holds one (block + 2)^2 tile for
// each, row-major. `block` is 2, 4 or 6: F(2x2, 3x3), F(4x4, 3x3), F(6x6, 3x3).
std::vector<float> winograd_filter_transform(std::span<const float> filters, int block);

}  // namespace tensorlane

#endif  // TENSORLANE_LAYOUT_WINOGRAD_H_
