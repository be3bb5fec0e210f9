// The threads of the cores of launches: made when a launch first needs them, and kept for the next
// ones. A thread that has computed something has its scratch memory and its place among those of
// the tasks; making both anew in every launch costs more than small launches do.
#ifndef TENSORLANE_DEVICE_CORE_THREADS_H_
#define TENSORLANE_DEVICE_CORE_THREADS_H_

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace tensorlane {

class CoreThreads {
 public:
  // Every thread calls `prepare` first.
  explicit CoreThreads(std::function<void()> prepare) : prepare_(std::move(prepare)) {}
  ~CoreThreads();
  CoreThreads(const CoreThreads&) = delete;
  CoreThreads& operator=(const CoreThreads&) = delete;

  // f(0) here, f(1) .. f(count - 1) each on a thread of its own at the same time; returns when all
  // have. `f` throws nothing. One call at a time.
  void run(int count, const std::function<void(int)>& f);

 private:
  void work(int number);

  const std::function<void()> prepare_;
  std::mutex mutex_;
  std::condition_variable begins_, ends_;
  const std::function<void(int)>* job_ = nullptr;
  std::uint64_t round_ = 0;  // of calls of run()
  int count_ = 0, left_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> threads_;  // of 1, 2, ...
};

}  // namespace tensorlane

#endif  // TENSORLANE_DEVICE_CORE_THREADS_H_
