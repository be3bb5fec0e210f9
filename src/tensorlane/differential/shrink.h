// A smallest case of a difference.
#ifndef TENSORLANE_DIFFERENTIAL_SHRINK_H_
#define TENSORLANE_DIFFERENTIAL_SHRINK_H_

#include "tensorlane/differential/trial.h"

namespace tensorlane::differential {

// Makes a case that differs in some way as small as it gets while it differs: extents, strides,
// places, constants, data, threads. Returns what then differs.
std::string shrink(Trial& trial, Case& failing, Way& way);

}  // namespace tensorlane::differential

#endif  // TENSORLANE_DIFFERENTIAL_SHRINK_H_
