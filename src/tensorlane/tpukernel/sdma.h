// Functions that two engines have.
#ifndef TENSORLANE_TPUKERNEL_SDMA_H_
#define TENSORLANE_TPUKERNEL_SDMA_H_

#include "tensorlane/tpukernel/families.h"

namespace tensorlane::tpukernel {

// The same by the SDMA engine, which moves data between system memories. No model that was recorded
// has it.
inline OpSpec on_sdma(OpSpec spec) {
  spec.engine = Engine::kSdma;
  spec.group = "sdma";
  return as_documented(std::move(spec));
}

}  // namespace tensorlane::tpukernel

#endif  // TENSORLANE_TPUKERNEL_SDMA_H_
