#include "tensorlane/observe/box_index.h"

namespace tensorlane::observe {

Standing standing(const check::Footprint& bytes) {
  const check::Shape& shape = *bytes.shape;
  if (shape.npu_bytes > 0) {
    return {.range = shape.lane_bounds,
            .box = shape.lanes.size() == 1 ? &shape.lanes[0].box : nullptr};
  }
  return {.range = bytes.bounds(),
          .box = shape.boxes.size() == 1 ? shape.boxes.data() : nullptr,
          .origin = bytes.origin};
}

}  // namespace tensorlane::observe
