// Times ours and a peer in the same run, on one thread.
#ifndef TENSORLANE_BENCH_PEER_TIMING_H_
#define TENSORLANE_BENCH_PEER_TIMING_H_

#include <benchmark/benchmark.h>
#include <hwy/targets.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <functional>
#include <string_view>
#include <vector>

#include "thread_clock.h"

namespace tensorlane::bench {

inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Takes --target=NAME out of the arguments, as Highway names the instruction sets of vectors (AVX2,
// AVX3: AVX-512), and has ours use that one. False for one that this processor has not.
inline bool take_target(int& argc, char** argv) {
  constexpr std::string_view kOption = "--target=";
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (!argument.starts_with(kOption)) continue;
    std::rotate(argv + i, argv + i + 1, argv + argc);
    --argc;
    for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
      if (hwy::TargetName(target) != argument.substr(kOption.size())) continue;
      hwy::SetSupportedTargetsForTest(target);
      hwy::GetChosenTarget().Update(hwy::SupportedTargets());
      return true;
    }
    return false;
  }
  return true;
}

// Both do `work` operations, or move so many bytes. Every iteration times ours and the peer's once,
// so both see the same state of the machine. Counters, from the median of each: billions per second
// of ours ("ours") and of the peer ("peer"), and "ratio" = ours / peer. Without a peer only "ours".
inline void compare(benchmark::State& state, double work, const std::function<void()>& ours,
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
  state.counters["ours"] = work * 1e-9 / median(our_seconds);
  if (!peer) return;
  state.counters["peer"] = work * 1e-9 / median(peer_seconds);
  state.counters["ratio"] = median(peer_seconds) / median(our_seconds);
}

}  // namespace tensorlane::bench

#endif  // TENSORLANE_BENCH_PEER_TIMING_H_
