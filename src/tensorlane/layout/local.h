// The named layouts of tensors in NPU local memory and in system memory.
//
// Local memory is `npus` memories of `npu_bytes` bytes, addressed linearly: NPU q, offset r is
// address q * npu_bytes + r. A tensor of shape (n, c, h, w) whose address lies in NPU q spreads its
// channels round robin from there: channel c is in NPU (q + c) mod npus, in channel row
// (q + c) div npus. Strides count elements; the C stride of a local tensor is the distance between
// channel c and c + npus. [documentation of OKKernel and TPUKernel, chapters on memory layout]
//
//   name        w  h  c                       n            address
//   continuous  1  W  H*W                     C*H*W        multiple of the element size
//   aligned     1  W  H*W up to align_bytes   rows * c     multiple of align_bytes
//   compact     1  W  H*W                     rows * c     multiple of 4
//   line-       1  W up to align_bytes, H*h   rows * c     multiple of align_bytes
//   aligned
//   matrix      rows x cols as (rows, ceil(cols/w), 1, w) in the aligned layout, last channel short
//   free        any strides; 0 broadcasts a source
//
// rows = ceil((q + C) / npus), the channel rows every NPU reserves per batch.
#ifndef TENSORLANE_LAYOUT_LOCAL_H_
#define TENSORLANE_LAYOUT_LOCAL_H_

#include <cstdint>
#include <string_view>

#include "tensorlane/layout/layout.h"

namespace tensorlane {

// What the layouts of the chips are called, wherever a name is printed or looked up.
namespace layout_names {
inline constexpr std::string_view kContinuous = "continuous", kAligned = "aligned",
                                  kCompact = "compact", kLineAligned = "line-aligned",
                                  kMatrix = "matrix", kVector = "vector", kFree = "free",
                                  k2IC = "2IC";
// Batches that share a 32-bit word, by the bits of an element.
constexpr std::string_view packed(int element_bits) {
  return element_bits == 8 ? "4N" : "2N";
}
// Weights whose input channels stand in groups, by the bits of an element.
constexpr std::string_view grouped_ic(int element_bits) {
  return element_bits == 8 ? "64IC" : element_bits == 16 ? "32IC" : "1IC";
}
}  // namespace layout_names

// The constants of a chip that layouts need.
struct LocalMemory {
  int npus = 0;
  std::int64_t npu_bytes = 0;
  int align_bytes = 0;  // unit of the aligned layout: 128 on BM1684, 64 on BM1684X

  friend bool operator==(const LocalMemory&, const LocalMemory&) = default;
};

struct Shape4 {
  std::int64_t n = 1, c = 1, h = 1, w = 1;
  friend bool operator==(const Shape4&, const Shape4&) = default;
};

// Strides in elements.
struct Stride4 {
  std::int64_t n = 0, c = 0, h = 0, w = 0;
  friend bool operator==(const Stride4&, const Stride4&) = default;
};

constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}
constexpr std::int64_t align_up(std::int64_t a, std::int64_t b) {
  return ceil_div(a, b) * b;
}

// Where an address points: its NPU and the offset inside it.
constexpr LocalAddress split_local_address(const LocalMemory& memory, std::int64_t address) {
  return {address / memory.npu_bytes, address % memory.npu_bytes};
}

// Elements along a dimension, those that a stride of 0 repeats once.
inline std::int64_t distinct(const Layout& layout, int dim) {
  const bool repeats = layout.digits(dim).size() == 1 && layout.digits(dim)[0].stride == 0;
  return repeats ? 1 : layout.extent(dim);
}

// Channel rows that every NPU reserves per batch: ceil((start_npu + channels) / npus).
constexpr std::int64_t channels_per_npu(const LocalMemory& memory, std::int64_t start_npu,
                                        std::int64_t channels) {
  return ceil_div(start_npu + channels, memory.npus);
}

constexpr Stride4 compact_stride(const LocalMemory& memory, std::int64_t start_npu,
                                 const Shape4& shape) {
  const std::int64_t c = shape.h * shape.w;
  return {channels_per_npu(memory, start_npu, shape.c) * c, c, shape.w, 1};
}

// `element_bits` 32, 16, 8 or 4: the C stride is rounded up to align_bytes.
constexpr Stride4 aligned_stride_bits(const LocalMemory& memory, std::int64_t start_npu,
                                      const Shape4& shape, int element_bits) {
  const std::int64_t c = align_up(shape.h * shape.w, memory.align_bytes * 8 / element_bits);
  return {channels_per_npu(memory, start_npu, shape.c) * c, c, shape.w, 1};
}
constexpr Stride4 aligned_stride(const LocalMemory& memory, std::int64_t start_npu,
                                 const Shape4& shape, int element_bytes) {
  return aligned_stride_bits(memory, start_npu, shape, element_bytes * 8);
}

// BM1684X only: every row starts at a multiple of align_bytes.
constexpr Stride4 line_aligned_stride(const LocalMemory& memory, std::int64_t start_npu,
                                      const Shape4& shape, int element_bits) {
  const std::int64_t h = align_up(shape.w, memory.align_bytes * 8 / element_bits);
  const std::int64_t c = shape.h * h;
  return {channels_per_npu(memory, start_npu, shape.c) * c, c, h, 1};
}

constexpr Stride4 continuous_stride(const Shape4& shape) {
  return {shape.c * shape.h * shape.w, shape.h * shape.w, shape.w, 1};
}

// Tensor (n, c, h, w) in local memory with any strides. `address` is linear and may lie in any NPU.
//
// Example: fp32 (2, 3, 4, 5) from NPU 2 of 4, aligned to 128 bytes, has strides (64, 32, 5, 1).
// Element (1, 2, 3, 4) is channel 2: NPU (2 + 2) mod 4 = 0, channel row 1, and lies at byte
// 4 * (1*64 + 1*32 + 3*5 + 4*1) = 460 of that NPU.
Layout local_layout(const LocalMemory& memory, std::int64_t address, const Shape4& shape,
                    const Stride4& stride, Dtype dtype);

// 4N and 2N storage: 4 / element size consecutive batches of the same (c, h, w) share one 32-bit
// word, lowest batch in the lowest byte. `shape` is that of the 8- or 16-bit tensor, `stride`
// counts 32-bit words over the packed shape (ceil(n / 4 or 2), c, h, w).
//
// Example: int8 (6, 5, 4, 5) from NPU 0 of 4 packs into (2, 5, 4, 5) words of strides (64, 32, 5,
// 1). Element (5, 4, 0, 1) is byte 5 mod 4 = 1 of word (1, 4, 0, 1): NPU 0, channel row 1, byte 4 *
// (1*64 + 1*32 + 1) + 1 = 389. The last two bytes of words (1, ...) are dummies.
Layout packed_layout(const LocalMemory& memory, std::int64_t address, const Shape4& shape,
                     const Stride4& stride, Dtype dtype);

// Shape in 32-bit words of a 4N (8-bit) or 2N (16-bit) tensor.
Shape4 packed_shape(const Shape4& shape, Dtype dtype);

// 2IC storage of convolution weights (ic, oc, kh, kw): two consecutive input channels share a pair,
// output channels spread over the NPUs. `stride` counts pairs over (ceil(ic/2), oc, kh, kw).
//
// Example: fp32 weights of I = 3, O = 2, 1 x 2 in strides (2, 2, 2, 1). Element (ic 1, oc 0, 0, 1)
// is the second half of pair (0, 0, 0, 1): NPU 0, byte 8 * 1 + 4 = 12. The pair of ic 2 has a
// dummy.
Layout two_ic_layout(const LocalMemory& memory, std::int64_t address, const Shape4& shape,
                     const Stride4& stride, Dtype dtype);

// Matrix of rows x cols with `cols_per_channel` columns in each channel; the last channel may be
// short. Laid out as (rows, ceil(cols / cols_per_channel), 1, cols_per_channel) in the aligned
// layout.
//
// Example: fp32 2 x 40 with 6 columns in a channel on 4 NPUs is the tensor (2, 7, 1, 6) of strides
// (64, 32, 6, 1). Element (1, 39) is channel 39 div 6 = 6, column 3 of it: NPU 2, channel row 1,
// byte 4 * (1*64 + 1*32 + 3) = 396. Channel 6 holds only columns 36 to 39.
Layout matrix_layout(const LocalMemory& memory, std::int64_t address, std::int64_t rows,
                     std::int64_t cols, std::int64_t cols_per_channel, Dtype dtype);

// A matrix of one row, as a tensor of rank 1.
//
// Example: fp16, 10 elements, 4 in a channel: element 9 is column 1 of channel 2: NPU 2, byte 2.
Layout vector_layout(const LocalMemory& memory, std::int64_t address, std::int64_t length,
                     std::int64_t cols_per_channel, Dtype dtype);

// Input channels that BM1684X convolution weights keep side by side: 64 of 8 bits (64IC), 32 of 16
// bits (32IC), one of 32 bits (1IC, which is the compact layout). [TPUKernel; 1IC observed on its
// reference model]
constexpr std::int64_t ic_group(int element_bits) {
  return element_bits == 8 ? 64 : element_bits == 16 ? 32 : 1;
}

// 1IC, 32IC, 64IC storage of BM1684X convolution weights (oc, ic, kh, kw): ic_group() consecutive
// input channels of one kernel position lie side by side, output channels spread over the NPUs. The
// last group is reserved whole. [TPUKernel, and observed on its reference model]
//
//   offset = slot(oc) * group * kh*kw * groups + (ic div group) * group * kh*kw
//            + (y * kw + x) * group + ic mod group        in elements, groups = ceil(ic / group)
//
// Example: int8 kernel of oc 66, ic 70, 2 x 3 in 64IC: element (oc 65, ic 65, y 1, x 2) is in NPU
// 1, slot 1, group 1: byte 1 * 768 + 1 * 384 + 5 * 64 + 1 = 1473.
Layout grouped_ic_layout(const LocalMemory& memory, std::int64_t address, const Shape4& shape,
                         Dtype dtype);

// Tensor in linear memory.
Layout system_layout(std::int64_t address, const Shape4& shape, const Stride4& stride, Dtype dtype);
// Matrix in linear memory, rows `row_stride` elements apart.
Layout system_matrix_layout(std::int64_t address, std::int64_t rows, std::int64_t cols,
                            std::int64_t row_stride, Dtype dtype);

// Bytes that a tensor in one of the local layouts reserves in each NPU: n * n stride, as the
// documents count it (gaps included).
constexpr std::int64_t local_bytes_per_npu(const Shape4& shape, const Stride4& stride,
                                           int element_bytes) {
  return shape.n * stride.n * element_bytes;
}

}  // namespace tensorlane

#endif  // TENSORLANE_LAYOUT_LOCAL_H_
