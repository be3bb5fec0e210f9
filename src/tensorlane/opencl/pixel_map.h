// From a Layout to the numbers that a kernel needs: which element lies in lane k of pixel (x, y)?
//
// A layout (layout.h) says where an element lies: each dimension is written in digits, and each
// digit moves the element by lanes, by columns or by rows of pixels. Kernels ask the other way
// round, pixel by pixel. Turned round, a digit that moves by `divisor` columns and takes `modulus`
// values has the value x / divisor % modulus, and one step of it moves `stride` elements through
// the plain (row-major) buffer:
//
//   offset = sum over the digits of x, of y of  value * stride      (lane 0)
//          + k * lane_stride                                        (lane k)
//
// The dimension that fills the lanes has `lane_extent` elements; lane k of the pixel holds one when
// sum(value * lane_step) + k < lane_extent, and is padding otherwise.
//
//   IN_OUT_CHANNEL [N,H,W,C]   columns {1, W, C}, {W, D4(C), 4, lane step 4}; rows {1, N*H, W*C}
//   CONV2D_FILTER  [O,I,H,W]   columns {1, I, H*W};  rows {1, H*W, 1}, {H*W, D4(O), 4*I*H*W, 4}
//
// The same map serves the packed GPU buffers (CONV2D_FILTER@GPU_BUFFER, ...): four neighbouring
// elements are a pixel of an image of one row.
#ifndef TENSORLANE_OPENCL_PIXEL_MAP_H_
#define TENSORLANE_OPENCL_PIXEL_MAP_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "tensorlane/layout/named.h"

namespace tensorlane::opencl {

struct PixelDigit {
  std::int64_t divisor;    // pixels that one step moves along x (or y)
  std::int64_t modulus;    // values before the next digit moves
  std::int64_t extent;     // of these, values that hold elements
  std::int64_t stride;     // elements that one step moves in the plain buffer
  std::int64_t lane_step;  // elements that one step moves along the dimension of the lanes
  friend bool operator==(const PixelDigit&, const PixelDigit&) = default;
};

struct PixelMap {
  std::int64_t width = 0, height = 0;  // pixels
  // Innermost first; the divisor of the first digit is 1.
  std::vector<PixelDigit> columns = {}, rows = {};
  std::int64_t lane_stride = 0;     // plain elements from lane to lane
  std::int64_t lane_extent = 1;     // elements along the dimension of the lanes
  std::int64_t plain_elements = 0;  // of the buffer
  bool holds_elements = true;       // false: every lane is padding
  bool echoes = false;  // columns without elements repeat what lies there in the buffer (v0.6.x)

  // The offset in the plain buffer of what lane k of pixel (x, y) holds, or nothing for padding:
  // what the kernels compute, on the host.
  std::optional<std::int64_t> source(std::int64_t x, std::int64_t y, int k) const;
};

// The row-major layout of the buffer that goes with a packed tensor: its dimensions are those of
// `packed`, in memory they lie in the order of `axes` (default: the order of `packed`). For
// WINOGRAD_FILTER give `original` to mean the 3x3 filter before the transformation.
//
//   plain_layout(image, Dtype::kFp32, Axes("NCHW"))    // NCHW data of an NHWC image
Layout plain_layout(const NamedLayout& packed, Dtype dtype, const Axes& axes = {},
                    bool original = false);

// True for the layouts that have a map: all images and the packed GPU buffers of MACE.
bool has_pixel_map(const NamedLayout& packed);

// The map between a packed tensor and a buffer in layout `plain` (one digit per dimension, same
// extents). `for_pack`: with the repeated columns that only packing writes. Throws UserError for
// layouts without a map and for tensors of 2^31 and more elements or lanes, which kernels cannot
// count.
PixelMap pixel_map(const NamedLayout& packed, const Layout& plain, bool for_pack);

}  // namespace tensorlane::opencl

#endif  // TENSORLANE_OPENCL_PIXEL_MAP_H_
