#include "tensorlane/device/guard_thread.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <ctime>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"

namespace tensorlane {
namespace {

using namespace std::chrono_literals;

// How long a kernel that shall end may stay where it cannot be ended: inside a large command.
constexpr auto kPatience = 2s;
// Between two looks at kernels with a time limit, and at those that shall end.
constexpr int kTickMs = 20, kStopTickMs = 2;
// How long writing the reports may take before the process ends without them.
constexpr int kReportMs = 20000;

// Signals so soon after the first are the same wish.
constexpr std::int64_t kSameSeconds = 1;

constexpr char kFaultMessage = 'f', kInterruptMessage = 'i', kLimitMessage = 'l',
               kStopMessage = 's';

std::string signal_text(int signal) {
  return fmt::format("SIG{}", sigabbrev_np(signal));
}

void say(int file, char message) {
  [[maybe_unused]] const ssize_t written = write(file, &message, 1);
}

}  // namespace

GuardThread::GuardThread() {
  if (pipe2(wake_, O_CLOEXEC | O_NONBLOCK) != 0 || pipe2(done_, O_CLOEXEC) != 0)
    user_error("launches cannot be watched: no pipe: {}", std::strerror(errno));
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int reason = pthread_create(
      &thread_, nullptr,
      [](void* self) -> void* {
        static_cast<GuardThread*>(self)->run();
        return nullptr;
      },
      this);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (reason != 0) user_error("launches cannot be watched: no thread: {}", std::strerror(reason));
}

void GuardThread::add(Device& device) {
  const std::lock_guard lock(mutex_);
  devices_.push_back(&device);
}

void GuardThread::remove(Device& device) {
  const std::lock_guard lock(mutex_);
  std::erase(devices_, &device);
}

void GuardThread::report_fault(RunningKernel* run, const Fault& fault) {
  faulted_run_ = run;
  fault_ = &fault;
  say(wake_[1], kFaultMessage);
  pollfd done{done_[0], POLLIN, 0};
  while (poll(&done, 1, kReportMs) < 0 && errno == EINTR) {
  }
}

void GuardThread::set_limit(const LaunchLimit& limit) {
  limit_option_ = limit.option;
  limit_us_ = to_us(limit.time);
  say(wake_[1], kLimitMessage);
}

void GuardThread::stop_launch(const Device& device) {
  visit_running_kernels([&](RunningKernel& run) {
    if (run.stop != RunningKernel::Stop::kNo || !device.is_running(run.session)) return;
    run.stop_reason.kind = Failure::Kind::kStopped;
    run.stop_reason.message = "the host gave it up";
    run.stop.store(RunningKernel::Stop::kEnd, std::memory_order_release);
  });
  say(wake_[1], kStopMessage);
}

bool GuardThread::interrupt(int signal) {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  int none = 0;
  if (!interrupted_.compare_exchange_strong(none, signal))
    return now.tv_sec - interrupted_at_ <= kSameSeconds;
  interrupted_at_ = now.tv_sec;
  say(wake_[1], kInterruptMessage);
  return true;
}

void GuardThread::run() {
  for (;;) {
    wait_for_message();
    receive();
    stop_kernels();
  }
}

void GuardThread::wait_for_message() {
  int patience_ms = -1;
  if (limit_us_ > 0) patience_ms = kTickMs;
  visit_running_kernels([&](const RunningKernel& run) {
    if (run.stop != RunningKernel::Stop::kNo) patience_ms = kStopTickMs;
  });
  if (interrupted_ != 0) patience_ms = kStopTickMs;
  pollfd woken{wake_[0], POLLIN, 0};
  poll(&woken, 1, patience_ms);
}

void GuardThread::receive() {
  char message = 0;
  while (read(wake_[0], &message, 1) == 1) {
    if (message != kFaultMessage) continue;
    Failure failure = crash(*fault_, faulted_run_ == nullptr ? Module{} : faulted_run_->module);
    if (faulted_run_ != nullptr && failure.calls.empty())
      failure.message += tr(", outside of the kernel's own code");
    end_devices(faulted_run_, failure);
    say(done_[1], kFaultMessage);
  }
}

// Whether the kernel shall end; says so to it.
bool GuardThread::wants_to_stop(RunningKernel& run) {
  using Stop = RunningKernel::Stop;
  if (run.stop != Stop::kNo) return true;
  const std::int64_t limit = limit_us_;
  if (interrupted_ != 0) {
    run.stop_reason.kind = Failure::Kind::kInterrupt;
    run.stop_reason.message = tr("the program was asked to end ({})", signal_text(interrupted_));
  } else if (limit > 0 && to_us(Clock::now() - run.start) > limit) {
    run.stop_reason.kind = Failure::Kind::kTimeout;
    run.stop_reason.message = tr("it runs longer than {} allows: {:g} s", limit_option_.load(),
                                 static_cast<double>(limit) * 1e-6);
  } else {
    return false;
  }
  run.stop_since = Clock::now();
  run.stop.store(Stop::kEnd, std::memory_order_release);
  return true;
}

void GuardThread::stop_kernels() {
  bool any = false;
  RunningKernel* stuck = nullptr;
  visit_running_kernels([&](RunningKernel& run) {
    if (!wants_to_stop(run)) return;
    any = true;
    // A host that goes on afterwards can wait until a long command is done.
    const bool patient = run.stop_reason.kind == Failure::Kind::kStopped && interrupted_ == 0;
    if (patient || Clock::now() - run.stop_since < kPatience) {
      pthread_kill(run.thread, kStopSignal);
    } else {
      run.stop.store(RunningKernel::Stop::kPark, std::memory_order_release);
      stuck = &run;
    }
  });
  if (stuck != nullptr) {
    Failure failure = stuck->stopped();  // parked, it does not go away
    failure.message += tr("; it could not be ended, so the process ends");
    end_devices(stuck, failure);
    end_process(interrupted_ != 0 ? interrupted_.load() : SIGALRM);
  }
  if (interrupted_ == 0 || any) return;
  end_devices(nullptr, {});
  end_process(interrupted_);
}

void GuardThread::end_devices(const RunningKernel* run, const Failure& failure) {
  std::vector<Device*> devices;
  {
    const std::lock_guard lock(mutex_);
    devices = devices_;
  }
  if (run != nullptr) {  // first the one that has most to say
    std::stable_partition(devices.begin(), devices.end(),
                          [&](const Device* device) { return device->is_running(run->session); });
  }
  for (Device* device : devices) {
    if (run != nullptr && device->is_running(run->session)) device->end_launch(failure);
    device->end_reports();
  }
}

// What the signal does by itself, late.
void GuardThread::end_process(int signal) {
  struct sigaction action = {};
  action.sa_handler = SIG_DFL;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  while (true) {  // the program may change the action meanwhile
    sigaction(signal, &action, nullptr);
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
    raise(signal);
  }
}

}  // namespace tensorlane
