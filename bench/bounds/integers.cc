// Bare loops of integers and packed words.
#include "bounds.h"

namespace tensorlane::bench {

const BoundList& integer_bounds() {
  static const auto& list = *new BoundList{};
  return list;
}

}  // namespace tensorlane::bench
