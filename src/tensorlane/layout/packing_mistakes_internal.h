// What the kinds of mistakes share: the wrong tensor, how guesses about it are tried, and what the
// answer is. packing_mistakes.cc asks them one after the other.
#ifndef TENSORLANE_LAYOUT_PACKING_MISTAKES_INTERNAL_H_
#define TENSORLANE_LAYOUT_PACKING_MISTAKES_INTERNAL_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tensorlane/layout/axes.h"
#include "tensorlane/layout/layout.h"
#include "tensorlane/layout/packing_mistakes.h"

namespace tensorlane::packing_internal {

using Bits = std::uint32_t;

// Whether the element at `address` lies in a memory of so many bytes.
inline bool inside(const Layout& layout, std::int64_t address, std::size_t bytes) {
  const std::int64_t end = (address + layout.element_units()) * layout.unit_bits();
  return address >= 0 && end <= static_cast<std::int64_t>(bytes) * 8;
}

// The element at `address`, which has to lie in `memory`.
inline Bits bits_at(const Layout& layout, std::span<const std::byte> memory, std::int64_t address) {
  if (layout.unit_bits() == 4)
    return std::to_integer<Bits>(memory[static_cast<std::size_t>(address / 2)]) >>
               (address % 2 * 4) &
           15U;
  Bits bits = 0;
  std::memcpy(&bits, memory.data() + address, static_cast<std::size_t>(layout.element_units()));
  return bits;
}

// A copy of a layout whose dimensions' digits are edited.
template <class Edit>
Layout edited(const Layout& layout, int dim, const Edit& edit) {
  Layout result(layout.dtype());
  std::int64_t base = layout.base();
  for (int d = 0; d < layout.rank(); ++d) {
    std::vector<Digit> digits(layout.digits(d).begin(), layout.digits(d).end());
    if (d == dim) edit(digits, base);
    result.add_dim(layout.extent(d), digits, layout.offset(d));
  }
  return result.set_base(base).set_swizzle(layout.swizzle());
}

// The explanation of a wrong tensor that is sought. The first that is found stays: guesses that
// come after it are not tried.
class Explanation {
 public:
  explicit Explanation(const WrongPacking& wrong);

  const WrongPacking& wrong() const { return wrong_; }
  const Layout& target() const { return target_; }  // where the elements should be
  const Layout& plain() const { return plain_; }    // of the right elements in logical order
  std::string axis(int d) const { return axis_name(wrong_.to.axes[d]); }

  bool explained() const { return !words_.empty(); }
  void explain(std::string words) { words_ = std::move(words); }
  // Empty until it is explained.
  const std::string& words() const { return words_; }

  // True when every element of `plain` at `source` is what lies at `target`.
  bool same(const Layout& target, const Layout& source, std::span<const std::byte> plain);
  // Takes the words where the elements of `source` are what lies at `target`.
  template <class Words>
  void suspect(const Layout& target, const Layout& source, const Words& words) {
    if (!explained() && target.size() > 0 && same(target, source, wrong_.plain)) explain(words());
  }
  // Takes the words where every element is what `change` makes of the right one.
  template <class Change, class Words>
  void suspect_change(const Change& change, const Words& words) {
    if (explained()) return;
    bool right = true;
    Layout::Index index{};
    for (std::int64_t i = 0; right && i < target_.size(); ++i) {
      right = bits_at(target_, wrong_.packed, target_.address(index)) ==
              change(bits_at(plain_, wrong_.plain, plain_.address(index)));
      for (int d = target_.rank() - 1; d >= 0 && ++index[d] == target_.extent(d); --d) index[d] = 0;
    }
    if (right) explain(words());
  }
  // Elements that same() compared, in all calls together.
  std::int64_t compared() const { return compared_; }

 private:
  const WrongPacking& wrong_;
  Layout target_, plain_;
  std::string words_;
  std::int64_t compared_ = 0;
};

// The kinds of mistakes. Each tries its guesses until one explains every element.

// packing_values.cc: the elements are in their places and are other values.
void value_mistakes(Explanation& sought);
// Values that were converted otherwise.
void type_mistakes(Explanation& sought);

// packing_axes.cc: swapped, turned, backwards, repeated.
void axis_mistakes(Explanation& sought);
// Every index along an axis is off by the same.
void neighbour_mistakes(Explanation& sought);
// The slices across an axis in another order.
void slice_mistakes(Explanation& sought);

// packing_lanes.cc: the wrong elements stand side by side.
void group_mistakes(Explanation& sought);
// Elements that stand side by side in another order: any of up to four, else pairs or halves.
void lane_mistakes(Explanation& sought);

// packing_places.cc: at another address or NPU.
void place_mistakes(Explanation& sought);
// As another layout that has a name.
void layout_mistakes(Explanation& sought);
// The same digits one behind the other in another order, or blocks of another size.
void order_mistakes(Explanation& sought);

// packing_parts.cc: all that differs is one box of indices.
void partial_mistakes(Explanation& sought);
// All is zero from a byte on.
void cut_mistakes(Explanation& sought);

}  // namespace tensorlane::packing_internal

#endif  // TENSORLANE_LAYOUT_PACKING_MISTAKES_INTERNAL_H_
