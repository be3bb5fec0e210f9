// Where elements lie, as OpenCL C: for kernels of one's own that read and write packed images.
#ifndef TENSORLANE_OPENCL_KERNEL_TEXT_H_
#define TENSORLANE_OPENCL_KERNEL_TEXT_H_

#include <string>
#include <string_view>

#include "tensorlane/layout/named.h"

namespace tensorlane::opencl {

// Two functions, to be put before a kernel's source, from the digits of the image's layout. For
// name "input" and IN_OUT_CHANNEL [2,3,5,6]:
//
//   int2 input_pixel(const int n, const int h, const int w, const int c) {
//     return (int2)(w + c / 4 * 5, n * 3 + h);
//   }
//   int input_lane(const int n, const int h, const int w, const int c) {
//     return c % 4;
//   }
//
// Indices are not checked. Throws UserError when the layout is not an image.
std::string pixel_functions(std::string_view name, const NamedLayout& image);

}  // namespace tensorlane::opencl

#endif  // TENSORLANE_OPENCL_KERNEL_TEXT_H_
