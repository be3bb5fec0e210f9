#include "tensorlane/layout/element_place.h"

#include "tensorlane/base/language.h"

namespace tensorlane {

std::vector<std::string_view> place_names(const NamedLayout& tensor) {
  std::vector<std::string_view> names = {msg("offset")};
  if (tensor.is_local()) names = {"npu", msg("offset")};
  if (tensor.is_image()) return {"x", "y", msg("lane")};
  if (tensor.layout.unit_bits() == 4) names.push_back(msg("nibble"));
  return names;
}

std::array<std::int64_t, 4> place_of(const NamedLayout& tensor, const Layout::Index& index) {
  if (tensor.is_image()) {
    const ImageAddress at = tensor.layout.image_address(index);
    return {at.x, at.y, at.lane};
  }
  const std::int64_t per_byte = 8 / tensor.layout.unit_bits();
  if (tensor.is_local()) {
    const LocalAddress at = tensor.layout.local_address(index);
    return {at.npu, at.offset / per_byte, at.offset % per_byte};
  }
  const std::int64_t address = tensor.layout.address(index);
  return {address / per_byte, address % per_byte};
}

}  // namespace tensorlane
