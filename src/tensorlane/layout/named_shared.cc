// What the tables of the systems share: checks of what a user gave, layouts that both chips have.
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "tensorlane/base/error.h"
#include "tensorlane/layout/named.h"
#include "tensorlane/layout/named_internal.h"

namespace tensorlane {

std::int64_t best_cols_per_channel(const LocalMemory& memory, std::int64_t start_npu,
                                   std::int64_t cols, int bits) {
  const std::int64_t unit = std::int64_t{memory.align_bytes} * 8;
  std::int64_t best = cols, least = std::numeric_limits<std::int64_t>::max(), most_npus = 0;
  // Of each number of channel rows the narrowest channels; past one unit per channel more rows only
  // cost more.
  for (std::int64_t rows = 1;; ++rows) {
    const std::int64_t width = ceil_div(cols, rows * memory.npus - start_npu);
    const std::int64_t memory_bits = rows * align_up(width * bits, unit);
    const std::int64_t npus = std::min<std::int64_t>(memory.npus, ceil_div(cols, width));
    if (memory_bits < least || (memory_bits == least && npus > most_npus)) {
      best = width;
      least = memory_bits;
      most_npus = npus;
    }
    if (width * bits <= unit) return best;
  }
}

namespace named_internal {

void set_axes(NamedLayout& out) {
  const int rank = static_cast<int>(out.spec.shape.size());
  out.axes = out.info->axes;
  for (const Axes& axes : out.info->smaller_axes) {
    if (axes.size() == rank) out.axes = axes;
  }
  if (out.axes.size() == rank) return;
  user_error("shape [{}] has {} extents; layout {} of {} takes {}: {}",
             fmt::join(out.spec.shape, ","), rank, out.info->name, out.spec.owner_name(),
             out.axes.size(), fmt::join(out.axes.text(), ","));
}

Shape4 shape4(const NamedLayout& out) {
  const std::vector<std::int64_t>& s = out.spec.shape;
  return {s[0], s[1], s[2], s[3]};
}

void set_strides(NamedLayout& out, const Stride4& stride) {
  out.strides = {stride.n, stride.c, stride.h, stride.w};
}

std::int64_t local_start(const NamedLayout& out, int align_bytes) {
  const LocalMemory memory = out.memory();
  if (out.spec.start_npu < 0 || out.spec.start_npu >= memory.npus) {
    user_error("start NPU is {}; {} has NPUs 0 to {}", out.spec.start_npu, out.spec.owner_name(),
               memory.npus - 1);
  }
  if (out.spec.offset % align_bytes != 0) {
    user_error("offset {} of layout {} must be a multiple of {} bytes", out.spec.offset,
               out.info->name, align_bytes);
  }
  if (out.spec.offset >= memory.npu_bytes) {
    user_error("offset {} lies outside an NPU of {} bytes", out.spec.offset, memory.npu_bytes);
  }
  return out.spec.start_npu * memory.npu_bytes + out.spec.offset;
}

Stride4 strides_or(const NamedLayout& out, const Stride4& otherwise) {
  const std::vector<std::int64_t>& s = out.spec.strides;
  if (s.empty()) return otherwise;
  if (s.size() != 4) {
    user_error("strides [{}]: layout {} takes four, one per extent of the shape", fmt::join(s, ","),
               out.info->name);
  }
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i] < 0 || s[i] > kMaxExtent) {
      user_error("strides [{}]: {} is outside 0 to {}", fmt::join(s, ","), s[i], kMaxExtent);
    }
    if (s[i] > kMaxElements / out.spec.shape[i]) {
      user_error("strides [{}] spread shape [{}] over more than {} elements", fmt::join(s, ","),
                 fmt::join(out.spec.shape, ","), kMaxElements);
    }
  }
  return {s[0], s[1], s[2], s[3]};
}

void check_no_npu(const NamedLayout& out) {
  if (out.spec.start_npu == 0) return;
  user_error("start NPU is {}; the memory of layout {} has no NPUs", out.spec.start_npu,
             out.info->name);
}

void build_continuous(NamedLayout& out) {
  set_axes(out);
  check_no_npu(out);
  const Stride4 stride = strides_or(out, continuous_stride(shape4(out)));
  out.layout = system_layout(out.spec.offset, shape4(out), stride, out.spec.dtype);
  set_strides(out, stride);
}

namespace {

void build_local(NamedLayout& out, const Stride4& stride, int align_bytes) {
  out.layout = local_layout(out.memory(), local_start(out, align_bytes), shape4(out), stride,
                            out.spec.dtype);
  set_strides(out, stride);
  out.bytes_per_npu = ceil_div(out.spec.shape[0] * stride.n * dtype_bits(out.spec.dtype), 8);
}

}  // namespace

void build_aligned(NamedLayout& out) {
  set_axes(out);
  const LocalMemory memory = out.memory();
  build_local(
      out, aligned_stride_bits(memory, out.spec.start_npu, shape4(out), dtype_bits(out.spec.dtype)),
      memory.align_bytes);
}

void build_compact(NamedLayout& out) {
  set_axes(out);
  build_local(out, compact_stride(out.memory(), out.spec.start_npu, shape4(out)), 4);
}

void build_free(NamedLayout& out) {
  set_axes(out);
  if (out.spec.strides.empty()) {
    user_error("layout {} needs strides, one per extent of the shape, in elements", out.info->name);
  }
  const Stride4 stride = strides_or(out, {});
  if (out.spec.system_memory) {
    check_no_npu(out);
    out.layout = system_layout(out.spec.offset, shape4(out), stride, out.spec.dtype);
    set_strides(out, stride);
    return;
  }
  build_local(out, stride, std::max(1, dtype_bits(out.spec.dtype) / 8));
}

void build_matrix(NamedLayout& out) {
  set_axes(out);
  const bool vector = !out.axes.has(Axis::kRow);
  const LocalMemory memory = out.memory();
  std::vector<std::int64_t>& shape = out.spec.shape;
  std::int64_t rows = 1, cols = 0;
  if (vector) {
    cols = shape[0];
  } else {
    rows = shape[0];
    cols = shape[1];
  }
  const std::int64_t address = local_start(out, memory.align_bytes);
  if (!out.spec.cols_per_channel) {
    user_error("layout {} needs the columns per channel, 1 to {}; {} takes the least memory",
               out.info->name, cols,
               best_cols_per_channel(memory, out.spec.start_npu, cols, dtype_bits(out.spec.dtype)));
  }
  const std::int64_t width = *out.spec.cols_per_channel;
  if (width < 1 || width > cols) {
    user_error("columns per channel is {}; allowed are 1 to {} (the columns)", width, cols);
  }
  const Shape4 tensor{rows, ceil_div(cols, width), 1, width};
  const Stride4 stride =
      aligned_stride_bits(memory, out.spec.start_npu, tensor, dtype_bits(out.spec.dtype));
  out.layout = matrix_layout(memory, address, rows, cols, width, out.spec.dtype);
  if (vector) out.layout = vector_layout(memory, address, cols, width, out.spec.dtype);
  set_strides(out, stride);
  out.bytes_per_npu = ceil_div(rows * stride.n * dtype_bits(out.spec.dtype), 8);
}

}  // namespace named_internal
}  // namespace tensorlane
