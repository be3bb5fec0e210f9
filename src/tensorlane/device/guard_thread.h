// The thread of the launch guard: ends what signal handlers may not end themselves.
//
// A handler can do next to nothing, and the thread it interrupted may hold any lock. So this
// thread, made beforehand, does the rest: it ends launches that take too long, hands the reports
// over when the process has to end, and ends it.
#ifndef TENSORLANE_DEVICE_GUARD_THREAD_H_
#define TENSORLANE_DEVICE_GUARD_THREAD_H_

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "tensorlane/device/device.h"
#include "tensorlane/device/launch_guard.h"
#include "tensorlane/device/running_kernel.h"

namespace tensorlane {

class GuardThread {
 public:
  // Sent to a thread whose kernel is to end; its handler ends it where that is possible.
  static constexpr int kStopSignal = SIGURG;

  // Starts the thread. UserError when that is impossible.
  GuardThread();
  GuardThread(const GuardThread&) = delete;
  GuardThread& operator=(const GuardThread&) = delete;

  void add(Device& device);
  void remove(Device& device);
  void set_limit(const LaunchLimit& limit);
  // See launch_guard.h.
  void stop_launch(const Device& device);

  // All devices end their reports. Where `run` is not null the launch of that kernel ends by
  // `failure`; its thread stands still or is this one.
  void end_devices(const RunningKernel* run, const Failure& failure);

  // Safe in signal handlers. A fault that ends the process: returns when the reports are written,
  // or when that took too long. Null `run`: outside of kernels.
  void report_fault(RunningKernel* run, const Fault& fault);
  // The process is asked to end by `signal`. False when it was asked a while before: now it is to
  // end at once. Some who ask send the signal to the process and to its group, so it comes twice.
  bool interrupt(int signal);
  bool is_this_thread() const { return pthread_equal(pthread_self(), thread_) != 0; }

 private:
  using Clock = std::chrono::steady_clock;
  static std::int64_t to_us(std::chrono::duration<double> time) {
    return std::chrono::duration_cast<std::chrono::microseconds>(time).count();
  }
  void run();
  void wait_for_message();
  void receive();
  bool wants_to_stop(RunningKernel& run);
  void stop_kernels();
  void end_process(int signal);

  pthread_t thread_{};
  int wake_[2]{-1, -1}, done_[2]{-1, -1};
  std::mutex mutex_;
  std::vector<Device*> devices_;
  std::atomic<std::int64_t> limit_us_ = 0;
  std::atomic<const char*> limit_option_ = "";

  RunningKernel* faulted_run_ = nullptr;  // written before the message
  const Fault* fault_ = nullptr;
  std::atomic<int> interrupted_ = 0;              // the signal that the process is to end by
  std::atomic<std::int64_t> interrupted_at_ = 0;  // seconds
};

}  // namespace tensorlane

#endif  // TENSORLANE_DEVICE_GUARD_THREAD_H_
