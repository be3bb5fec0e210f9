// Elements of a tensor by what is known of them, as boxes of indices: holes in a tensor are mostly
// a few columns of every row, a row of every channel or a channel, so a handful of boxes describes
// them however large the tensor is.
#ifndef TENSORLANE_TRAIL_ELEMENT_BOXES_H_
#define TENSORLANE_TRAIL_ELEMENT_BOXES_H_

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "tensorlane/trail/init_shadow.h"
#include "tensorlane/trail/windows.h"

namespace tensorlane::trail {

// Elements with one mark: all combinations of a range of indices per dimension.
struct ElementBox {
  Mark mark = kUnwritten;
  std::array<Range, Layout::kMaxDims> at{};
  friend bool operator==(const ElementBox&, const ElementBox&) = default;
};

// The elements of a tensor with bytes that hold no defined value. An element whose bytes differ has
// the mark of the first of them; `whole`: there is none.
struct UndefinedElements {
  std::vector<ElementBox> boxes;
  bool whole = true;
};
UndefinedElements undefined_elements(const InitShadow& shadow, int memory, const Layout& layout);
// The elements of a dense array in row-major order whose value is not `background`; the value is
// their mark.
std::vector<ElementBox> boxes_of(std::span<const Mark> elements,
                                 std::span<const std::int64_t> extents, Mark background);

// Elements as all combinations of indices, several ranges per dimension.
struct Elements {
  std::vector<Indices> at;
  bool empty() const;
};
Elements elements_of(const ElementBox& box, int rank);
// The layouts of a tensor's parts that together are these elements.
std::vector<Layout> parts_of(const Layout& layout, const Elements& elements);

}  // namespace tensorlane::trail

#endif  // TENSORLANE_TRAIL_ELEMENT_BOXES_H_
