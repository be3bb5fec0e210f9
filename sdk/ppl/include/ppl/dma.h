// SPDX-License-Identifier: Apache-2.0
//
// dma:: copies between and inside of global memory and local memory.
//
// Where the shapes of the two sides differ and their element counts do not, elements are copied in
// row-major order. Where the counts differ, what is copied has the shape of the side in local
// memory, or that of the result where there are two of a kind.

#ifndef TENSORLANE_PPL_DMA_H_
#define TENSORLANE_PPL_DMA_H_

#include "ppl/shapes.h"

namespace ppl {
namespace detail {

inline bool local(const View& view) {
  return view.memory == Memory::kLocal;
}

// The chip's copies take strides of w up to 128 bytes only; none here needs more.
inline void copy(const View& to, const View& from) {
  recorder().record(Engine::kDma, {writes(to), reads(from)}, [=] {
    const dim4* const shape = &to.shape;
    if (local(to) && local(from)) {
      tpu_gdma_cpy_L2L(at(to), at(from), shape, &to.stride, &from.stride, to.type);
    } else if (local(to)) {
      tpu_gdma_cpy_S2L(at(to), system_at(from), shape, &to.stride, &from.stride, to.type);
    } else if (local(from)) {
      tpu_gdma_cpy_L2S(system_at(to), at(from), shape, &to.stride, &from.stride, to.type);
    } else {
      tpu_gdma_cpy_S2S(system_at(to), system_at(from), shape, &to.stride, &from.stride, to.type);
    }
  });
}
inline void copy_in_row_major_order(const View& to, const View& from) {
  recorder().record(Engine::kDma, {writes(to), reads(from)}, [=] {
    if (local(to) && local(from)) {
      tpu_gdma_general_cpy_L2L(at(to), at(from), &to.shape, &from.shape, &to.stride, &from.stride,
                               to.type);
    } else if (local(to)) {
      tpu_gdma_general_cpy_S2L(at(to), system_at(from), &to.shape, &from.shape, &to.stride,
                               &from.stride, to.type);
    } else {
      tpu_gdma_general_cpy_L2S(system_at(to), at(from), &to.shape, &from.shape, &to.stride,
                               &from.stride, to.type);
    }
  });
}

inline void need_same_width(const View& to, const View& from) {
  if (bits_of(to.type) == bits_of(from.type)) return;
  recorder().refuse(PplTensorConvErr, msg("a copy from {} to {} bits: copies do not convert"),
                    bits_of(from.type), bits_of(to.type));
}

inline void move(const operand& dst, const operand& src) {
  if (dst.is_local()) dst.settle(src.shape());
  View to = as_bytes(dst.seen()), from = as_bytes(src.seen());
  need_same_width(to, from);
  from.type = to.type;
  if (same_shape(to.shape, from.shape)) return copy(to, from);
  const bool both_system = !local(to) && !local(from);
  if (elements_in(to.shape) == elements_in(from.shape) && !both_system)
    return copy_in_row_major_order(to, from);
  (local(from) && !local(to) ? to : from).shape = (local(from) && !local(to) ? from : to).shape;
  copy(to, from);
}

}  // namespace detail

namespace dma {

PPL_CALL void load(const operand& dst, const operand& src) {
  PPL_HERE;
  detail::move(dst, src);
}
PPL_CALL void store(const operand& dst, const operand& src) {
  PPL_HERE;
  detail::move(dst, src);
}
PPL_CALL void move(const operand& dst, const operand& src) {
  PPL_HERE;
  detail::move(dst, src);
}

// dst[n, c] = src[c, n].
PPL_CALL void load_transpose_nc(const operand& dst, const operand& src) {
  PPL_HERE;
  using namespace detail;
  const dim4& from_shape = src.shape();
  dst.settle({from_shape.c, from_shape.n, from_shape.h, from_shape.w});
  const View to = dst.seen(), from = src.seen();
  need_same_width(to, from);
  recorder().record(Engine::kDma, {writes(to), reads(from)}, [=] {
    tpu_gdma_cpy_nc_trans_S2L(at(to), system_at(from), &to.shape, &to.stride, &from.stride,
                              to.type);
  });
}
PPL_CALL void store_transpose_nc(const operand& dst, const operand& src) {
  PPL_HERE;
  using namespace detail;
  const View to = dst.seen(), from = src.seen();
  need_same_width(to, from);
  const dim4 shape = {from.shape.c, from.shape.n, from.shape.h, from.shape.w};
  recorder().record(Engine::kDma, {writes(to), reads(from)}, [=] {
    tpu_gdma_cpy_nc_trans_L2S(system_at(to), at(from), &shape, &to.stride, &from.stride, to.type);
  });
}

// dst[n, c, h, w] = src[n, w, h, c].
PPL_CALL void transpose_cw(const operand& dst, const operand& src) {
  PPL_HERE;
  using namespace detail;
  const dim4& from_shape = src.shape();
  if (dst.is_local()) dst.settle({from_shape.n, from_shape.w, from_shape.h, from_shape.c});
  const View to = dst.seen(), from = src.seen();
  need_same_width(to, from);
  recorder().record(Engine::kDma, {writes(to), reads(from)}, [=] {
    const dim4* const shape = &to.shape;
    if (local(to) && local(from)) {
      tpu_gdma_cpy_cw_trans_L2L(at(to), at(from), shape, &to.stride, &from.stride, to.type);
    } else if (local(to)) {
      tpu_gdma_cpy_cw_trans_S2L(at(to), system_at(from), shape, &to.stride, &from.stride, to.type);
    } else if (local(from)) {
      tpu_gdma_cpy_cw_trans_L2S(system_at(to), at(from), shape, &to.stride, &from.stride, to.type);
    } else {
      tpu_gdma_cpy_cw_trans_S2S(system_at(to), system_at(from), shape, &to.stride, &from.stride,
                                to.type);
    }
  });
}

// One channel of global memory in every channel of dst.
PPL_CALL void load_broadcast(const operand& dst, const operand& src) {
  PPL_HERE;
  using namespace detail;
  const dim4& from_shape = src.shape();
  dst.settle({from_shape.n, dst.shape().c, from_shape.h, from_shape.w});
  const View to = dst.seen(), from = src.seen();
  need_same_width(to, from);
  recorder().record(Engine::kDma, {writes(to), reads(from)}, [=] {
    // As many channels at once as there are NPUs.
    for (int done = 0; done < to.shape.c; done += lanes()) {
      View part = to;
      part.offset += std::int64_t{done / lanes()} * to.stride.c * bits_of(to.type) / 8;
      part.shape.c = std::min(lanes(), to.shape.c - done);
      tpu_gdma_channel_bcast_S2L(at(part), system_at(from), &part.shape, &part.stride, &from.stride,
                                 to.type);
    }
  });
}

// Into the compact layout.
PPL_CALL void load_compact(const operand& dst, const operand& src) {
  PPL_HERE;
  using namespace detail;
  const View from = src.seen();
  View to = dst.seen();
  to.mode = TPU_COMPACT;
  to.stride = local_stride(to.shape, to.type, TPU_COMPACT, to.lane);
  need_same_width(to, from);
  copy(to, from);
}

PPL_CALL void fill(const operand& dst, scalar c) {
  PPL_HERE;
  using namespace detail;
  const View to = dst.seen();
  const scalar_t constant = c.as(to.type);
  recorder().record(Engine::kDma, {writes(to)}, [=] {
    if (local(to)) {
      tpu_gdma_set_C_local(at(to), constant, &to.shape, &to.stride, to.type);
    } else {
      tpu_gdma_set_C_system(system_at(to), constant, &to.shape, &to.stride, to.type);
    }
  });
}
PPL_CALL void zero(const operand& dst) {
  PPL_HERE;
  fill(dst, 0);
}

}  // namespace dma
}  // namespace ppl

#endif  // TENSORLANE_PPL_DMA_H_
