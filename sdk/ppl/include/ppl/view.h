// SPDX-License-Identifier: Apache-2.0
//
// What an operand is to a command: elements of a memory, by shape and strides. Whether two of them
// share bytes.

#ifndef TENSORLANE_PPL_VIEW_H_
#define TENSORLANE_PPL_VIEW_H_

#include <algorithm>
#include <cstdint>
#include <utility>

#include "ppl/types.h"

namespace ppl {
namespace detail {

enum class Memory : std::uint8_t { kLocal, kSystem };

struct View {
  Memory memory = Memory::kLocal;
  align_mode_t mode = TPU_ALIGN;
  data_type_t type = DT_FP32;
  int buffer = -1;          // local: which of the recorder's buffers; system: that of L2, or -1
  int lane = 0;             // local: NPU of channel 0
  std::int64_t offset = 0;  // bytes: in the buffer; of system memory without one, the address
  dim4 shape = {1, 1, 1, 1};
  dim4 stride = {1, 1, 1, 1};  // elements; of a channel to that `lanes` further on, where local
};

inline bool same_shape(const dim4& a, const dim4& b) {
  return a.n == b.n && a.c == b.c && a.h == b.h && a.w == b.w;
}
inline std::int64_t elements_in(const dim4& shape) {
  return std::int64_t{shape.n} * shape.c * shape.h * shape.w;
}
inline bool fits_in(const dim4& shape, const dim4& block) {
  return shape.n <= block.n && shape.c <= block.c && shape.h <= block.h && shape.w <= block.w;
}

inline int lanes() {
  static const int count = tpu_npu_num();
  return count;
}
// Bytes of a row of an NPU's execution units: what addresses of tensors are multiples of.
inline int row_bytes() {
  static const int bytes = tpu_eu_num(DT_INT8);
  return bytes;
}
inline int round_up(int value, int step) {
  return (value + step - 1) / step * step;
}
// Rows of channels that an NPU keeps of `channels` from NPU `lane` on.
inline int channel_rows(int channels, int lane) {
  return (lane + channels + lanes() - 1) / lanes();
}

// The strides of a tensor in local memory.
inline dim4 local_stride(const dim4& shape, data_type_t type, align_mode_t mode, int lane) {
  const int in_row = row_bytes() * 8 / bits_of(type);
  dim4 stride;
  stride.w = 1;
  stride.h = mode == TPU_ROW_ALIGN ? round_up(shape.w, in_row) : shape.w;
  stride.c = shape.h * stride.h;
  if (mode == TPU_ALIGN) stride.c = round_up(stride.c, in_row);
  stride.n = stride.c * channel_rows(shape.c, lane);
  return stride;
}
// Those of one in system memory without gaps.
inline dim4 dense_stride(const dim4& shape) {
  return {shape.c * shape.h * shape.w, shape.h * shape.w, shape.w, 1};
}

// Bytes of an NPU that a tensor takes, to the end of its last channel's last element.
inline std::int64_t local_extent(const View& view) {
  const std::int64_t last =
      std::int64_t{view.shape.n - 1} * view.stride.n +
      std::int64_t{channel_rows(view.shape.c, view.lane) - 1} * view.stride.c +
      std::int64_t{view.shape.h - 1} * view.stride.h +
      std::int64_t{view.shape.w - 1} * view.stride.w;
  return ((last + 1) * bits_of(view.type) + 7) / 8;
}
// Those that it takes with all that its strides leave free, as tensors are given bytes.
inline std::int64_t local_bytes(const View& view) {
  const std::int64_t bytes = std::int64_t{view.stride.n} * view.shape.n * bits_of(view.type) / 8;
  return (bytes + row_bytes() - 1) / row_bytes() * row_bytes();
}
inline std::int64_t system_extent(const View& view) {
  const std::int64_t last = std::int64_t{view.shape.n - 1} * view.stride.n +
                            std::int64_t{view.shape.c - 1} * view.stride.c +
                            std::int64_t{view.shape.h - 1} * view.stride.h +
                            std::int64_t{view.shape.w - 1} * view.stride.w;
  return ((last + 1) * bits_of(view.type) + 7) / 8;
}

// Whether some step along each of four axes, of fewer than `a` forwards and `b` backwards, adds up
// to `distance`: two boxes of one pattern then share an element.
inline bool meets(std::int64_t distance, const std::int64_t* strides, const int* a, const int* b,
                  int axes) {
  if (axes == 0) return distance == 0;
  std::int64_t reach = 0;  // of the other axes
  for (int k = 1; k < axes; ++k) reach += strides[k] * (std::max(a[k], b[k]) - 1);
  const std::int64_t stride = strides[0];
  if (stride == 0) return meets(distance, strides + 1, a + 1, b + 1, axes - 1);
  std::int64_t least = (distance - reach) / stride - 1, most = (distance + reach) / stride + 1;
  least = std::max<std::int64_t>(least, 1 - b[0]);
  most = std::min<std::int64_t>(most, a[0] - 1);
  for (std::int64_t step = least; step <= most; ++step) {
    if (meets(distance - step * stride, strides + 1, a + 1, b + 1, axes - 1)) return true;
  }
  return false;
}

// Whether an element of one lies on an element of the other. Of two that follow different patterns:
// whether the ranges do from first to last byte.
inline bool share_bytes(const View& a, const View& b) {
  if (a.memory != b.memory || a.buffer != b.buffer) return false;
  const bool local = a.memory == Memory::kLocal;
  const std::int64_t a_end = a.offset + (local ? local_extent(a) : system_extent(a));
  const std::int64_t b_end = b.offset + (local ? local_extent(b) : system_extent(b));
  if (a.offset >= b_end || b.offset >= a_end) return false;
  const int bits = bits_of(a.type);
  const bool alike = bits == bits_of(b.type) && a.stride.n == b.stride.n &&
                     a.stride.c == b.stride.c && a.stride.h == b.stride.h &&
                     a.stride.w == b.stride.w && (b.offset - a.offset) * 8 % bits == 0;
  if (!alike) return true;
  int channels_a = a.shape.c, channels_b = b.shape.c;
  if (local) {
    if (a.lane + a.shape.c <= lanes() && b.lane + b.shape.c <= lanes()) {
      if (a.lane >= b.lane + b.shape.c || b.lane >= a.lane + a.shape.c) return false;
    }
    channels_a = channel_rows(a.shape.c, a.lane);
    channels_b = channel_rows(b.shape.c, b.lane);
  }
  // From the widest stride down, so that what is left over decides.
  std::int64_t strides[4] = {a.stride.n, a.stride.c, a.stride.h, a.stride.w};
  int of_a[4] = {a.shape.n, channels_a, a.shape.h, a.shape.w};
  int of_b[4] = {b.shape.n, channels_b, b.shape.h, b.shape.w};
  for (int i = 0; i < 4; ++i) {
    for (int k = i + 1; k < 4; ++k) {
      if (strides[k] <= strides[i]) continue;
      std::swap(strides[i], strides[k]);
      std::swap(of_a[i], of_a[k]);
      std::swap(of_b[i], of_b[k]);
    }
  }
  return meets((b.offset - a.offset) * 8 / bits, strides, of_a, of_b, 4);
}

}  // namespace detail
}  // namespace ppl

#endif  // TENSORLANE_PPL_VIEW_H_
