// Layouts written out: one text form for every layout.
//
//   NCHW (2,5 of (4,2),4,5):(64,(npu,32),5,1)   fp32 (2, 5, 4, 5) in local memory, "aligned"
//   OIhw4i16o                                   a blocked layout of any shape
//
// The form stands wherever the name of a layout does: in LayoutSpec::layout, after --layout, in
// Python. `layout describe` prints every layout in it.
//
// The whole form. One letter per axis, outermost first; then for each axis its extent, a colon, and
// for each axis its stride. An axis that is cut into digits has them in parentheses, innermost
// first, and so has its stride. Strides count elements; a `b` behind a number makes it bytes, `npu`
// is the way from one NPU to the next.
//
//   shape:stride             (4,(2,3)):(1,(4,8)) is CuTe's text; without letters the axes are K,
//   RK,
//                            CHW, NCHW, NCDHW, from six on A, B, C, ...
//   5 of (4,2)               5 indices of the 4 * 2 that the digits have places for
//   5+3 of (4,2)             the same, from place 3 on: a start NPU, where the 4 are NPUs
//   0 as a stride            broadcast: every index has the same place
//   + 12                     elements before the first one, in every NPU or in the buffer
//   size 128                 elements that the tensor reserves, where that is more than it spans
//   image 6x4                the addresses are those of an image, in pixels of four lanes
//   swizzle 3,0,3            an exclusive or over the addresses: bits, lowest bit, distance
//   (layout.h);
//                            CuTe's text, Sw<3,0,3> o _0 o (8,8):(8,1), is read as well, also with
//                            smem_ptr[16b](unset) in place of the 0, where the swizzle counts bytes
//
// The short form lists the digits as memory has them, outermost first, and takes the extents from
// the shape. A letter is an axis, a letter with a number a block of it; the last block is
// innermost, and the last group is padded: nChw16c, OIhw4i16o, NHWC, RK8r128k. Numbers may stand
// behind the letters instead, all of them: NCHWc16.
#ifndef TENSORLANE_LAYOUT_NOTATION_H_
#define TENSORLANE_LAYOUT_NOTATION_H_

#include <optional>
#include <string>
#include <string_view>

#include "tensorlane/layout/axes.h"
#include "tensorlane/layout/layout.h"
#include "tensorlane/layout/named.h"

namespace tensorlane {

// True for a text of either form, right or wrong: what is certainly no name. A short form needs a
// block or the letters of known axes.
bool is_notation(std::string_view text);

// The axes of a layout written out. Throws UserError that names the character at fault.
Axes notation_axes(std::string_view text);

// A tensor in the whole form, which make_layout() takes for the same places.
std::string notation(const NamedLayout& tensor);
// Any layout; without axes it begins with the shape, as CuTe's texts do.
std::string notation(const Layout& layout, const Axes& axes = {});
// The layout as CuTe prints it: digits in brackets, innermost first, strides in elements. Nothing
// where CuTe has no such layout: axes that end inside their digits, a start NPU, strides that are
// no whole elements.
std::optional<std::string> cute_notation(const Layout& layout);

}  // namespace tensorlane

#endif  // TENSORLANE_LAYOUT_NOTATION_H_
