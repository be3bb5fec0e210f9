// The one way work is spread over threads.
//
// A component that includes this header links TBB::tbb. Under ThreadSanitizer plain threads do the
// work: the packaged TBB library is not instrumented, so that the sanitizer would miss the ordering
// it gives and report every hand-over as a race. The loops' own races are found either way.
#ifndef TENSORLANE_BASE_PARALLEL_H_
#define TENSORLANE_BASE_PARALLEL_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#ifdef __SANITIZE_THREAD__
#include <exception>
#include <thread>
#include <vector>
#else
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#endif

namespace tensorlane {

// Calls body(begin, end) for disjoint ranges that cover [0, count) once, on several threads, and
// returns when all are done. A range longer than `grain` (at least 1) may be halved further. An
// exception of one body is thrown here. Which ranges there are is not fixed: a result must not
// depend on it.
#ifdef __SANITIZE_THREAD__
template <class Body>
void parallel_ranges(std::int64_t count, std::int64_t grain, const Body& body) {
  constexpr std::int64_t kThreads = 3;
  const std::int64_t threads = std::min(kThreads, count / std::max<std::int64_t>(grain, 1));
  if (threads <= 1) {
    if (count > 0) body(std::int64_t{0}, count);
    return;
  }
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(threads));
  std::vector<std::thread> workers;
  for (std::int64_t t = 0; t < threads; ++t) {
    workers.emplace_back([&, t] {
      try {
        body(count * t / threads, count * (t + 1) / threads);
      } catch (...) {
        failures[static_cast<std::size_t>(t)] = std::current_exception();
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}
#else
template <class Body>
void parallel_ranges(std::int64_t count, std::int64_t grain, const Body& body) {
  if (count <= 0) return;
  using Range = tbb::blocked_range<std::int64_t>;
  const auto least = static_cast<std::size_t>(std::max<std::int64_t>(grain, 1));
  tbb::parallel_for(Range(0, count, least),
                    [&](const Range& range) { body(range.begin(), range.end()); });
}
#endif

}  // namespace tensorlane

#endif  // TENSORLANE_BASE_PARALLEL_H_
