#include "front_ends.h"
#include "tensorlane/tpukernel/define.h"

namespace tensorlane::cli {

std::span<const Op* const> tpukernel_ops() {
  return tpukernel::ops().all();
}

int published_tier(const Op& op) {
  return tpukernel::ops().find(op.name()) == &op ? tpukernel::tier(op.name()) : 0;
}

}  // namespace tensorlane::cli
