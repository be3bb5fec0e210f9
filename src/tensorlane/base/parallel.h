// The one way work is spread over threads.
//
// A component that includes this header links TBB::tbb. Under ThreadSanitizer plain threads do the
// work: the packaged TBB library is not instrumented, so that the sanitizer would miss the ordering
// it gives and report every hand-over as a race. The loops' own races are found either way.
#ifndef TENSORLANE_BASE_PARALLEL_H_
#define TENSORLANE_BASE_PARALLEL_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#ifdef __SANITIZE_THREAD__
#include <exception>
#include <thread>
#else
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <memory>
#include <mutex>
#endif
#include <utility>
#include <vector>

namespace tensorlane {

// From now on at most this many threads work at once, in the whole process; at least 1. Results do
// not depend on it.
void limit_threads(int threads);
// How many that are for the calling thread.
int most_threads();

// How tests look for results that depend on threads: see trial_ranges.
struct ParallelTrial {
  // Work is spread that is by this power of two smaller than what is worth it.
  std::atomic<int> smaller = 0;
  // Not 0: ranges do not run at once but one after the other in an order that this number decides.
  std::atomic<std::uint64_t> order = 0;
};
inline ParallelTrial parallel_trial;

// The least work that is spread over threads, where `usual` is worth it.
inline std::int64_t least_parallel_work(std::int64_t usual) {
  const int smaller = parallel_trial.smaller.load(std::memory_order_relaxed);
  return smaller == 0 ? usual : std::max<std::int64_t>(usual >> smaller, 1);
}

// What threads might do, on the calling one, where every run is the same: [0, count) in pieces of
// chance length, half of `grain` or more, taken in a chance order. Whatever depends on what ran
// before shows at once.
template <class Body>
void trial_ranges(std::int64_t count, std::int64_t grain, std::uint64_t order, const Body& body) {
  std::uint64_t state = order;
  const auto random = [&state](std::int64_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::int64_t>((state >> 33) % static_cast<std::uint64_t>(below));
  };
  std::vector<std::pair<std::int64_t, std::int64_t>> pieces;
  const std::int64_t least = std::max<std::int64_t>((grain + 1) / 2, 1);
  const std::int64_t more = std::max<std::int64_t>(count / 4, 1);
  for (std::int64_t begin = 0; begin < count;) {
    const std::int64_t wanted = begin + least + random(more);
    const std::int64_t end = count - wanted < least ? count : wanted;
    pieces.emplace_back(begin, end);
    begin = end;
  }
  for (std::size_t left = pieces.size(); left > 0; --left) {
    std::swap(pieces[static_cast<std::size_t>(random(static_cast<std::int64_t>(left)))],
              pieces[left - 1]);
    body(pieces[left - 1].first, pieces[left - 1].second);
  }
}

// Calls body(begin, end) for disjoint ranges that cover [0, count) once, on several threads, and
// returns when all are done. A range longer than `grain` (at least 1) may be halved further. An
// exception of one body is thrown here. Which ranges there are is not fixed: a result must not
// depend on it.
#ifdef __SANITIZE_THREAD__
inline std::atomic<int> sanitized_threads = 3;
inline void limit_threads(int threads) {
  sanitized_threads = threads;
}
inline int most_threads() {
  return sanitized_threads;
}

template <class Body>
void parallel_ranges(std::int64_t count, std::int64_t grain, const Body& body) {
  if (const std::uint64_t order = parallel_trial.order.load(std::memory_order_relaxed); order != 0)
    return trial_ranges(count, grain, order, body);
  const std::int64_t threads =
      std::min<std::int64_t>(most_threads(), count / std::max<std::int64_t>(grain, 1));
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
inline void limit_threads(int threads) {
  static std::mutex mutex;
  static std::unique_ptr<tbb::global_control> limit;
  const std::lock_guard lock(mutex);
  limit.reset();  // of two limits the lower one would count
  limit = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                static_cast<std::size_t>(threads));
}
inline int most_threads() {
  const auto allowed = static_cast<int>(
      tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism));
  return std::min(allowed, tbb::this_task_arena::max_concurrency());
}

template <class Body>
void parallel_ranges(std::int64_t count, std::int64_t grain, const Body& body) {
  if (count <= 0) return;
  if (const std::uint64_t order = parallel_trial.order.load(std::memory_order_relaxed); order != 0)
    return trial_ranges(count, grain, order, body);
  using Range = tbb::blocked_range<std::int64_t>;
  const auto least = static_cast<std::size_t>(std::max<std::int64_t>(grain, 1));
  tbb::parallel_for(Range(0, count, least),
                    [&](const Range& range) { body(range.begin(), range.end()); });
}
#endif

}  // namespace tensorlane

#endif  // TENSORLANE_BASE_PARALLEL_H_
