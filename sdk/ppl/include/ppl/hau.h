// SPDX-License-Identifier: Apache-2.0
//
// hau:: sorting in system memory.

#ifndef TENSORLANE_PPL_HAU_H_
#define TENSORLANE_PPL_HAU_H_

#include "ppl/dma.h"

namespace ppl {
namespace hau {

// The first `k` of the sorted elements and where they stood, the largest first where `descending`;
// of equals the earlier comes first.
PPL_CALL void topk(const operand& values, const operand& indices, const operand& src, int k,
                   bool descending) {
  PPL_HERE;
  using namespace detail;
  const View to = values.seen(), places = indices.seen(), from = src.seen();
  if (local(to) || local(places) || local(from))
    recorder().refuse(PplTensorConvErr, msg("sorting is done in system memory"));
  recorder().record(Engine::kDma, {writes(to), writes(places), reads(from)}, [=] {
    tpu_hau_sort_natural_index(system_at(to), system_at(places), system_at(from),
                               static_cast<int>(elements_in(from.shape)), k, descending, from.type);
    tpu_hau_poll();
  });
}

}  // namespace hau
}  // namespace ppl

#endif  // TENSORLANE_PPL_HAU_H_
