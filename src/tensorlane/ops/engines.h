// What kinds of engines there are.
#ifndef TENSORLANE_OPS_ENGINES_H_
#define TENSORLANE_OPS_ENGINES_H_

#include "tensorlane/ops/op.h"

namespace tensorlane {

// Whether it copies and does not compute.
constexpr bool is_dma(Engine engine) {
  return engine == Engine::kGdma || engine == Engine::kSdma;
}

}  // namespace tensorlane

#endif  // TENSORLANE_OPS_ENGINES_H_
