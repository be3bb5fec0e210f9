// Tensors into pixels and back where the device's memory is the host's: the image and the buffer
// are mapped, and the copy of convert.h goes from one to the other. No byte moves twice.
//
//   cl::Event done = transfer_mapped(queue, {packed, plain, buffer, &image, nullptr, true}, after);
//
// Nothing waits: the copy runs in the callback of an event once both are mapped, and the event
// returned is complete when both are unmapped again.
#ifndef TENSORLANE_OPENCL_MAPPED_TRANSFER_INTERNAL_H_
#define TENSORLANE_OPENCL_MAPPED_TRANSFER_INTERNAL_H_

#include <vector>

#include "tensorlane/layout/named.h"
#include "tensorlane/opencl/clhpp.h"

namespace tensorlane::opencl {

struct MappedTransfer {
  const NamedLayout& packed;
  const Layout& plain_layout;
  const cl::Buffer& plain;
  const cl::Image2D* image;  // one of these two holds the pixels
  const cl::Buffer* buffer;
  bool pack;
};

// Of memory that is large enough, as the caller has checked. Throws cl::Error.
cl::Event transfer_mapped(const cl::CommandQueue& queue, const MappedTransfer& transfer,
                          const std::vector<cl::Event>& after);

}  // namespace tensorlane::opencl

#endif  // TENSORLANE_OPENCL_MAPPED_TRANSFER_INTERNAL_H_
