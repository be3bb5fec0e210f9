// The queue of launches in front of a device, and waiting for them.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <vector>

#include "tensorlane/base/error.h"
#include "tensorlane/device/device.h"

namespace tensorlane {

std::uint64_t Device::submit(std::string name, Kernel kernel, const Origin& origin) {
  if (origin.cores < 1 || origin.cores > chip_.cores) {
    user_error("a launch over {} cores; the {} has {}\n    rule: 1 <= cores <= {} [chip]",
               origin.cores, chip_.full_name, chip_.cores, chip_.cores);
  }
  if (origin.args.size() % static_cast<std::size_t>(origin.cores) != 0) {
    user_error("{} bytes of arguments for {} cores; each gets a struct of the same size",
               origin.args.size(), origin.cores);
  }
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !stopping_; });
  if (!thread_.joinable()) {
    process_ = getpid();
    thread_ = std::thread([this] { run(); });
  }
  std::vector<std::uint64_t> beside;
  for (const Unawaited& each : unawaited_) {
    if (each.asynchronous && each.queue != origin.queue) beside.push_back(each.ticket - 1);
  }
  queue_.push_back({++submitted_, std::move(name), std::move(kernel), origin, std::move(beside)});
  if (unawaited_.size() == kMostUnawaited) unawaited_.pop_front();
  unawaited_.push_back({submitted_, origin.queue, origin.asynchronous});
  changed_.notify_all();
  return submitted_;
}

bool Device::wait(std::uint64_t ticket, std::uint64_t after) {
  if (on_own_thread()) return false;
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return finished_ >= ticket; });
  note_wait(ticket);
  return std::none_of(failed_.begin(), failed_.end(),
                      [&](std::uint64_t failed) { return failed > after && failed <= ticket; });
}

bool Device::wait_for(std::uint64_t ticket, std::chrono::milliseconds most) {
  if (on_own_thread()) return false;
  std::unique_lock lock(mutex_);
  if (!changed_.wait_for(lock, most, [&] { return finished_ >= ticket; })) return false;
  note_wait(ticket);
  return true;
}

// Whoever waits for a launch has waited for those before it in its queue.
void Device::note_wait(std::uint64_t ticket) {
  const auto found = std::ranges::find(unawaited_, ticket, &Unawaited::ticket);
  if (found == unawaited_.end()) return;
  std::erase_if(unawaited_, [ticket, queue = found->queue](const Unawaited& each) {
    return each.queue == queue && each.ticket <= ticket;
  });
}

bool Device::wait_for_all() {
  const std::uint64_t last = last_ticket();
  const bool succeeded = wait(last);
  const std::lock_guard lock(mutex_);
  std::erase_if(unawaited_, [last](const Unawaited& each) { return each.ticket <= last; });
  return succeeded;
}

void Device::drain() {
  if (on_own_thread()) return;
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&, last = submitted_] { return finished_ >= last; });
}

std::vector<std::uint64_t> Device::unawaited() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::uint64_t> numbers;
  for (const Unawaited& each : unawaited_) {
    if (each.asynchronous) numbers.push_back(each.ticket - 1);
  }
  return numbers;
}

std::uint64_t Device::last_ticket() const {
  const std::lock_guard lock(mutex_);
  return submitted_;
}

}  // namespace tensorlane
