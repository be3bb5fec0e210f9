// What a command computes, in real numbers: how its results come from its sources.
#ifndef TENSORLANE_OBSERVE_PRECISION_MEANING_H_
#define TENSORLANE_OBSERVE_PRECISION_MEANING_H_

#include <optional>

#include "tensorlane/observe/precision/real_formula.h"
#include "tensorlane/ops/op.h"

namespace tensorlane::precision {

struct Meaning {
  enum class Kind : std::uint8_t {
    kUnknown,
    kCopy,      // the same element, or one that is read again and again
    kMoved,     // the implementation tells which (moved.h)
    kSelected,  // the same element of one of the sources
    kFormula,   // element by element (real_formula.h)
    kProducts,  // sums of products (reduction.h)
    kMean,      // sums times a factor
    kMaximum,
  };
  Kind kind = Kind::kUnknown;
  std::optional<RealFormula> formula = {};
  bool rotated = false;  // the kernel of kProducts counts from its end
};

// From the entry: its dependence, how its elements combine, and its documentation.
Meaning meaning_of(const Op& op);

// The parameter that a name in a formula stands for: "src0" for "src0_addr"; empty where there is
// none.
std::string_view parameter_of(const Op& op, std::string_view name);

}  // namespace tensorlane::precision

#endif  // TENSORLANE_OBSERVE_PRECISION_MEANING_H_
