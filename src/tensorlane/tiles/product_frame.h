// What sums of products share, whatever their operands are: outputs that slide a window over input
// channels. Convolutions are of this form, and so are matrix products: one image of height 1, a 1x1
// kernel, the rows of the left matrix, the reduction index as channels, the columns of the right
// matrix as positions.
#ifndef TENSORLANE_TILES_PRODUCT_FRAME_H_
#define TENSORLANE_TILES_PRODUCT_FRAME_H_

#include <cstdint>

#include "tensorlane/tiles/local_view.h"
#include "tensorlane/tiles/window2d.h"

namespace tensorlane {

struct ProductFrame {
  LocalView input;  // [n, channels, h, w]
  int n = 1;
  int channels = 1;
  int h = 1;
  int w = 1;
  int rows = 1;  // output channels or matrix rows
  Window2d window;
  std::int64_t output_pitch = 0;  // elements from one row of output positions to the next
};

}  // namespace tensorlane

#endif  // TENSORLANE_TILES_PRODUCT_FRAME_H_
