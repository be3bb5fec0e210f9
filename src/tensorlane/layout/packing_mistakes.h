// The mistakes of packing: what a wrong packed tensor would look like under each of them.
#ifndef TENSORLANE_LAYOUT_PACKING_MISTAKES_H_
#define TENSORLANE_LAYOUT_PACKING_MISTAKES_H_

#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "tensorlane/layout/convert.h"

namespace tensorlane {

// A packed tensor that is not what it should be.
struct WrongPacking {
  const NamedLayout& to;
  std::span<const std::byte> packed;
  const NamedLayout& from;
  std::span<const std::byte> original;
  const LayoutConversion& conversion;
  Layout target;                     // where the elements should be in `packed`
  std::span<const std::byte> plain;  // the right elements in logical order
};

// The mistake that explains every element, in words; empty where none does.
std::string explain_packing(const WrongPacking& wrong);

// Calls visit(index, expected, found) for the elements that differ until it returns false: those
// of `packed` at `target` from those of `plain` at `source`. Elements of `packed` outside of it
// differ.
void for_each_difference(
    const Layout& target, std::span<const std::byte> packed, const Layout& source,
    std::span<const std::byte> plain,
    const std::function<bool(const Layout::Index&, std::uint32_t, std::uint32_t)>& visit);

}  // namespace tensorlane

#endif  // TENSORLANE_LAYOUT_PACKING_MISTAKES_H_
