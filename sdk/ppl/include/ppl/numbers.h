// SPDX-License-Identifier: Apache-2.0
//
// Constants of the chip and small functions on numbers, strides among them.

#ifndef TENSORLANE_PPL_NUMBERS_H_
#define TENSORLANE_PPL_NUMBERS_H_

#include "ppl/tensor.h"

#ifndef LANE_NUM
#define LANE_NUM ::ppl::detail::lanes()
#endif

namespace ppl {

template <class A, class B>
constexpr std::common_type_t<A, B> min(A a, B b) {
  using C = std::common_type_t<A, B>;
  return static_cast<C>(b) < static_cast<C>(a) ? static_cast<C>(b) : static_cast<C>(a);
}
template <class A, class B>
constexpr std::common_type_t<A, B> max(A a, B b) {
  using C = std::common_type_t<A, B>;
  return static_cast<C>(a) < static_cast<C>(b) ? static_cast<C>(b) : static_cast<C>(a);
}
template <class A, class B>
constexpr A div_up(A a, B b) {
  return static_cast<A>((a + b - 1) / b);
}
template <class A, class B>
constexpr A align(A value, B step) {
  return static_cast<A>((value + step - 1) / step * step);
}

// Elements of a type that an NPU handles per step.
template <class T>
int get_eu_num() {
  return detail::row_bytes() * 8 / detail::bits_of(detail::dtype_of<T>());
}
// Input channels that weights of a convolution keep side by side.
template <class T>
int get_nic() {
  return tpu_get_ic_parallel(detail::dtype_of<T>());
}

// The strides of a tensor in local memory.
template <class T>
dim4 get_stride(const dim4& shape, align_mode_t mode = TPU_ALIGN, int lane = 0) {
  return detail::local_stride(shape, detail::dtype_of<T>(), mode, lane);
}
template <class T>
void get_stride(dim4* stride, const dim4* shape, align_mode_t mode = TPU_ALIGN, int lane = 0) {
  *stride = get_stride<T>(*shape, mode, lane);
}
// The same by how many elements a row of the execution units has.
inline void get_stride(dim4* stride, const dim4* shape, align_mode_t mode, int row) {
  stride->w = 1;
  stride->h = mode == TPU_ROW_ALIGN ? detail::round_up(shape->w, row) : shape->w;
  stride->c = shape->h * stride->h;
  if (mode == TPU_ALIGN) stride->c = detail::round_up(stride->c, row);
  stride->n = stride->c * detail::channel_rows(shape->c, 0);
}
inline void aligned_stride_4d(dim4* stride, const dim4* shape, int lane, int bytes) {
  const data_type_t type = bytes == 1 ? DT_INT8 : bytes == 2 ? DT_INT16 : DT_INT32;
  *stride = detail::local_stride(*shape, type, TPU_ALIGN, lane);
}

// A number in global memory or L2, as commands have left it: what was recorded so far is carried
// out.
template <class T>
PPL_CALL T get_value(unsigned long long address) {
  PPL_HERE;
  detail::flush_and_wait(detail::recorder());
  if (detail::recorder().planning) return T();
  const unsigned long long into_l2 = address - tpu_l2_sram_get_start_addr();
  const bool in_l2 = into_l2 < static_cast<unsigned long long>(tpu_l2_sram_size());
  return *static_cast<const T*>(in_l2 ? tpu_l2_sram_addr(address) : tpu_global_mem_addr(address));
}
inline unsigned long long get_gmem_addr(const operand& tensor) {
  return static_cast<unsigned long long>(tensor.seen().offset);
}
template <class T>
unsigned long long get_gmem_addr(T* address) {
  return reinterpret_cast<std::uintptr_t>(address);
}
template <class T>
void invalid_cache(T, unsigned long long) {}  // the emulated processor has none

}  // namespace ppl

#endif  // TENSORLANE_PPL_NUMBERS_H_
