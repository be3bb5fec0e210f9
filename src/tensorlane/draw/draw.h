// Drawings of layouts: SVG for documents and browsers, text for the terminal.
//
//   NamedLayout tensor = make_layout({.layout = "aligned", .shape = {2, 3, 4, 5}, .start_npu = 2});
//   std::string file = draw_svg(tensor);
//
// Local memory is drawn as the documents of the chips do: NPUs side by side, cells of four bytes,
// eight to a row where a page is wide enough. Every channel has a hue, every batch a shade;
// reserved bytes without an element are hatched; arrows show the strides; resting the pointer on a
// cell names its elements and its address. Below stands the tensor as its axes have it, each
// element with its place. Images are grids of pixels with four lanes. Tensors whose cells would be
// too small are drawn as how full each part of each memory is. Every file stands alone, 900 pixels
// wide.
//
// Rectangles that hold elements carry data-at="npu:cell" ("x:y:lane" in images), arrows
// data-at="axis:stride", their labels data-label, the elements of the logical tensor
// data-element="n,c,h,w", so that programs can check a drawing against the mapping.
#ifndef TENSORLANE_DRAW_DRAW_H_
#define TENSORLANE_DRAW_DRAW_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tensorlane/layout/named.h"

namespace tensorlane {

// With lines where the banks of local memory begin, where it has so many and the tensor reaches
// beyond one. Throws UserError, as all drawings do, where an element lies beyond the last NPU.
std::string draw_svg(const NamedLayout& tensor, int banks = 0);
// At most `columns` characters wide where the picture allows it.
std::string draw_text(const NamedLayout& tensor, int columns = 100);

struct ConversionPicture {
  // Of these elements, in the source's axes, the way from one memory to the other is drawn; without
  // any that of the first element and its neighbour along each axis.
  std::vector<Layout::Index> ways = {};
  // The elements appear in the target one after the other, in the order of its memory.
  bool animated = false;
};
// Two layouts of one tensor side by side, a cell for each element, of one colour on both sides.
// NPUs and lanes are named. Cells carry data-from and data-to="n,c,h,w" (in the source's axes),
// ways data-at="way:n,c,h,w". Throws UserError where the layouts are not of one tensor, and for
// tensors with too many elements to be told apart.
std::string draw_conversion_svg(const NamedLayout& from, const NamedLayout& to,
                                const ConversionPicture& what = {});

struct LocalPlan;
// The buffers of a plan in the memory of an NPU, with its banks.
std::string draw_plan_svg(const LocalPlan& plan);

// ---- Figures of the documents that show no single tensor ---------------------------------------

struct MarkedAddress {
  std::string_view label;
  std::int64_t address;  // linear local address
};
// Local memory with its byte numbers and some addresses marked.
std::string draw_addresses_svg(const LocalMemory& memory, std::span<const MarkedAddress> marks);

// Which addresses lie in which bank of which NPU.
std::string draw_banks_svg(const LocalMemory& memory, int banks);

// How the channels of `batches` batches are dealt to the NPUs, one cell per feature (n, c).
std::string draw_scatter_svg(int npus, std::int64_t batches, std::int64_t channels,
                             std::int64_t start_npu);

// The three-stage pipeline over `parts` parts: in step k part k comes in, part k - 1 is computed,
// part k - 2 goes out.
std::string draw_pipeline_svg(int parts);

}  // namespace tensorlane

#endif  // TENSORLANE_DRAW_DRAW_H_
