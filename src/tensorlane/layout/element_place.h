// Where an element lies, as people count: NPU and offset, offset, or a lane of a pixel.
#ifndef TENSORLANE_LAYOUT_ELEMENT_PLACE_H_
#define TENSORLANE_LAYOUT_ELEMENT_PLACE_H_

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tensorlane/layout/named.h"

namespace tensorlane {

// What the numbers of a place are called: "npu", "offset"; "offset"; "x", "y", "lane"; behind an
// offset in bytes "nibble" for 4-bit types.
std::vector<std::string_view> place_names(const NamedLayout& tensor);
// As many numbers as there are names.
std::array<std::int64_t, 4> place_of(const NamedLayout& tensor, const Layout::Index& index);

// Calls visit(index, place) for every element in logical order; for none where the system writes
// no elements.
template <class Visit>
void for_each_element(const NamedLayout& tensor, const Visit& visit) {
  if (!tensor.holds_elements) return;
  const Layout& layout = tensor.layout;
  Layout::Index index{};
  for (std::int64_t i = 0; i < layout.size(); ++i) {
    visit(index, place_of(tensor, index));
    for (int d = layout.rank() - 1; d >= 0 && ++index[d] == layout.extent(d); --d) index[d] = 0;
  }
}

}  // namespace tensorlane

#endif  // TENSORLANE_LAYOUT_ELEMENT_PLACE_H_
