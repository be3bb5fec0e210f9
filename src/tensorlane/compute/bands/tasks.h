// Parallel loops of the fast paths.
#ifndef TENSORLANE_COMPUTE_BANDS_TASKS_H_
#define TENSORLANE_COMPUTE_BANDS_TASKS_H_

#include <algorithm>
#include <cstdint>

#include "tensorlane/base/fp_environment.h"
#include "tensorlane/base/parallel.h"

namespace tensorlane {

// Below this many multiply-adds (some 20 us of one thread) starting threads costs more than it
// saves.
constexpr std::int64_t kParallelWork = 1 << 20;

inline int thread_count(std::int64_t work) {
  return work < least_parallel_work(kParallelWork) ? 1 : most_threads();
}

// What laying out so many elements is worth: each is read and written, widened or turned round.
constexpr std::int64_t layout_work(std::int64_t elements) {
  constexpr std::int64_t kOfElement = 16;
  return kOfElement * elements;
}

// How many parts work is divided into that comes in at least `least`: a multiple of what threads
// there are, so that all of them end together.
inline std::int64_t even_parts(std::int64_t least, std::int64_t work) {
  const std::int64_t threads = thread_count(work);
  return (std::max<std::int64_t>(least, 1) + threads - 1) / threads * threads;
}

// body(begin, end) for ranges that make up [0, count), in the chips' float environment, on several
// threads when `work` multiply-adds are worth it.
template <class Body>
void for_each_range(std::int64_t count, std::int64_t work, const Body& body) {
  const auto run = [&](std::int64_t begin, std::int64_t end) {
    ChipFloatScope chip_float;
    body(begin, end);
  };
  if (thread_count(work) == 1) {
    run(0, count);
  } else {
    parallel_ranges(count, 1, run);
  }
}

// The same with body(i) for each i.
template <class Body>
void for_each_task(std::int64_t count, std::int64_t work, const Body& body) {
  for_each_range(count, work, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) body(i);
  });
}

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_BANDS_TASKS_H_
