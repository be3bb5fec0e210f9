// The strided copy: every move of a tensor from one layout to another.
//
// GDMA commands, layout conversion and image packing are all the same thing: a few boxes of affine
// loops (see fold.h) with one stride for the destination and one for the source. `strided_copy`
// runs one box. It first brings the loops into a normal form (negative strides turned round,
// neighbours merged, contiguous runs made the element), then hands the two innermost loops to one
// of a short list of inner kernels:
//
//   run          one contiguous piece                           memcpy
//   rows         rows of any width, strides outside             inlined moves, whole lines at once
//   fill         one source element repeated                    vector stores
//   interleave   2 to 4 source rows zipped into one            4N, 2N, 2IC, image lanes, RGB
//   deinterleave the way back
//   transpose    rows become columns                            64-byte tiles through registers
//   split transpose   the same where a line of one side is made of two loops: images
//   elements     anything else, 1 to 8 bytes wide               typed gather and scatter
//
// Copies of many megabytes are written past the caches where the destination has whole lines.
//
//   const Layout from = system_layout(0, shape, continuous_stride(shape), Dtype::kInt8);
//   const Layout to = packed_layout(memory, 0, shape, stride, Dtype::kInt8);  // 4N
//   for (const Box& box : fold({&to, &from})) strided_copy(box, local_memory, image, 1);
//
// Rules. Operand 0 of the box is the destination, operand 1 the source. Source and destination must
// not overlap, and the iterations of the box must write each destination byte once (`nested`, or
// Layout::injective); otherwise which element stays is not specified, except for `copy_reference`,
// where the last in loop order wins. Any stride is allowed, negative and zero included. No byte
// outside the elements is ever read or written.
#ifndef TENSORLANE_LAYOUT_STRIDED_COPY_H_
#define TENSORLANE_LAYOUT_STRIDED_COPY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "tensorlane/layout/fold.h"

namespace tensorlane {

enum class CopyThreads : std::uint8_t {
  kSerial,  // only the calling thread
  kAuto,    // large copies are split over the threads of oneTBB
};

// Copies the elements of one box, `element_bytes` (at least 1) each. `dst` and `src` are where
// address 0 of the operands' layouts lies.
void strided_copy(const Box& box, std::byte* dst, const std::byte* src, std::int64_t element_bytes,
                  CopyThreads threads = CopyThreads::kAuto);

// The same in two steps, for copies that come again: what there is to find out about a box is found
// out once.
class StridedCopy {
 public:
  StridedCopy(const Box& box, std::int64_t element_bytes);
  StridedCopy(StridedCopy&&) noexcept;
  StridedCopy& operator=(StridedCopy&&) noexcept;
  ~StridedCopy();

  void run(std::byte* dst, const std::byte* src, CopyThreads threads = CopyThreads::kAuto) const;

 private:
  struct Plan;
  std::unique_ptr<const Plan> plan_;  // null: nothing to copy
};

// The same, element by element in loop order: what the fast path must agree with.
void copy_reference(const Box& box, std::byte* dst, const std::byte* src,
                    std::int64_t element_bytes);

// The same for 4-bit elements: addresses and strides of the box count nibbles, the low nibble of a
// byte first. Nibbles beside the elements keep their values.
void strided_copy_nibbles(const Box& box, std::byte* dst, const std::byte* src,
                          CopyThreads threads = CopyThreads::kAuto);
void copy_nibbles_reference(const Box& box, std::byte* dst, const std::byte* src);

// The inner kernel that `strided_copy` picks for a box: a name of the list above.
std::string_view copy_kernel_name(const Box& box, std::int64_t element_bytes);

}  // namespace tensorlane

#endif  // TENSORLANE_LAYOUT_STRIDED_COPY_H_
