// Bare loops of products and convolutions.
#include "bounds.h"

namespace tensorlane::bench {

const BoundList& product_bounds() {
  static const auto& list = *new BoundList{};
  return list;
}

}  // namespace tensorlane::bench
