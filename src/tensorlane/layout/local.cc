#include "tensorlane/layout/local.h"

#include "tensorlane/base/error.h"

namespace tensorlane {
namespace {

// Nibbles per byte for 4-bit types, else 1.
std::int64_t units_per_byte(const Layout& layout) {
  return 8 / layout.unit_bits();
}

// The dimension that spreads over the NPUs: the NPU, then the channel row.
void add_channel_dim(Layout& layout, const LocalMemory& memory, std::int64_t start_npu,
                     std::int64_t channels, std::int64_t row_stride) {
  layout.add_dim(channels,
                 {{memory.npus, memory.npu_bytes * units_per_byte(layout)}, {1, row_stride}},
                 start_npu);
  layout.set_local(memory.npu_bytes, layout.rank() - 1, 0);
}

}  // namespace

Layout local_layout(const LocalMemory& memory, std::int64_t address, const Shape4& shape,
                    const Stride4& stride, Dtype dtype) {
  Layout layout(dtype);
  const std::int64_t unit = layout.element_units();
  const LocalAddress at = split_local_address(memory, address);
  layout.set_base(at.offset * units_per_byte(layout));
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
  layout.set_base(at.offset * units_per_byte(layout));
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
  layout.set_base(at.offset * units_per_byte(layout));
  layout.add_dim(shape.n, {{2, element}, {1, stride.n * pair}});
  add_channel_dim(layout, memory, at.npu, shape.c, stride.c * pair);
  layout.add_dim(shape.h, {{1, stride.h * pair}});
  layout.add_dim(shape.w, {{1, stride.w * pair}});
  return layout;
}

namespace {

// The columns of a matrix: inside a channel, over the NPUs, then the channel row.
void add_columns(Layout& layout, const LocalMemory& memory, std::int64_t start_npu,
                 std::int64_t cols, std::int64_t cols_per_channel, std::int64_t row_stride) {
  layout.add_dim(cols,
                 {{cols_per_channel, layout.element_units()},
                  {memory.npus, memory.npu_bytes * units_per_byte(layout)},
                  {1, row_stride}},
                 start_npu * cols_per_channel);
  layout.set_local(memory.npu_bytes, layout.rank() - 1, 1);
}

}  // namespace

Layout matrix_layout(const LocalMemory& memory, std::int64_t address, std::int64_t rows,
                     std::int64_t cols, std::int64_t cols_per_channel, Dtype dtype) {
  Layout layout(dtype);
  const std::int64_t unit = layout.element_units();
  const LocalAddress at = split_local_address(memory, address);
  const Shape4 shape{rows, ceil_div(cols, cols_per_channel), 1, cols_per_channel};
  const Stride4 stride = aligned_stride_bits(memory, at.npu, shape, dtype_bits(dtype));
  layout.set_base(at.offset * units_per_byte(layout));
  layout.add_dim(rows, {{1, stride.n * unit}});
  add_columns(layout, memory, at.npu, cols, cols_per_channel, stride.c * unit);
  return layout;
}

Layout vector_layout(const LocalMemory& memory, std::int64_t address, std::int64_t length,
                     std::int64_t cols_per_channel, Dtype dtype) {
  Layout layout(dtype);
  const LocalAddress at = split_local_address(memory, address);
  const Shape4 shape{1, ceil_div(length, cols_per_channel), 1, cols_per_channel};
  const Stride4 stride = aligned_stride_bits(memory, at.npu, shape, dtype_bits(dtype));
  layout.set_base(at.offset * units_per_byte(layout));
  add_columns(layout, memory, at.npu, length, cols_per_channel, stride.c * layout.element_units());
  return layout;
}

Layout grouped_ic_layout(const LocalMemory& memory, std::int64_t address, const Shape4& shape,
                         Dtype dtype) {
  Layout layout(dtype);
  const std::int64_t group = ic_group(dtype_bits(dtype));
  const std::int64_t unit = layout.element_units();
  const LocalAddress at = split_local_address(memory, address);
  const std::int64_t group_stride = group * shape.h * shape.w * unit;
  layout.set_base(at.offset * units_per_byte(layout));
  add_channel_dim(layout, memory, at.npu, shape.n, ceil_div(shape.c, group) * group_stride);
  layout.add_dim(shape.c, {{group, unit}, {1, group_stride}});
  layout.add_dim(shape.h, {{1, shape.w * group * unit}});
  layout.add_dim(shape.w, {{1, group * unit}});
  return layout;
}

Layout system_layout(std::int64_t address, const Shape4& shape, const Stride4& stride,
                     Dtype dtype) {
  Layout layout(dtype);
  const std::int64_t unit = layout.element_units();
  layout.set_base(address * units_per_byte(layout));
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
  layout.set_base(address * units_per_byte(layout));
  layout.add_dim(rows, {{1, row_stride * unit}});
  layout.add_dim(cols, {{1, unit}});
  return layout;
}

}  // namespace tensorlane
