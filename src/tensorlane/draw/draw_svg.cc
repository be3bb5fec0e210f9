#include "tensorlane/draw/draw.h"
#include "tensorlane/draw/drawing.h"
#include "tensorlane/draw/picture.h"

namespace tensorlane {

std::string draw_svg(const NamedLayout& tensor, int banks) {
  check_npus(tensor);
  const std::int64_t bank_bytes =
      tensor.is_local() && banks > 0 ? tensor.memory().npu_bytes / banks : 0;
  if (!worth_details(tensor)) return draw_occupancy(tensor, bank_bytes);
  const Picture picture = make_picture(tensor);
  return tensor.is_image() ? draw_image(picture) : draw_memory(picture, bank_bytes);
}

}  // namespace tensorlane
