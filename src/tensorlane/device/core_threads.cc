#include "tensorlane/device/core_threads.h"

namespace tensorlane {

CoreThreads::~CoreThreads() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  begins_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void CoreThreads::run(int count, const std::function<void(int)>& f) {
  {
    const std::lock_guard lock(mutex_);
    while (static_cast<int>(threads_.size()) + 1 < count) {
      const int number = static_cast<int>(threads_.size()) + 1;
      threads_.emplace_back([this, number] { work(number); });
    }
    job_ = &f;
    count_ = count;
    left_ = count - 1;
    ++round_;
  }
  begins_.notify_all();
  f(0);
  std::unique_lock lock(mutex_);
  ends_.wait(lock, [&] { return left_ == 0; });
}

void CoreThreads::work(int number) {
  prepare_();
  std::uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    // Those of launches on fewer cores are none of this thread's.
    begins_.wait(lock, [&] { return stopping_ || (round_ != seen && number < count_); });
    if (stopping_) return;
    seen = round_;
    const std::function<void(int)>& job = *job_;
    lock.unlock();
    job(number);
    lock.lock();
    if (--left_ == 0) ends_.notify_all();
  }
}

}  // namespace tensorlane
