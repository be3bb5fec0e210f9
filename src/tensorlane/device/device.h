// A device: its memories, its allocator and the queue of launches in front of it.
//
// Launches run one after the other on a thread of the device, in the order they were submitted,
// whichever host thread or handle they came from. Everything a host does with device memory waits
// for the launches submitted before it, so that one thread's copies and launches take effect in
// order [observed]. All functions may be called from any thread.
#ifndef TENSORLANE_DEVICE_DEVICE_H_
#define TENSORLANE_DEVICE_DEVICE_H_

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "tensorlane/device/allocator.h"
#include "tensorlane/device/memory.h"
#include "tensorlane/device/observer.h"
#include "tensorlane/device/session.h"

namespace tensorlane {

// Why a launch failed, for people.
struct Failure {
  std::string kernel;
  std::string message;              // what is wrong: function, parameter, value, rule
  const void* call_site = nullptr;  // where; see source_location.h
};

class Device {
 public:
  // A kernel as the device runs it: returns the failure that ended it early, if one did.
  using Kernel = std::function<std::optional<Failure>(Session&)>;

  explicit Device(const Chip& chip);
  ~Device();  // waits for the launches
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const Chip& chip() const { return chip_; }
  DeviceMemory& memory() { return memory_; }

  // Attach before the first launch; observers live as long as the device.
  void add_observer(std::unique_ptr<Observer> observer);
  void set_implementation(ImplementationChoice choice) { choice_ = choice; }
  void set_region_order(RegionOrder order) { region_order_ = order; }
  // Called on the device thread for every failed launch.
  void on_failure(std::function<void(const Failure&)> report) { report_ = std::move(report); }

  // Queues a launch and returns its ticket (1, 2, ...). `args`: the argument block, for the
  // observers; it lives as long as `kernel`.
  std::uint64_t submit(std::string name, Kernel kernel, std::span<const std::byte> args = {});
  // Waits until all launches up to `ticket` are done. True when none of those in (after, ticket]
  // failed.
  bool wait(std::uint64_t ticket, std::uint64_t after = 0);
  std::uint64_t last_ticket() const;
  // Waits for everything submitted so far.
  void drain() { wait(last_ticket()); }

  // Memory for the host: absolute addresses in global memory.
  std::optional<std::uint64_t> allocate(std::uint64_t bytes);
  bool free(std::uint64_t address);
  std::vector<Allocator::Block> allocations() const;
  std::uint64_t allocated_bytes() const;

  // Host pointer for a host-side copy of `bytes` bytes at `address`; waits for the launches before.
  // Null when the range is not inside one memory.
  std::byte* host_access(HostAccess access, std::uint64_t address, std::uint64_t bytes);

 private:
  struct Job {
    std::uint64_t ticket;
    std::string name;
    Kernel kernel;
    std::span<const std::byte> args;
  };
  void run();
  void run_one(Job& job);

  const Chip& chip_;
  DeviceMemory memory_;
  std::vector<std::unique_ptr<Observer>> observers_;
  std::vector<Observer*> observer_list_;
  RegionOrder region_order_;
  ImplementationChoice choice_ = ImplementationChoice::kFastest;
  std::function<void(const Failure&)> report_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Allocator allocator_;
  std::deque<Job> queue_;
  std::vector<std::uint64_t> failed_;  // tickets
  std::uint64_t submitted_ = 0;
  std::uint64_t finished_ = 0;
  bool stopping_ = false;
  bool abandoned_ = false;     // the process ends from inside a kernel
  std::mutex observer_mutex_;  // launches and host accesses reach the observers one at a time
  std::thread thread_;
};

}  // namespace tensorlane

#endif  // TENSORLANE_DEVICE_DEVICE_H_
