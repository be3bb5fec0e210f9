// Layouts as functions, and what can be done with functions: composed, inverted, completed, cut
// into tiles, repeated.
//
// A layout of shape (e0, e1, ...) takes an index to an address. Its elements are numbered in
// logical order, the last axis fastest, so that it takes a number to an address as well; addresses
// are counted in elements here. With that two layouts compose, as CuTe's do:
//
//   composition(a, b)       index of b -> a(b(index)): b's addresses are numbers of a's elements
//   complement(a, size)     the addresses below `size` that a leaves out, as a second layout: every
//                           address is a(i) + c(j) in one way
//   Inverse(a)              address -> index, or "no element": padding is told apart
//   inverse_layout(a)       the same as a layout, where a fills its memory without a gap
//   divided(a, tile)        axes of tiles before, axes inside a tile behind
//   tiled(tile, grid)       the tile repeated as the grid says; divided() takes it apart again
//   fixed(a, axis, index)   the slice at one index, without its axis
//   coalesced(a)            the same function in as few digits as it takes
//   same_places(a, b)       whether two layouts put every element at the same address
//
// The laws that bind them are tests over 10,000 random layouts each (algebra_test.cc). Slices and
// axes in another order are Layout::slice and Layout::permuted.
//
// Errors. A UserError names the axis and what does not divide: not every composition of two such
// functions is one again.
#ifndef TENSORLANE_LAYOUT_ALGEBRA_H_
#define TENSORLANE_LAYOUT_ALGEBRA_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tensorlane/layout/axes.h"
#include "tensorlane/layout/layout.h"

namespace tensorlane {

// Digits that continue each other are one, those of extent 1 are gone. Same shape, same addresses.
Layout coalesced(const Layout& layout);

// One axis over the elements in logical order. UserError where an axis but the first begins or ends
// inside its digits (a start NPU, the last group).
Layout flattened(const Layout& layout);

// `outer` after `inner`; the result has the axes of `inner`. UserError where the digits of `inner`
// step through those of `outer` in a way that no stride describes, or beyond its elements.
Layout composition(const Layout& outer, const Layout& inner);

// What `layout` leaves out of the addresses 0 to `size` - 1, rounded up to a multiple of its span.
// UserError unless its strides nest and divide each other.
Layout complement(const Layout& layout, std::int64_t size);

// From an address back to the element.
class Inverse {
 public:
  // UserError where elements overlap or interleave, so that no digit by digit division finds them.
  // Axes of stride 0 give index 0.
  explicit Inverse(const Layout& layout);

  // The element that owns the unit at `address`; nothing for padding.
  std::optional<Layout::Index> element_at(std::int64_t address) const;
  // As a formula, place in elements:
  // "n = p / 60, c = p / 20 % 3, h = p / 5 % 4, w = p % 5".
  // Digits of one axis are added with their weights; after "no element where" stand the places of
  // padding.
  std::string text(const Axes& axes) const;

 private:
  struct Step {  // largest stride first
    std::int64_t stride, extent;
    int axis;
    std::int64_t weight;  // of one step, in the index
  };
  Layout layout_;
  std::int64_t first_ = 0;  // the address of all digits 0
  Layout::Index start_{};   // and its index, less than 0 where a start NPU leaves places free
  void first_of_repeats(Layout::Index& index) const;

  std::vector<Step> steps_;
  std::vector<Step> repeats_;  // stride 0, smallest weight of an axis first
};

// The places of `layout` as one axis, its addresses the elements' numbers. UserError unless every
// place from 0 on holds an element.
Layout inverse_layout(const Layout& layout);

// Twice as many axes: how many tiles there are along each, then the extents of a tile. UserError
// where a tile does not divide its axis, or ends inside a digit that it does not divide.
Layout divided(const Layout& layout, std::span<const std::int64_t> tile);

// `tile` at every place of `grid`, whose addresses count tiles: axis by axis the tile's indices,
// then the grid's. Both have as many axes.
Layout tiled(const Layout& tile, const Layout& grid);

// The elements with this index along `axis`, which the result does not have.
Layout fixed(const Layout& layout, int axis, std::int64_t index);

// Over a shape that both have: every element at the same address. Exact.
bool same_places(const Layout& a, const Layout& b);

}  // namespace tensorlane

#endif  // TENSORLANE_LAYOUT_ALGEBRA_H_
