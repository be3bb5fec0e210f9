#include "tensorlane/device/device.h"

#include <algorithm>

#include "tensorlane/base/error.h"

namespace tensorlane {

Device::Device(const Chip& chip)
    : chip_(chip),
      memory_(chip),
      allocator_(chip.global_alloc_begin,
                 chip.region(Space::kGlobal).begin + chip.region(Space::kGlobal).bytes) {}

Device::~Device() {
  // A kernel that calls exit() ends the process from the device's own thread: nobody can wait for
  // it.
  const bool from_kernel = thread_.get_id() == std::this_thread::get_id();
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    abandoned_ = from_kernel;
  }
  changed_.notify_all();
  if (from_kernel) {
    thread_.detach();
  } else if (thread_.joinable()) {
    thread_.join();
  }
}

void Device::add_observer(std::unique_ptr<Observer> observer) {
  observer_list_.push_back(observer.get());
  observers_.push_back(std::move(observer));
}

std::uint64_t Device::submit(std::string name, Kernel kernel, std::span<const std::byte> args) {
  const std::lock_guard lock(mutex_);
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  queue_.push_back({++submitted_, std::move(name), std::move(kernel), args});
  changed_.notify_all();
  return submitted_;
}

bool Device::wait(std::uint64_t ticket, std::uint64_t after) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return finished_ >= ticket || abandoned_; });
  return finished_ >= ticket &&
         std::none_of(failed_.begin(), failed_.end(),
                      [&](std::uint64_t failed) { return failed > after && failed <= ticket; });
}

std::uint64_t Device::last_ticket() const {
  const std::lock_guard lock(mutex_);
  return submitted_;
}

void Device::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return stopping_ || !queue_.empty(); });
    if (queue_.empty()) return;
    Job job = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    run_one(job);
    lock.lock();
    finished_ = job.ticket;
    changed_.notify_all();
  }
}

void Device::run_one(Job& job) {
  const std::lock_guard observers_lock(observer_mutex_);
  Session session{.chip = chip_,
                  .memory = memory_,
                  .observers = observer_list_,
                  .launch = {job.name, job.ticket - 1, &chip_, job.args},
                  .choice = choice_};
  if (region_order_.kind != RegionOrder::Kind::kIssue)
    session.region = std::make_unique<RegionQueue>(region_order_);
  for (Observer* observer : observer_list_) observer->launch_begin(session.launch);
  std::optional<Failure> failure = job.kernel(session);
  session.finish();
  // The first to hear of the launch is the last to hear of its end, so that it can measure the
  // rest.
  for (auto observer = observer_list_.rbegin(); observer != observer_list_.rend(); ++observer)
    (*observer)->launch_end(session.launch, failure ? Outcome::kFailed : Outcome::kDone);
  if (!failure) return;
  failure->kernel = job.name;
  {
    const std::lock_guard lock(mutex_);
    failed_.push_back(job.ticket);
  }
  if (report_) report_(*failure);
}

std::optional<std::uint64_t> Device::allocate(std::uint64_t bytes) {
  std::optional<std::uint64_t> address;
  {
    const std::lock_guard lock(mutex_);
    address = allocator_.allocate(bytes);
  }
  if (address && !observer_list_.empty()) {
    const std::lock_guard lock(observer_mutex_);
    for (Observer* observer : observer_list_) {
      observer->allocated(*address - chip_.region(Space::kGlobal).begin, bytes);
    }
  }
  return address;
}

bool Device::free(std::uint64_t address) {
  drain();  // a queued launch may still use it
  {
    const std::lock_guard lock(mutex_);
    if (!allocator_.free(address)) return false;
  }
  if (!observer_list_.empty()) {
    const std::lock_guard lock(observer_mutex_);
    for (Observer* observer : observer_list_)
      observer->freed(address - chip_.region(Space::kGlobal).begin);
  }
  return true;
}

std::vector<Allocator::Block> Device::allocations() const {
  const std::lock_guard lock(mutex_);
  std::vector<Allocator::Block> blocks;
  for (const auto& [address, bytes] : allocator_.blocks()) blocks.push_back({address, bytes});
  return blocks;
}

std::uint64_t Device::allocated_bytes() const {
  const std::lock_guard lock(mutex_);
  return allocator_.used();
}

std::byte* Device::host_access(HostAccess access, std::uint64_t address, std::uint64_t bytes) {
  drain();
  const auto place = chip_.find(address);
  if (!place || bytes > place->bytes_left) return nullptr;
  if (place->space == Space::kGlobal && !observer_list_.empty()) {
    const std::lock_guard lock(observer_mutex_);
    for (Observer* observer : observer_list_) observer->host_access(access, place->offset, bytes);
  }
  return memory_.base(place->space) + place->offset;
}

}  // namespace tensorlane
