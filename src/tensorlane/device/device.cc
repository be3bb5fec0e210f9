#include "tensorlane/device/device.h"

#include <unistd.h>

#include <chrono>

#include "tensorlane/device/debug_table.h"

namespace tensorlane {

Device::Device(const Chip& chip, int number, RedZones zones)
    : roomy_chip_(chip, zones),
      model_(chip),
      chip_(roomy_chip_.chip()),
      number_(number),
      memory_(chip_, roomy_chip_.room()),
      allocator_(chip.global_alloc_begin,
                 chip.region(Space::kGlobal).begin + chip.region(Space::kGlobal).bytes,
                 memory_.reserved(Space::kGlobal) - memory_.bytes(Space::kGlobal)),
      process_(getpid()) {
  enter_debug_table(number, chip_, memory_);
}

Device::~Device() {
  finish();
  leave_debug_table(number_);
}

void Device::finish() {
  if (on_own_thread() || process_ != getpid()) return;
  std::thread ending;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    ending = std::move(thread_);
  }
  changed_.notify_all();
  if (ending.joinable()) ending.join();
  release_observers();
  const std::lock_guard lock(mutex_);
  stopping_ = false;
  changed_.notify_all();
}

void Device::tell_end(const Launch& launch, const std::optional<Failure>& failure) {
  if (failure) {
    for (Observer* observer : observer_list_) observer->launch_failed(*failure);
  }
  // The first to hear of the launch is the last to hear of its end, so that it can measure the
  // rest.
  for (auto observer = observer_list_.rbegin(); observer != observer_list_.rend(); ++observer)
    (*observer)->launch_end(launch, failure ? Outcome::kFailed : Outcome::kDone);
  if (failure && report_) report_(*failure);
}

void Device::end_launch(Failure failure) {
  const Session* const session = session_;
  if (session == nullptr || launch_ended_.exchange(true)) return;
  failure.kernel = session->launch.kernel;
  tell_end(session->launch, failure);
}

void Device::end_reports() {
  using namespace std::chrono_literals;
  std::unique_lock lock(observer_mutex_, std::defer_lock);
  for (int k = 0; !launch_ended_ && !lock.try_lock(); ++k) {
    if (k == 100) return;  // a launch that does not end has them
    std::this_thread::sleep_for(10ms);
  }
  forget_observers();
}

void Device::release_observers() {
  std::unique_lock lock(observer_mutex_, std::defer_lock);
  if (!on_own_thread()) lock.lock();  // a launch holds it
  forget_observers();
}

void Device::forget_observers() {
  if (watch_ != nullptr) watch_->stop();
  observed_ = false;
  observer_list_.clear();
  observers_.clear();
}

std::unique_lock<std::mutex> Device::hold_observers() {
  std::unique_lock lock(observer_mutex_, std::defer_lock);
  if (observed_ && !on_own_thread()) lock.lock();  // a launch holds it
  return lock;
}

void Device::add_observer(std::unique_ptr<Observer> observer) {
  observed_ = true;
  observer_list_.push_back(observer.get());
  observers_.push_back(std::move(observer));
}

}  // namespace tensorlane
