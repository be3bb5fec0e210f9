// What a command should have given, in double precision, and what its sources have to do with it.
#ifndef TENSORLANE_OBSERVE_PRECISION_RESULTS_H_
#define TENSORLANE_OBSERVE_PRECISION_RESULTS_H_

#include <optional>
#include <vector>

#include "tensorlane/device/memory.h"
#include "tensorlane/observe/precision/meaning.h"
#include "tensorlane/observe/precision/operand_values.h"
#include "tensorlane/ops/command.h"
#include "tensorlane/trail/shadow_memory.h"

namespace tensorlane::precision {

// Of one result, in logical order.
struct RealResult {
  const Operand* operand = nullptr;
  Numbers of_exact = {};  // from the sources as they are in memory
  Numbers real = {};      // from their shadows
  Blames blame = {};      // for what the sources bring; empty where they bring nothing
  double arrived = 0;     // the error of the source that has most, as a share of its magnitude
};

// Of an arithmetic command, before it takes effect. Nothing where its meaning does not say, nor
// where a shift takes integers apart that are what they should be: what its rounding to one side
// drops is another part of the same word, and no error. Rounded to the nearest, it is a quotient.
std::optional<RealResult> real_result(const Command& command, const Meaning& meaning,
                                      const DeviceMemory& memory,
                                      const trail::ShadowMemory& shadows);

// Of a command that moves elements: the shadows of the elements of each of its results, without
// type where there is none; empty for a result to which none comes.
struct MovedResult {
  const Operand* operand = nullptr;
  Shadows shadows = {};
  std::vector<bool> kept = {};  // what is not written; empty: all is
};
std::vector<MovedResult> moved_results(const Command& command, const Meaning& meaning,
                                       const DeviceMemory& memory,
                                       const trail::ShadowMemory& shadows);

}  // namespace tensorlane::precision

#endif  // TENSORLANE_OBSERVE_PRECISION_RESULTS_H_
