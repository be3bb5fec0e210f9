// What a drawing of a layout shows, before it becomes SVG or text: which cells hold which elements.
//
// Local and linear memory are drawn in cells of four bytes, eight to a row, as the documents do;
// images in pixels of four lanes. A cell knows the elements in it, so that every front end colours
// and labels the same facts, and tests compare them with the documents' figures.
#ifndef TENSORLANE_DRAW_PICTURE_H_
#define TENSORLANE_DRAW_PICTURE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tensorlane/draw/svg.h"
#include "tensorlane/layout/named.h"

namespace tensorlane {

inline constexpr std::int64_t kCellBytes = 4;
inline constexpr std::int64_t kCellsPerRow = 8;
// What a page of text shows without making it smaller.
inline constexpr double kPageWidth = 900;

// An element in a cell: its index and the part of the cell it takes.
struct CellElement {
  Layout::Index index;
  int first_nibble;     // of the cell's eight; images: the lane
  bool echoed = false;  // it lies elsewhere and is repeated here (LayoutInfo::echoes)
};

// A cell of four bytes of an NPU (0 in linear memory), or a pixel. Sorted by (npu, number).
struct Cell {
  std::int64_t npu = 0;
  std::int64_t number = 0;  // images: y * width + x
  std::vector<CellElement> elements;
};

// The distance along one axis as the documents draw it: from one cell to another of an NPU.
struct StrideArrow {
  Axis axis;
  std::int64_t stride;  // in LayoutInfo::stride_unit
  std::int64_t npu, from_cell, to_cell;
};

struct Picture {
  const NamedLayout* tensor = nullptr;
  std::vector<Cell> cells;         // those that hold an element
  std::vector<std::int64_t> npus;  // drawn columns, ascending; {0} for linear memory
  std::int64_t first_cell = 0;     // of the tensor, in every NPU
  std::int64_t cell_count = 0;     // reserved in every NPU, or of the buffer
  std::vector<StrideArrow> arrows;
};

// Cells of a tensor; local and linear layouts and images alike. Meant for up to some ten thousand
// elements: see `worth_details`.
Picture make_picture(const NamedLayout& tensor);

// Throws UserError where an element lies beyond the memory of the last NPU.
void check_npus(const NamedLayout& tensor);
// True when the single cells can still be told apart in a drawing.
bool worth_details(const NamedLayout& tensor);

// "1,2,3,4"
std::string index_text(const NamedLayout& tensor, const Layout::Index& index);
// The colour of an element: hue by the axis that the layout spreads (channel, output channel,
// column block), lightness by the batch or row.
Color element_color(const NamedLayout& tensor, const Layout::Index& index);
// The places of these axes in the tensor's, -1 where there is none.
struct ColorAxes {
  int hue, shade;
};
ColorAxes color_axes(const NamedLayout& tensor);

// Share of a memory that holds elements, cut into `bins` equal parts, and the first element of
// each: for tensors whose single cells cannot be drawn. Sizes: NPUs (or 1) times bins; images:
// `bins` by `bins` parts of the picture.
struct Occupancy {
  std::int64_t columns = 0, rows = 0;
  std::int64_t bytes_per_bin = 0;                   // images: pixels along x of a bin
  std::int64_t pixels_per_bin_down = 0;             // images only
  std::vector<double> share;                        // row-major: share[row * columns + column]
  std::vector<std::optional<Layout::Index>> first;  // likewise
};
Occupancy measure_occupancy(const NamedLayout& tensor, std::int64_t bins);

}  // namespace tensorlane

#endif  // TENSORLANE_DRAW_PICTURE_H_
