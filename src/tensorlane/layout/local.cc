#include "tensorlane/layout/local.h"

#include "tensorlane/base/error.h"

namespace tensorlane {
namespace {

// The dimension that spreads over the NPUs: `inner` digits below the NPU digit (columns of a
// channel), then the NPU, then the channel row.
void add_channel_dim(Layout& layout, const LocalMemory& memory, std::int64_t start_npu,
                     std::int64_t channels, std::int64_t row_stride_bytes) {
  layout.add_dim(channels, {{memory.npus, memory.npu_bytes}, {1, row_stride_bytes}}, start_npu);
  layout.set_local(memory.npu_bytes, layout.rank() - 1, 0);
}

}  // namespace

Layout local_layout(const LocalMemory& memory, std::int64_t address, const Shape4& shape,
                    const Stride4& stride, Dtype dtype) {
  Layout layout(dtype);
  const std::int64_t unit = layout.element_units();
  const LocalAddress at = split_local_address(memory, address);
  layout.set_base(at.offset);
  layout.add_dim(shape.n, {{1, stride.n * unit}});
  add_channel_dim(layout, memory, at.npu, shape.c, stride.c * unit);
  layout.add_dim(shape.h, {{1, stride.h * unit}});
  layout.add_dim(shape.w, {{1, stride.w * unit}});
  return layout;
}

Shape4 packed_shape(const Shape4& shape, Dtype dtype) {
  return {ceil_div(shape.n, 4 / dtype_bytes(dtype)), shape.c, shape.h, shape.w};
}

Layout packed_layout(const LocalMemory& memory, std::int64_t address, const Shape4& shape,
                     const Stride4& stride, Dtype dtype) {
  Layout layout(dtype);
  const int bytes = dtype_bytes(dtype);
  const LocalAddress at = split_local_address(memory, address);
  layout.set_base(at.offset);
  layout.add_dim(shape.n, {{4 / bytes, bytes}, {1, stride.n * 4}});
  add_channel_dim(layout, memory, at.npu, shape.c, stride.c * 4);
  layout.add_dim(shape.h, {{1, stride.h * 4}});
  layout.add_dim(shape.w, {{1, stride.w * 4}});
  return layout;
}

Layout two_ic_layout(const LocalMemory& memory, std::int64_t address, const Shape4& shape,
                     const Stride4& stride, Dtype dtype) {
  Layout layout(dtype);
  const std::int64_t element = layout.element_units();
  const std::int64_t pair = 2 * element;
  const LocalAddress at = split_local_address(memory, address);
  layout.set_base(at.offset);
  layout.add_dim(shape.n, {{2, element}, {1, stride.n * pair}});
  add_channel_dim(layout, memory, at.npu, shape.c, stride.c * pair);
  layout.add_dim(shape.h, {{1, stride.h * pair}});
  layout.add_dim(shape.w, {{1, stride.w * pair}});
  return layout;
}

Layout matrix_layout(const LocalMemory& memory, std::int64_t address, std::int64_t rows,
                     std::int64_t cols, std::int64_t cols_per_channel, Dtype dtype) {
  Layout layout(dtype);
  const std::int64_t unit = layout.element_units();
  const LocalAddress at = split_local_address(memory, address);
  const Shape4 shape{rows, ceil_div(cols, cols_per_channel), 1, cols_per_channel};
  const Stride4 stride = aligned_stride(memory, at.npu, shape, dtype_bytes(dtype));
  layout.set_base(at.offset);
  layout.add_dim(rows, {{1, stride.n * unit}});
  layout.add_dim(cols,
                 {{cols_per_channel, unit}, {memory.npus, memory.npu_bytes}, {1, stride.c * unit}},
                 at.npu * cols_per_channel);
  layout.set_local(memory.npu_bytes, 1, 1);
  return layout;
}

Layout system_layout(std::int64_t address, const Shape4& shape, const Stride4& stride,
                     Dtype dtype) {
  Layout layout(dtype);
  const std::int64_t unit = layout.element_units();
  layout.set_base(address);
  layout.add_dim(shape.n, {{1, stride.n * unit}});
  layout.add_dim(shape.c, {{1, stride.c * unit}});
  layout.add_dim(shape.h, {{1, stride.h * unit}});
  layout.add_dim(shape.w, {{1, stride.w * unit}});
  return layout;
}

Layout system_matrix_layout(std::int64_t address, std::int64_t rows, std::int64_t cols,
                            std::int64_t row_stride, Dtype dtype) {
  Layout layout(dtype);
  const std::int64_t unit = layout.element_units();
  layout.set_base(address);
  layout.add_dim(rows, {{1, row_stride * unit}});
  layout.add_dim(cols, {{1, unit}});
  return layout;
}

}  // namespace tensorlane
