// The image and buffer layouts of MACE's OpenCL runtime.
//
// MACE keeps tensors in 2-D images of four-component pixels. An element lies in pixel (x, y), lane
// k (0 to 3: R, G, B, A), at address ((y * width + x) * 4 + k) * element size of the row-major copy
// of the image. D4(a) is ceil(a / 4).
//
//   type              buffer      width        height            element -> pixel, lane
//   IN_OUT_CHANNEL    [N,H,W,C]   W*D4(C)      N*H               (c/4*W + w, n*H + h), c%4
//   IN_OUT_HEIGHT     [N,H,W,C]   W*C          N*D4(H)           (c*W + w, n*D4(H) + h/4), h%4
//   IN_OUT_WIDTH      [N,H,W,C]   D4(W)*C      N*H               (c*D4(W) + w/4, n*H + h), w%4
//   CONV2D_FILTER     [O,I,H,W]   I            H*W*D4(O)         (i, o/4*H*W + h*W + w), o%4
//   DW_CONV2D_FILTER  [M,I,H,W]   H*W*M        D4(I)             (h*W + w, i/4), i%4; M = 1
//   ARGUMENT          [W]         D4(W)        1                 (w/4, 0), w%4
//   WEIGHT_HEIGHT     [O,I,H,W]   I*H*W        D4(O)             ((h*W + w)*I + i, o/4), o%4
//   WEIGHT_WIDTH      [O,I,H,W]   D4(I)*H*W    O                 ((h*W + w)*D4(I) + i/4, o), i%4
//   WINOGRAD_FILTER   [O,I,e,e]   D4(I)        e*e*O             (i/4, (r*e + s)*O + o), i%4
//
// Example: fp16 [2, 5, 3, 2] as IN_OUT_HEIGHT is an image of 6 x 4 pixels. Element (1, 4, 1, 1) is
// pixel (1*3 + 1, 1*2 + 4/4) = (4, 3), lane 0, at byte ((3*6 + 4)*4 + 0) * 2 = 176.
//
// Lanes without an element are written 0. [source of MACE, confirmed by running its kernels; its
// document differs in places, see docs/layouts.md]
//
// Up to v0.6.x the filters were stored [H,W,O,I] and the CONV2D_FILTER image was ceil4(I) wide; the
// columns beyond I repeat other elements, see `legacy_filter_echoes`.
#ifndef TENSORLANE_LAYOUT_IMAGE_H_
#define TENSORLANE_LAYOUT_IMAGE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "tensorlane/layout/layout.h"

namespace tensorlane {

// Names and numbers of MACE's BufferContentType; the last four are the forms of v0.6.x.
enum class ImageType : std::uint8_t {
  kConv2dFilter = 0,
  kInOutChannel = 1,
  kArgument = 2,
  kInOutHeight = 3,
  kInOutWidth = 4,
  kWinogradFilter = 5,
  kDwConv2dFilter = 6,
  kWeightHeight = 7,
  kWeightWidth = 8,
  kConv2dFilterV06,    // [H,W,O,I]
  kDwConv2dFilterV06,  // [H,W,I,M]
  kWeightHeightV06,    // [H,W]: width W, height D4(H)
  kWeightWidthV06,     // [H,W]: width D4(W), height H
};

struct ImageSize {
  std::int64_t width, height;  // pixels
  friend bool operator==(const ImageSize&, const ImageSize&) = default;
};

// Size of the image for a buffer of `shape`, in the order of the table above.
ImageSize image_size(ImageType type, std::span<const std::int64_t> shape);

// Layout of a tensor of `shape` in such an image. For DW_CONV2D_FILTER with M other than 1 the real
// runtime writes no element at all; the layout is that of the first M and the caller decides.
Layout image_layout(ImageType type, std::span<const std::int64_t> shape, Dtype dtype);

// A lane beyond the last input channel of the v0.6.x CONV2D_FILTER image and the element that the
// kernel, which has no guard on the column, repeats there. `past_end`: it reads past the buffer's
// end, and what it finds is not defined.
struct FilterEcho {
  ImageAddress lane;
  Layout::Index element;  // [h, w, o, i]
  bool past_end;
};
std::vector<FilterEcho> legacy_filter_echoes(std::span<const std::int64_t> shape);

// The forms MACE uses when tensors stay in buffers: filters grouped by four output (input)
// channels, arguments rounded up to four. Shapes as in the table; other types keep their row-major
// form.
Layout gpu_buffer_layout(ImageType type, std::span<const std::int64_t> shape, Dtype dtype);
// Elements of that buffer, padding included.
std::int64_t gpu_buffer_elements(ImageType type, std::span<const std::int64_t> shape);

// Row-major, last index fastest.
Layout row_major_layout(std::span<const std::int64_t> shape, Dtype dtype);

}  // namespace tensorlane

#endif  // TENSORLANE_LAYOUT_IMAGE_H_
