#include "front_ends.h"
#include "tensorlane/okk/define.h"

namespace tensorlane::cli {

std::span<const Op* const> okkernel_ops() {
  return okk::op_list();
}

}  // namespace tensorlane::cli
