// Times ours and a peer in the same run, on one thread.
#ifndef TENSORLANE_BENCH_PEER_TIMING_H_
#define TENSORLANE_BENCH_PEER_TIMING_H_

#include <benchmark/benchmark.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <ctime>
#include <functional>
#include <vector>

namespace tensorlane::bench {

// Processor time of this thread: other programs' time slices do not count.
inline double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

inline double seconds_of(const std::function<void()>& work) {
  const double start = thread_seconds();
  work();
  return thread_seconds() - start;
}

inline double best(const std::vector<double>& values) {
  return *std::min_element(values.begin(), values.end());
}

// `flop` operations each; see kernels_bench.cc for the counters. Without a peer only "ours".
inline void compare(benchmark::State& state, double flop, const std::function<void()>& ours,
                    const std::function<void()>& peer) {
  tbb::task_arena one_thread(1);
  std::vector<double> our_seconds;
  std::vector<double> peer_seconds;
  one_thread.execute(ours);
  if (peer) peer();
  for (auto _ : state) {
    our_seconds.push_back(seconds_of([&] { one_thread.execute(ours); }));
    if (peer) peer_seconds.push_back(seconds_of(peer));
    state.SetIterationTime(our_seconds.back());
  }
  state.counters["ours"] = flop * 1e-9 / best(our_seconds);
  if (!peer) return;
  state.counters["peer"] = flop * 1e-9 / best(peer_seconds);
  state.counters["ratio"] = best(peer_seconds) / best(our_seconds);
}

}  // namespace tensorlane::bench

#endif  // TENSORLANE_BENCH_PEER_TIMING_H_
