// The thread of a device: takes launch by launch from the queue and runs its kernel on every core.
#include <unistd.h>

#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "tensorlane/device/core_threads.h"
#include "tensorlane/device/device.h"
#include "tensorlane/device/running_kernel.h"

namespace tensorlane {
namespace {

// The device whose launch this thread runs a core of; null elsewhere.
thread_local const Device* device_of_thread = nullptr;
// Of a device's own thread: those of the cores beside it.
thread_local CoreThreads* core_threads = nullptr;

// A page that nobody has touched yet costs more than a small command: the first launch is to find
// its stack and heap there.
void touch_memory() {
  constexpr std::size_t kBytes = std::size_t{96} << 10, kPage = 4096;
  const auto touch = [](volatile char* bytes) {
    for (std::size_t at = 0; at < kBytes; at += kPage) bytes[at] = 0;
  };
  volatile char stack[kBytes];
  touch(stack);
  const std::unique_ptr<char[]> heap(new char[kBytes]);
  touch(heap.get());
}

}  // namespace

// exit() first destroys what belongs to the thread that calls it. Where that is the device's own,
// inside a kernel, the observers end their reports here.
struct Device::KernelExit {
  Device* device = nullptr;

  ~KernelExit() {
    if (device == nullptr) return;
    if (const RunningKernel* const run = running_kernel())
      device->end_launch(run->exit_failure("exit"));
    device->release_observers();
  }
};

void Device::run() {
  touch_memory();
  runner_ = std::this_thread::get_id();
  if (prepare_thread_ != nullptr) prepare_thread_();
  CoreThreads threads([this] {
    device_of_thread = this;
    if (prepare_thread_ != nullptr) prepare_thread_();
  });
  core_threads = &threads;
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return stopping_ || !queue_.empty(); });
    if (queue_.empty()) break;
    Job job = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    // The process is about to end: nobody is to go on as if the launch had just failed.
    if (run_one(job)) {
      while (true) pause();
    }
    lock.lock();
    finished_ = job.ticket;
    changed_.notify_all();
  }
  runner_ = std::thread::id();
}

bool Device::on_own_thread() const {
  return runner_ == std::this_thread::get_id() || device_of_thread == this;
}

Session Device::session_of(Job& job, int core, CoreLaunch* group) {
  const auto area = static_cast<std::size_t>(core);
  const bool watched = area < arguments_.size() && arguments_ready_();
  return {.chip = chip_,
          .memory = memory_,
          .observers = observer_list_,
          .launch = {.kernel = job.name,
                     .number = job.ticket - 1,
                     .chip = &model_,
                     .args = job.origin.args,
                     .device = number_,
                     .call_site = job.origin.call_site,
                     .asynchronous = job.origin.asynchronous,
                     .beside = job.beside,
                     .function = job.origin.function,
                     .cores = job.origin.cores},
          .choice = choice_,
          .limit_policy = limit_policy_,
          .region = region_order_.kind == RegionOrder::Kind::kIssue
                        ? nullptr
                        : std::make_unique<RegionQueue>(region_order_),
          .call_paths = call_paths_.get(),
          .arguments = watched ? arguments_[area].get() : nullptr,
          .phases = phases_.get(),
          .pipeline = pipeline_,
          .known_calls = &known_calls_,
          .core = core,
          .cores = job.origin.cores,
          .group = group};
}

// What is another core's is in its place before it goes on.
std::unique_ptr<CoreLaunch> Device::group_of(const Job& job) {
  if (chip_.cores == 1) return nullptr;
  if (job.origin.cores == 1)
    return std::make_unique<CoreLaunch>(
        1, core_order_, [](int) {}, [](int) {});
  auto phases = std::make_shared<std::vector<Phase>>(job.origin.cores, Phase::kSetUp);
  return std::make_unique<CoreLaunch>(
      job.origin.cores, core_order_,
      [this, phases](int core) {
        if (phases_ != nullptr) phases_->resume((*phases)[static_cast<std::size_t>(core)]);
        memory_.select_core(core);
        for (Observer* observer : observer_list_) observer->core_selected(core);
      },
      [this, phases](int core) {
        if (phases_ != nullptr) (*phases)[static_cast<std::size_t>(core)] = phases_->pause();
      });
}

// The kernel on one core, from its first turn to its last.
std::optional<Failure> Device::run_core(const Job& job, Session& session) {
  CoreLaunch* const group = session.group;
  if (group != nullptr && !group->turns.begin(session.core)) {
    group->turns.end(session.core);
    return std::nullopt;
  }
  static thread_local KernelExit exit;
  exit.device = this;
  std::optional<Failure> failure = job.kernel(session);
  exit.device = nullptr;
  try {
    session.finish();
  } catch (const UserError& error) {  // a command of a region that the kernel left open
    if (!failure) failure = Failure{{}, {}, error.what(), session.failed_at};
  }
  if (group == nullptr) return failure;
  group->of_core[static_cast<std::size_t>(session.core)].done = true;
  if (failure && !group->failure) {
    failure->core = session.core;
    group->failure = std::move(failure);
  }
  if (group->failure) group->turns.stop();
  group->turns.end(session.core);
  return std::nullopt;
}

std::optional<Failure> Device::run_cores(const Job& job, CoreLaunch& group,
                                         std::span<const std::unique_ptr<Session>> sessions) {
  if (phases_ != nullptr) phases_->pause();
  core_threads->run(static_cast<int>(sessions.size()),
                    [&](int core) { run_core(job, *sessions[static_cast<std::size_t>(core)]); });
  if (phases_ != nullptr) phases_->resume(Phase::kSetUp);
  memory_.select_core(0);
  return std::move(group.failure);
}

bool Device::run_one(Job& job) {
  const std::lock_guard observers_lock(observer_mutex_);
  if (phases_ != nullptr) phases_->start();
  const std::unique_ptr<CoreLaunch> group = group_of(job);
  std::vector<std::unique_ptr<Session>> sessions;
  for (int core = 0; core < job.origin.cores; ++core)
    sessions.emplace_back(new Session(session_of(job, core, group.get())));
  Session& session = *sessions.front();
  // A view of memory is one core's: with several cores nobody looks after every access.
  if (job.origin.cores == 1 && watch_ != nullptr && watch_->launch_begin()) {
    session.watch = watch_.get();
    session.launch.accesses_seen = true;
  }
  for (Observer* observer : observer_list_) observer->launch_begin(session.launch);
  session_ = &session;
  group_ = group.get();
  std::optional<Failure> failure;
  if (group == nullptr) {
    failure = run_core(job, session);
  } else {
    failure = run_cores(job, *group, sessions);
  }
  session_ = nullptr;
  group_ = nullptr;
  if (failure) {
    failure->kernel = job.name;
    const std::lock_guard lock(mutex_);
    failed_.push_back(job.ticket);
  }
  tell_end(session.launch, failure);
  return failure && failure->kind == Failure::Kind::kInterrupt;
}

}  // namespace tensorlane
