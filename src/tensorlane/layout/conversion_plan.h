// What a conversion between two layouts is before a byte moves: nothing at all, a copy of runs, a
// transpose of blocks; and the loops that do it, as C or Python.
//
//   ConversionPlan plan = plan_conversion(to, from);
//   plan.kind                  // kCopy
//   plan.run_bytes, plan.runs  // rows of 80 bytes, 24 of them
//   conversion_c(plan)         // "for (long i = 0; i < 24; ++i)\n  memcpy(to + 128 * i, ..."
//
// The loops are those that the conversion itself runs (fold.h): one nest for every box in which
// both layouts are affine.
#ifndef TENSORLANE_LAYOUT_CONVERSION_PLAN_H_
#define TENSORLANE_LAYOUT_CONVERSION_PLAN_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tensorlane/layout/fold.h"
#include "tensorlane/layout/layout.h"
#include "tensorlane/layout/named.h"

namespace tensorlane {

enum class ConversionKind : std::uint8_t {
  kView,       // every element lies where it is to lie, from one address on
  kCopy,       // runs of bytes that stay together, at other distances
  kTranspose,  // what is side by side in one is apart in the other, block by block
  kScatter,    // elements that are apart on both sides
  kConvert,    // the element types differ: every element is computed
};
// "a view", "a copy of runs", ...; the catalogue has it.
std::string_view conversion_name(ConversionKind kind);

struct ConversionPlan {
  ConversionKind kind = ConversionKind::kView;
  Dtype to_dtype, from_dtype;
  std::int64_t elements = 0;
  std::int64_t shift = 0;      // of a view: bytes from the source's memory to the target's
  std::int64_t run_bytes = 0;  // shortest run that both have together; 0 of 4-bit elements
  std::int64_t runs = 0;       // how many runs or elements are moved one by one
  // Of a transpose: so many are side by side in the target, and so many in the source.
  std::int64_t block_to = 1, block_from = 1;
  std::vector<Box> boxes;  // operand 0 the target, 1 the source; loops outermost first, in units
};

// Both have the same extents. Addresses are those of their memories, as convert() takes them.
ConversionPlan plan_conversion(const Layout& to, const Layout& from);
// Between named layouts: axes are matched by their letters. UserError where they are others or the
// extents differ: that is a reshape, in two steps.
ConversionPlan plan_conversion(const NamedLayout& to, const NamedLayout& from);

// The loops, `to` and `from` being pointers to bytes (buffers, in Python). Of 4-bit elements
// addresses count nibbles.
std::string conversion_c(const ConversionPlan& plan);
std::string conversion_python(const ConversionPlan& plan);

}  // namespace tensorlane

#endif  // TENSORLANE_LAYOUT_CONVERSION_PLAN_H_
