// What sums of products share, whatever their operands are: outputs that slide a window over input
// channels. Convolutions are of this form, and so are matrix products: one image of height 1, a 1x1
// kernel, the rows of the left matrix, the reduction index as channels, the columns of the right
// matrix as positions.
#ifndef TENSORLANE_COMPUTE_BANDS_PRODUCT_FRAME_H_
#define TENSORLANE_COMPUTE_BANDS_PRODUCT_FRAME_H_

#include <cstdint>
#include <functional>

#include "tensorlane/compute/bands/local_view.h"
#include "tensorlane/compute/bands/window2d.h"

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

// A part of one input channel: rows [begin, end), `count` columns from `first` on. These are all
// columns but in matrices.
struct InputPart {
  int image = 0;
  int channel = 0;
  int begin = 0;
  int end = 1;
  int first = 0;
  int count = 0;
};

// Writes a part as words, row behind row. Called from several threads.
template <class Word>
using ReadInput = std::function<void(const InputPart& part, Word* to)>;

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_BANDS_PRODUCT_FRAME_H_
