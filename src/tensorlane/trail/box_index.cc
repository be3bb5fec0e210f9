#include "tensorlane/trail/box_index.h"

namespace tensorlane::trail {

Standing standing(const Footprint& bytes) {
  const Shape& shape = *bytes.shape;
  if (shape.npu_bytes > 0) {
    return {.range = shape.lane_bounds,
            .box = shape.lanes.size() == 1 ? &shape.lanes[0].box : nullptr};
  }
  return {.range = bytes.bounds(),
          .box = shape.boxes.size() == 1 ? shape.boxes.data() : nullptr,
          .origin = bytes.origin};
}

}  // namespace tensorlane::trail
