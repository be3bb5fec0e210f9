// A tensor in local memory, as the fast paths and their references read and write it.
//
// Local memory is npus blocks of npu_bytes, one after the other. Channel c of a tensor that starts
// in NPU q lives in NPU (q + c) mod npus, in channel slot (q + c) div npus, so element (n, c, h, w)
// is `element_bytes * (n*sN + slot*sC + h*sH + w*sW)` bytes behind `offset` in that NPU
// (OKKernel manual, "addresses of tensors in local memory"). The same offset holds in every NPU.
#ifndef TENSORLANE_COMPUTE_BANDS_LOCAL_VIEW_H_
#define TENSORLANE_COMPUTE_BANDS_LOCAL_VIEW_H_

#include <cstddef>
#include <cstdint>

namespace tensorlane {

struct LocalView {
  std::byte* memory = nullptr;  // first byte of NPU 0
  int npus = 0;
  std::int64_t npu_bytes = 0;
  int start_npu = 0;
  std::int64_t offset = 0;  // of the tensor inside each NPU, in bytes
  // Strides in elements; c is the distance of two channel slots.
  std::int64_t n = 0;
  std::int64_t c = 0;
  std::int64_t h = 0;
  std::int64_t w = 0;
  // 8 for convolution weights in 2IC storage: an element is a pair of input channels.
  int element_bytes = 4;

  std::byte* address(std::int64_t in, std::int64_t ic, std::int64_t ih, std::int64_t iw) const {
    const std::int64_t lane = start_npu + ic;
    const std::int64_t index = in * n + (lane / npus) * c + ih * h + iw * w;
    return memory + (lane % npus) * npu_bytes + offset + index * element_bytes;
  }
  // The address of an fp32 element.
  float* at(std::int64_t in, std::int64_t ic, std::int64_t ih, std::int64_t iw) const {
    return reinterpret_cast<float*>(address(in, ic, ih, iw));
  }
};

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_BANDS_LOCAL_VIEW_H_
