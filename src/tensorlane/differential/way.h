// Ways to compute a call: which implementation, on which instruction set, with how many threads.
#ifndef TENSORLANE_DIFFERENTIAL_WAY_H_
#define TENSORLANE_DIFFERENTIAL_WAY_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tensorlane/differential/random.h"

namespace tensorlane::differential {

// In place of an implementation: the one that a launch would take.
inline constexpr std::size_t kDispatched = 1000;

struct Way {
  std::size_t implementation = 0;  // of the entry's list
  std::int64_t target = 0;         // of Highway; 0: the best of the processor
  int threads = 1;
  std::uint64_t order = 0;   // of ranges, one after the other; 0: as threads take them
  bool comes_again = false;  // the call is one that was made before, with other data

  std::string text() const;
};

// The instruction sets of this processor that the fast paths are compiled for, the best first.
const std::vector<std::int64_t>& targets();
// Chooses all but the implementation.
Way draw_way(Random& random);
// Calls `body` with threads and instruction set as `way` says; work goes to threads however small.
void run_in(const Way& way, const std::function<void()>& body);

}  // namespace tensorlane::differential

#endif  // TENSORLANE_DIFFERENTIAL_WAY_H_
