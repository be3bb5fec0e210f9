// SPDX-License-Identifier: Apache-2.0
//
// Tensors of a kernel in local memory, and views of them; gtensor.h has those in global memory.
//
// A local tensor has a block shape, for which bytes are kept, and a real shape, which commands see;
// strides follow the real shape and the alignment mode. `view` sees the same bytes in another shape
// or type and computes strides anew, or takes them; `sub_view` sees a part and keeps the strides.
// Views are lvalues, so that they can be passed on as results.

#ifndef TENSORLANE_PPL_TENSOR_H_
#define TENSORLANE_PPL_TENSOR_H_

#include <memory>
#include <string>
#include <utility>

#include "ppl/emit.h"

namespace ppl {

// What functions take: a tensor of any type. For the element type see the classes below.
class operand {
 public:
  operand(const operand& other) : view_(other.view_), open_(other.open_), block_(other.block_) {
    hold(1);
  }
  operand& operator=(const operand& other) {
    if (this == &other) return *this;
    hold(-1);
    view_ = other.view_;
    open_ = other.open_;
    block_ = other.block_;
    counted_ = true;
    hold(1);
    return *this;
  }
  ~operand() { hold(-1); }

  const detail::View& seen() const { return view_; }
  const dim4& shape() const { return view_.shape; }
  const dim4& stride() const { return view_.stride; }
  bool is_local() const { return view_.memory == detail::Memory::kLocal; }

  // A tensor of a block shape alone has the shape of what is computed into it; one of no shape at
  // all gets its bytes then, too.
  void settle(const dim4& natural) const {
    if (!open_) return;
    const bool no_block = block_.n == 0;
    if (!no_block && !detail::fits_in(natural, block_)) return;
    view_.shape = natural;
    view_.stride = detail::local_stride(natural, view_.type, view_.mode, view_.lane);
    if (!no_block) return;
    detail::Buffer& buffer = detail::recorder().buffers[view_.buffer];
    buffer.bytes = std::max(buffer.bytes, detail::local_bytes(view_));
  }

 protected:
  explicit operand(const detail::View& view, bool counted) : view_(view), counted_(counted) {
    hold(1);
  }
  operand(const detail::View& view, const dim4& block) : view_(view), open_(true), block_(block) {
    hold(1);
  }

  detail::View viewed(const dim4& shape, data_type_t type) const {
    detail::View view = view_;
    view.type = type;
    view.shape = shape;
    view.stride = is_local() ? detail::local_stride(shape, type, view.mode, view.lane)
                             : detail::dense_stride(shape);
    return view;
  }
  detail::View part(const dim4& shape, const dim4& at) const {
    detail::View view = view_;
    const dim4& stride = view_.stride;
    std::int64_t elements = std::int64_t{at.n} * stride.n + std::int64_t{at.h} * stride.h +
                            std::int64_t{at.w} * stride.w;
    if (is_local()) {
      view.lane = (view_.lane + at.c) % detail::lanes();
      elements += std::int64_t{(view_.lane + at.c) / detail::lanes()} * stride.c;
    } else {
      elements += std::int64_t{at.c} * stride.c;
    }
    view.offset += elements * detail::bits_of(view.type) / 8;
    view.shape = shape;
    return view;
  }

 private:
  void hold(int change) {
    detail::Recorder& recorder = detail::recorder();
    if (!counted_ || view_.buffer < 0 || view_.memory != detail::Memory::kLocal) return;
    if (view_.buffer < static_cast<int>(recorder.buffers.size()))
      recorder.buffers[view_.buffer].handles += change;
  }

  mutable detail::View view_;
  bool open_ = false;
  dim4 block_ = {0, 0, 0, 0};
  bool counted_ = true;
};

namespace detail {

// The shape of the same bytes in elements of other width: w changes.
inline dim4 in_elements_of(data_type_t type, const View& view) {
  dim4 shape = view.shape;
  shape.w = static_cast<int>(std::int64_t{shape.w} * bits_of(view.type) / bits_of(type));
  return shape;
}

// Views of this launch: what `view` and `sub_view` return refers into it.
template <class Tensor>
Tensor& keep_view(const Tensor& view) {
  struct Kept : KeptView {
    explicit Kept(const Tensor& kept) : tensor(kept) {}
    Tensor tensor;
  };
  auto kept = std::make_unique<Kept>(view);
  Tensor& result = kept->tensor;
  recorder().views.push_back(std::move(kept));
  return result;
}

inline View local_view(const dim4& block, const dim4& real, data_type_t type, align_mode_t mode) {
  Recorder& all = recorder();
  View view;
  view.mode = mode;
  view.type = type;
  if (block.n == 0) {
    view.buffer = all.make_buffer(0);
    return view;
  }
  view.shape = block;
  view.stride = local_stride(block, type, mode, 0);
  view.buffer = all.make_buffer(local_bytes(view));
  if (real.n < 1 || real.c < 1 || real.h < 1 || real.w < 1 || !fits_in(real, block))
    all.buffers[view.buffer].block = block;
  view.shape = real;
  view.stride = local_stride(real, type, mode, 0);
  return view;
}

inline View given_view(const dim4& shape, data_type_t type, align_mode_t mode,
                       unsigned long long address) {
  Recorder& all = recorder();
  View view;
  view.mode = mode;
  view.type = type;
  view.shape = shape;
  view.lane = static_cast<int>(address / tpu_local_mem_size_per_npu());
  view.stride = local_stride(shape, type, mode, view.lane);
  view.buffer = all.make_buffer(std::int64_t{view.stride.n} * shape.n * bits_of(type) / 8);
  Buffer& buffer = all.buffers[view.buffer];
  buffer.given = true;
  buffer.address = static_cast<std::int64_t>(address % tpu_local_mem_size_per_npu());
  return view;
}

}  // namespace detail

template <class T>
class tensor : public operand {
 public:
  // Of a block shape; the real one is that of what is computed into it.
  [[gnu::noinline]] explicit tensor(const dim4& block, align_mode_t mode = TPU_ALIGN)
      : operand(made(block, block, mode, __builtin_frame_address(0)), block) {}
  // Of the shape of what is computed into it, which says how many bytes it takes.
  [[gnu::noinline]] tensor()
      : operand(made({0, 0, 0, 0}, {0, 0, 0, 0}, TPU_ALIGN, __builtin_frame_address(0)),
                dim4{0, 0, 0, 0}) {}
  // At an address of local memory that the caller of the kernel gives.
  [[gnu::noinline]] tensor(const dim4& shape, align_mode_t mode, unsigned long long address)
      : operand(detail::given_view(shape, detail::dtype_of<T>(), mode, address), true) {}
  [[gnu::noinline]] tensor(const dim4& block, const dim4& real, align_mode_t mode)
      : operand(made(block, real, mode, __builtin_frame_address(0)), true) {}

  template <class U = T>
  tensor<U>& view() const {
    return seen_as<U>(detail::in_elements_of(detail::dtype_of<U>(), seen()));
  }
  template <class U = T>
  tensor<U>& view(const dim4& shape) const {
    return seen_as<U>(shape);
  }
  template <class U = T>
  tensor<U>& view(const dim4& shape, const dim4& stride) const {
    detail::View view = viewed(shape, detail::dtype_of<U>());
    view.stride = stride;
    return detail::keep_view(tensor<U>(view));
  }
  // The same shape in another alignment mode.
  tensor& view(align_mode_t mode) const {
    detail::View view = viewed(shape(), detail::dtype_of<T>());
    view.mode = mode;
    view.stride = detail::local_stride(view.shape, view.type, mode, view.lane);
    return detail::keep_view(tensor(view));
  }
  tensor& sub_view(const dim4& shape, const dim4& offset) const {
    return detail::keep_view(tensor(part(shape, offset)));
  }

 private:
  template <class U>
  friend class tensor;

  explicit tensor(const detail::View& view) : operand(view, false) {}
  template <class U>
  tensor<U>& seen_as(const dim4& shape) const {
    return detail::keep_view(tensor<U>(viewed(shape, detail::dtype_of<U>())));
  }
  static detail::View made(const dim4& block, const dim4& real, align_mode_t mode,
                           const void* frame) {
    const detail::Here here(frame);
    return detail::local_view(block, real, detail::dtype_of<T>(), mode);
  }
};

template <class T>
PPL_CALL tensor<T> make_tensor(const dim4& block, const dim4& real, align_mode_t mode = TPU_ALIGN) {
  PPL_HERE;
  return tensor<T>(block, real, mode);
}
template <class T>
PPL_CALL tensor<T> make_tensor(const dim4* block, const dim4* real, align_mode_t mode = TPU_ALIGN) {
  PPL_HERE;
  return tensor<T>(*block, *real, mode);
}

}  // namespace ppl

#endif  // TENSORLANE_PPL_TENSOR_H_
