// What a command computes, in real numbers: how its results come from its sources.
#ifndef TENSORLANE_OBSERVE_PRECISION_MEANING_H_
#define TENSORLANE_OBSERVE_PRECISION_MEANING_H_

#include <cstdint>

#include "tensorlane/ops/op.h"

namespace tensorlane::precision {

struct Meaning {
  enum class Kind : std::uint8_t {
    kUnknown,
    kCopy,      // the same element, or one that is read again and again
    kMoved,     // the implementation tells which (moved.h)
    kSelected,  // the same element of one of the sources
    kFormula,   // element by element (Op::formula)
    kProducts,  // sums of products (reduction.h)
    kMean,      // sums times a factor
    kMaximum,
  };
  Kind kind = Kind::kUnknown;
  bool rotated = false;  // the kernel of kProducts counts from its end
};

// From the entry: its dependence, its formula, how its elements combine.
Meaning meaning_of(const Op& op);

}  // namespace tensorlane::precision

#endif  // TENSORLANE_OBSERVE_PRECISION_MEANING_H_
