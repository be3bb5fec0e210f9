// SPDX-License-Identifier: Apache-2.0
//
// Tensors of a kernel in global memory and in L2.

#ifndef TENSORLANE_PPL_GTENSOR_H_
#define TENSORLANE_PPL_GTENSOR_H_

#include "ppl/tensor.h"

namespace ppl {
namespace detail {

inline View system_view(const dim4& shape, data_type_t type, std::int64_t address) {
  View view;
  view.memory = Memory::kSystem;
  view.type = type;
  view.shape = shape;
  view.stride = dense_stride(shape);
  view.offset = address;
  return view;
}

// L2 is given out once per kernel, one tensor after the other.
inline View l2_view(const dim4& shape, const dim4& real, data_type_t type) {
  Recorder& all = recorder();
  const std::int64_t bytes = (elements_in(shape) * bits_of(type) / 8 + 127) / 128 * 128;
  const std::int64_t address = all.l2_used;
  all.l2_used += bytes;
  if (all.l2_used > tpu_l2_sram_size()) {
    all.refuse(PplL2AddrAssignErr, msg("tensors take {} bytes of L2, it has {}"), all.l2_used,
               tpu_l2_sram_size());
  }
  return system_view(real, type, static_cast<std::int64_t>(tpu_l2_sram_get_start_addr()) + address);
}

}  // namespace detail

template <class T>
class gtensor : public operand {
 public:
  template <class U>
  gtensor(const dim4& shape, mem_t, U* address)
      : operand(detail::system_view(
                    shape, detail::dtype_of<T>(),
                    static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(address))),
                true) {}
  gtensor(const dim4& shape, mem_t, unsigned long long address)
      : operand(
            detail::system_view(shape, detail::dtype_of<T>(), static_cast<std::int64_t>(address)),
            true) {}
  gtensor(const dim4& shape, mem_t) : gtensor(shape, L2, shape) {}
  [[gnu::noinline]] gtensor(const dim4& shape, mem_t, const dim4& real)
      : operand(made(shape, real, __builtin_frame_address(0)), true) {}

  template <class U = T>
  gtensor<U>& view() const {
    return view<U>(detail::in_elements_of(detail::dtype_of<U>(), seen()));
  }
  template <class U = T>
  gtensor<U>& view(const dim4& shape) const {
    return detail::keep_view(gtensor<U>(viewed(shape, detail::dtype_of<U>())));
  }
  template <class U = T>
  gtensor<U>& view(const dim4& shape, const dim4& stride) const {
    detail::View view = viewed(shape, detail::dtype_of<U>());
    view.stride = stride;
    return detail::keep_view(gtensor<U>(view));
  }
  gtensor& sub_view(const dim4& shape, const dim4& offset) const {
    return detail::keep_view(gtensor(part(shape, offset)));
  }

 private:
  template <class U>
  friend class gtensor;

  explicit gtensor(const detail::View& view) : operand(view, true) {}
  static detail::View made(const dim4& shape, const dim4& real, const void* frame) {
    const detail::Here here(frame);
    return detail::l2_view(shape, real, detail::dtype_of<T>());
  }
};

// The same with its axes in another order: axis k is axis order[k] of `shape`.
template <class T, class U>
gtensor<T> make_gtensor_permute(const dim4& shape, mem_t memory, U* address, const int* order) {
  const gtensor<T> plain(shape, memory, address);
  const int* const extents[] = {&shape.n, &shape.c, &shape.h, &shape.w};
  const dim4 strides = detail::dense_stride(shape);
  const int* const steps[] = {&strides.n, &strides.c, &strides.h, &strides.w};
  const dim4 seen = {*extents[order[0]], *extents[order[1]], *extents[order[2]],
                     *extents[order[3]]};
  const dim4 stride = {*steps[order[0]], *steps[order[1]], *steps[order[2]], *steps[order[3]]};
  return plain.view(seen, stride);
}

template <class T>
gtensor<T> make_l2tensor(const dim4& shape, mem_t, const dim4& real) {
  return gtensor<T>(shape, L2, real);
}

}  // namespace ppl

#endif  // TENSORLANE_PPL_GTENSOR_H_
