// Conversion of a tensor from any layout to any other.
//
//   NamedLayout from = make_layout({.layout = "continuous", .dtype = Dtype::kFp32, .shape =
//   {...}}); NamedLayout to = make_layout({.system = System::kMace, .layout = "IN_OUT_CHANNEL",
//   ...}); std::vector<std::byte> image = convert(to, from, data);
//
// Two layouts of one shape are folded together and copied box by box (strided_copy.h). Where the
// element types differ, or where the layouts carry into their next digits at so different places
// that there would be thousands of boxes, the copy goes through a small row-major buffer, piece by
// piece: gather, convert, scatter.
#ifndef TENSORLANE_LAYOUT_CONVERT_H_
#define TENSORLANE_LAYOUT_CONVERT_H_

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "tensorlane/layout/layout.h"
#include "tensorlane/layout/named.h"
#include "tensorlane/layout/strided_copy.h"
#include "tensorlane/tensor/convert.h"

namespace tensorlane {

struct LayoutConversion {
  ConvertOptions element;  // rounding and overflow, where the element types differ
  CopyThreads threads = CopyThreads::kAuto;
  bool reshape = false;  // between named layouts: the extents of an axis may differ
  // Called now and then, from the calling thread, with the elements done and those there are.
  std::function<void(std::int64_t done, std::int64_t all)> progress = {};
};

// Copies every element of `from` to its place in `to`. Both have the same extents; `dst` and `src`
// are where address 0 lies, and must not overlap. Bytes of `dst` outside the elements keep their
// values. Throws UserError for element types that cannot be converted.
void convert(const Layout& to, std::byte* dst, const Layout& from, const std::byte* src,
             const LayoutConversion& options = {});

// The same, element by element: what convert() is tested against.
void convert_reference(const Layout& to, std::byte* dst, const Layout& from, const std::byte* src,
                       const LayoutConversion& options = {});

// Converts between named layouts of one logical tensor, and fills the padding as the target
// prescribes.
//
// Axes of the same letters are matched (NCHW -> NHWC, OIHW -> HWOI). Between other axes the tensor
// is reshaped: elements keep their order in the row-major sequence of either shape, as from
// (n, c, h, w) to a matrix of n rows; with LayoutConversion::reshape also where the axes are the
// same and their extents are not. A 3x3 filter given to WINOGRAD_FILTER is transformed (G g G^T).
//
// `dst` and `src` are what the tensor takes (NamedLayout::total_bytes): the buffer or image, or for
// local layouts the reserved bytes of NPU 0, then those of NPU 1, and so on. Where nothing is
// prescribed for padding, `dst` keeps its bytes.
void convert(const NamedLayout& to, std::span<std::byte> dst, const NamedLayout& from,
             std::span<const std::byte> src, const LayoutConversion& options = {});
// The same into new memory, zero where no element lies.
std::vector<std::byte> convert(const NamedLayout& to, const NamedLayout& from,
                               std::span<const std::byte> src,
                               const LayoutConversion& options = {});

// Where the elements lie in that memory: address 0 is the first byte the tensor takes, of a local
// one the reserved bytes of the NPUs stand one after the other.
Layout memory_layout(const NamedLayout& tensor);

// The extents `to_axes` must have for a tensor of `shape` along `from_axes`: the same extents axis
// by axis, or reshaped into rows and columns, one vector, or as they stand.
std::vector<std::int64_t> converted_shape(const Axes& to_axes, const Axes& from_axes,
                                          std::span<const std::int64_t> shape);

}  // namespace tensorlane

#endif  // TENSORLANE_LAYOUT_CONVERT_H_
