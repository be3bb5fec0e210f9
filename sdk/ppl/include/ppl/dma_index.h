// SPDX-License-Identifier: Apache-2.0
//
// dma:: by index: gathers and scatters of rows, places of what is not zero, sums on the way.

#ifndef TENSORLANE_PPL_DMA_INDEX_H_
#define TENSORLANE_PPL_DMA_INDEX_H_

#include "ppl/dma.h"

namespace ppl {
namespace detail {

// The chip takes one index per channel; with one for all channels it is read again.
inline dim4 index_stride(const View& index, const dim4& shape) {
  dim4 stride = index.stride;
  if (index.shape.c == 1 && shape.c > 1) stride.c = 0;
  return stride;
}

}  // namespace detail

namespace dma {

// dst[0, c, h, :] = param[0, c, index[c, h], :]; `c` where there is no such row.
PPL_CALL void gather_h(const operand& dst, const operand& param, const operand& index, scalar c) {
  PPL_HERE;
  using namespace detail;
  const View to = dst.seen(), from = param.seen(), places = index.seen();
  need_same_width(to, from);
  const scalar_t constant = c.as(to.type);
  const dim4 stride = index_stride(places, to.shape);
  View rows = from;
  if (from.shape.c == 1 && to.shape.c > 1) rows.stride.c = 0;
  recorder().record(Engine::kDma, {writes(to), reads(from), reads(places)}, [=] {
    const addr_t index_at = local(places) ? at(places) : system_at(places);
    const auto call = [&](auto function, auto output, auto param_at) {
      function(output, param_at, index_at, local(places), constant, &to.shape, from.shape.h,
               &to.stride, &rows.stride, &stride, to.type);
    };
    if (local(to) && local(from)) {
      call(tpu_gdma_h_gather_L2L, at(to), at(from));
    } else if (local(to)) {
      call(tpu_gdma_h_gather_S2L, at(to), system_at(from));
    } else if (local(from)) {
      call(tpu_gdma_h_gather_L2S, system_at(to), at(from));
    } else {
      call(tpu_gdma_h_gather_S2S, system_at(to), system_at(from));
    }
  });
}

// dst[0, c, index[c, h], :] = param[0, c, h, :]; of equal indices the last counts.
PPL_CALL void scatter_h(const operand& dst, const operand& param, const operand& index) {
  PPL_HERE;
  using namespace detail;
  const View to = dst.seen(), from = param.seen(), places = index.seen();
  need_same_width(to, from);
  const dim4 stride = index_stride(places, to.shape);
  recorder().record(Engine::kDma, {writes(to), reads(from), reads(places)}, [=] {
    const addr_t index_at = local(places) ? at(places) : system_at(places);
    const auto call = [&](auto function, auto output, auto param_at) {
      function(output, param_at, index_at, local(places), &to.shape, from.shape.h, &to.stride,
               &from.stride, &stride, to.type);
    };
    if (local(to) && local(from)) {
      call(tpu_gdma_h_scatter_L2L, at(to), at(from));
    } else if (local(to)) {
      call(tpu_gdma_h_scatter_S2L, at(to), system_at(from));
    } else if (local(from)) {
      call(tpu_gdma_h_scatter_L2S, system_at(to), at(from));
    } else {
      call(tpu_gdma_h_scatter_S2S, system_at(to), system_at(from));
    }
  });
}
// The same from row `start` on, and adding to what is there: on chips that have it.
PPL_CALL void scatter_h(const operand& dst, const operand& param, const operand& index, int start,
                        int add) {
  PPL_HERE;
  using namespace detail;
  const View to = dst.seen(), from = param.seen(), places = index.seen();
  const dim4 stride = index_stride(places, to.shape);
  recorder().record(Engine::kDma, {writes(to), reads(from), reads(places)}, [=] {
    tpu_gdma_h_scatter_S2S_ext(system_at(to), system_at(from),
                               local(places) ? at(places) : system_at(places), local(places),
                               &to.shape, from.shape.h, static_cast<u32>(start), add, &to.stride,
                               &from.stride, &stride, to.type);
  });
}

// Adds (or whatever `operation` is) what is copied to what is there: on chips that have it.
PPL_CALL void reduce(const operand& dst, const operand& src, int what_is_there, int operation) {
  PPL_HERE;
  using namespace detail;
  const View to = dst.seen();
  View from = src.seen();
  from.shape = to.shape;
  recorder().record(Engine::kDma, {writes(to), reads(from)}, [=] {
    if (local(from)) {
      tpu_gdma_cpy_reduce_L12L2(system_at(to), at(from), &to.shape, &to.stride, &from.stride,
                                to.type, what_is_there, operation);
    } else {
      tpu_gdma_cpy_reduce_L22L2(system_at(to), system_at(from), &to.shape, &to.stride, &from.stride,
                                to.type, what_is_there, operation);
    }
  });
}

// The places of the elements of src that are not zero, as far as dst goes; how many there are. The
// kernel waits for the answer: what was recorded so far is carried out.
PPL_CALL int nonzero(const operand& dst, const operand& src) {
  PPL_HERE;
  using namespace detail;
  const View to = dst.seen(), from = src.seen();
  recorder().record(Engine::kDma, {writes(to), reads(from)}, [=] {
    if (local(from)) {
      tpu_gdma_nonzero_L2S(system_at(to), at(from), &from.shape, from.type, 0);
    } else {
      tpu_gdma_nonzero_S2S(system_at(to), system_at(from), &from.shape, from.type, 0);
    }
  });
  flush_and_wait(recorder());
  return recorder().planning ? 0 : static_cast<int>(tpu_gdma_get_filter_num());
}

}  // namespace dma
}  // namespace ppl

#endif  // TENSORLANE_PPL_DMA_INDEX_H_
