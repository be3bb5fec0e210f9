// The processor time of this thread: other programs' time slices do not count.
#ifndef TENSORLANE_BENCH_THREAD_CLOCK_H_
#define TENSORLANE_BENCH_THREAD_CLOCK_H_

#include <ctime>
#include <functional>

namespace tensorlane::bench {

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

}  // namespace tensorlane::bench

#endif  // TENSORLANE_BENCH_THREAD_CLOCK_H_
