// SPDX-License-Identifier: Apache-2.0
//
// sdma:: the copies inside of system memory of chips that have an engine for them.

#ifndef TENSORLANE_PPL_SDMA_H_
#define TENSORLANE_PPL_SDMA_H_

#include "ppl/dma_index.h"

namespace ppl {
namespace sdma {

PPL_CALL void move(const operand& dst, const operand& src) {
  PPL_HERE;
  using namespace detail;
  const View to = dst.seen();
  View from = src.seen();
  need_same_width(to, from);
  from.shape = to.shape;
  recorder().record(Engine::kSdma, {writes(to), reads(from)}, [=] {
    tpu_sdma_cpy_S2S(system_at(to), system_at(from), &to.shape, &to.stride, &from.stride, to.type);
  });
}
PPL_CALL void zero(const operand& dst) {
  PPL_HERE;
  using namespace detail;
  const View to = dst.seen();
  recorder().record(Engine::kSdma, {writes(to)}, [=] {
    tpu_sdma_set_C_system(system_at(to), scalar(0).as(to.type), &to.shape, &to.stride, to.type);
  });
}
PPL_CALL void gather_h(const operand& dst, const operand& param, const operand& index, scalar c) {
  PPL_HERE;
  using namespace detail;
  const View to = dst.seen(), from = param.seen(), places = index.seen();
  const scalar_t constant = c.as(to.type);
  const dim4 stride = index_stride(places, to.shape);
  recorder().record(Engine::kSdma, {writes(to), reads(from), reads(places)}, [=] {
    tpu_sdma_h_gather_S2S(system_at(to), system_at(from), system_at(places), constant, &to.shape,
                          from.shape.h, &to.stride, &from.stride, &stride, to.type);
  });
}
PPL_CALL void scatter_h(const operand& dst, const operand& param, const operand& index) {
  PPL_HERE;
  using namespace detail;
  const View to = dst.seen(), from = param.seen(), places = index.seen();
  const dim4 stride = index_stride(places, to.shape);
  recorder().record(Engine::kSdma, {writes(to), reads(from), reads(places)}, [=] {
    tpu_sdma_h_scatter_S2S(system_at(to), system_at(from), system_at(places), &to.shape,
                           from.shape.h, &to.stride, &from.stride, &stride, to.type);
  });
}

}  // namespace sdma
}  // namespace ppl

#endif  // TENSORLANE_PPL_SDMA_H_
