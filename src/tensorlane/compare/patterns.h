// What differences look like, by simple hypotheses on the index.
//
// A hypothesis about places says which elements differ: a block of indices, every kth of an axis, a
// tail. A hypothesis about values says what stands where they differ: zero, NaN, a multiple of the
// reference, the reference of another index (a transpose, a shift, swapped halves). Each is held
// against the arrays: it explains some of the differing elements, and some that agree it forbids.
// They are ranked by the first less the second; where that is equal, by how particular they are.
#ifndef TENSORLANE_COMPARE_PATTERNS_H_
#define TENSORLANE_COMPARE_PATTERNS_H_

#include <span>
#include <string>
#include <vector>

#include "tensorlane/compare/compare.h"

namespace tensorlane::compare {

struct Arrays {
  std::span<const double> got, want;
  const Shape& shape;
  const Tolerance& tolerance;
  const std::vector<bool>& differs;
  std::int64_t differing;

  std::int64_t size() const { return static_cast<std::int64_t>(got.size()); }
};

std::vector<Pattern> place_patterns(const Arrays& arrays);
std::vector<Pattern> value_patterns(const Arrays& arrays);

// How an axis is called: "channel" of n, c, h, w; "row" of two, "element" of one, else "axis 2
// index".
std::string axis_name(std::size_t axis, std::size_t rank);
// "channels", "batches"
std::string plural_name(std::size_t axis, std::size_t rank);
// "h", "rows", "axis 2": in "a transpose of h and w".
std::string axis_letter(std::size_t axis, std::size_t rank);

// Elements from one index of an axis to the next.
std::vector<std::int64_t> strides_of(const Shape& shape);

}  // namespace tensorlane::compare

#endif  // TENSORLANE_COMPARE_PATTERNS_H_
