// A device: its memories, its allocator and the queue of launches in front of it.
//
// Launches run one after the other on a thread of the device, in the order they were submitted,
// whichever host thread or handle they came from. Everything a host does with device memory waits
// for the launches submitted before it, so that one thread's copies and launches take effect in
// order [observed]. All functions may be called from any thread.
//
// A process that ends calls finish(), so that launches end and reports are written; a device that
// lives in a static object is never destroyed, as other threads and later exit handlers may use it
// still. A kernel that calls exit() ends the process from the device's own thread: the observers
// go, and host threads that wait for it do so until the process is gone. The child of a fork has
// the memory of a device but not its thread; there finish() does nothing.
#ifndef TENSORLANE_DEVICE_DEVICE_H_
#define TENSORLANE_DEVICE_DEVICE_H_

#include <sys/types.h>

#include <atomic>
#include <chrono>
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

#include "tensorlane/base/error.h"
#include "tensorlane/device/allocator.h"
#include "tensorlane/device/argument_area.h"
#include "tensorlane/device/call_paths.h"
#include "tensorlane/device/failure.h"
#include "tensorlane/device/memory.h"
#include "tensorlane/device/observer.h"
#include "tensorlane/device/phase_clock.h"
#include "tensorlane/device/processor_watch.h"
#include "tensorlane/device/roomy_chip.h"
#include "tensorlane/device/session.h"

namespace tensorlane {

// "the allocation of 4096 bytes at 0x105100000, which was freed"
std::string allocation_text(const Allocator::Block& block);
// What follows that text to say where: " at host.cpp:20 in main; made at host.cpp:12 in main".
std::string allocation_places(const Allocator::Block& block);

// The host reaches for memory that it was not given.
class IllegalHostAccess : public UserError {
 public:
  IllegalHostAccess(const std::string& message, std::optional<Allocator::Block> allocation)
      : UserError(message), allocation_(allocation) {}
  // The allocation that it leaves, or the freed one that it is in.
  const std::optional<Allocator::Block>& allocation() const { return allocation_; }

 private:
  std::optional<Allocator::Block> allocation_;
};

class Device {
 public:
  // A kernel as the device runs it: returns the failure that ended it early, if one did.
  using Kernel = std::function<std::optional<Failure>(Session&)>;

  // `number`: as hosts count devices, from 0.
  explicit Device(const Chip& chip, int number = 0, RedZones zones = RedZones::kOff);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const Chip& chip() const { return chip_; }
  // Of the chip's global memory, as programs are told.
  std::uint64_t global_bytes() const { return roomy_chip_.global_bytes(); }
  int number() const { return number_; }
  DeviceMemory& memory() { return memory_; }

  // Waits for the launches and destroys the observers, which then write what they report. Launches
  // after that are unobserved.
  void finish();

  // For those who end the process while launches may run; see launch_guard.h. The observers hear of
  // `failure` as the end of the launch in progress, whose thread stands still or is this one.
  void end_launch(Failure failure);
  // Destroys the observers, as finish() does, without waiting for launches longer than a moment.
  void end_reports();
  // Whether the launch in progress is this one.
  bool is_running(const Session& session) const {
    return session_ == &session || (session.group != nullptr && session.group == group_);
  }

  // Attach before the first launch; observers live until finish().
  void add_observer(std::unique_ptr<Observer> observer);
  bool is_observed() const { return observed_; }
  // Accesses of kernels through pointers reach the observers from now on; see launch_guard.h.
  void watch_processor(bool (*ready)()) {
    watch_ = std::make_unique<ProcessorWatch>(memory_, ready);
  }
  // Reads of kernels behind their arguments reach the observers, too.
  // `ready` says whether faults still arrive, as for watch_processor.
  void watch_arguments(bool (*ready)()) {
    for (int core = 0; core < chip_.cores; ++core)
      arguments_.push_back(std::make_unique<ArgumentArea>());
    arguments_ready_ = ready;
  }
  // Called on the thread that runs the launches, before the first of them.
  void on_thread_start(void (*prepare)()) { prepare_thread_ = prepare; }
  void set_implementation(ImplementationChoice choice) { choice_ = choice; }
  ImplementationChoice implementation() const { return choice_; }
  // Whether libraries that record commands pipeline loops: "on" or "off".
  void set_pipeline(std::string value) { pipeline_ = std::move(value); }
  void set_region_order(RegionOrder order) { region_order_ = order; }
  void set_core_order(CoreOrder order) { core_order_ = order; }
  // From the next launch on the commands say which calls led to them.
  void trace_calls() { call_paths_ = std::make_unique<CallPaths>(); }
  // From the next launch on its processor time is told apart; see phase_clock.h.
  PhaseClock& time_phases() {
    if (phases_ == nullptr) phases_ = std::make_unique<PhaseClock>();
    return *phases_;
  }
  // What becomes of calls that break limits.
  void keep_going() { limit_policy_.keep_going = true; }
  void be_strict() { limit_policy_.strict = true; }
  // Called on the device thread for every failed launch.
  void on_failure(std::function<void(const Failure&)> report) { report_ = std::move(report); }

  // What the observers hear of a launch beside its name.
  struct Origin {
    // The argument block, of several cores one struct after the other; it lives as long as the
    // kernel.
    std::span<const std::byte> args = {};
    const void* call_site = nullptr;  // of the host
    bool asynchronous = false;        // the host's call returns before the launch ends
    std::uint64_t queue = 0;          // the host's handle: launches of one queue follow each other
    const void* function = nullptr;   // the kernel
    int cores = 1;                    // that run it
  };
  // Queues a launch and returns its ticket (1, 2, ...). The kernel is called once per core, on a
  // thread for each, of which one runs at a time (core_turns.h). UserError where the chip has fewer
  // cores, or the arguments are not as many structs of one size.
  std::uint64_t submit(std::string name, Kernel kernel, const Origin& origin);
  std::uint64_t submit(std::string name, Kernel kernel, std::span<const std::byte> args = {},
                       const void* call_site = nullptr) {
    return submit(std::move(name), std::move(kernel), Origin{.args = args, .call_site = call_site});
  }
  // Waits until all launches up to `ticket` are done. True when none of those in (after, ticket]
  // failed. From inside a kernel, which cannot wait for itself, false at once.
  bool wait(std::uint64_t ticket, std::uint64_t after = 0);
  // Whether they are done, after waiting for at most `most`.
  bool wait_for(std::uint64_t ticket, std::chrono::milliseconds most);
  std::uint64_t last_ticket() const;
  // The same for everything submitted so far.
  bool wait_for_all();
  // Waits for that too, where the host did not ask for it: the observers do not hear of it.
  void drain();

  // Memory for the host: absolute addresses in global memory.
  std::optional<std::uint64_t> allocate(std::uint64_t bytes, const HostCaller& caller = {});
  bool free(std::uint64_t address, const HostCaller& caller = {});
  std::uint64_t allocated_bytes() const;
  // The allocation that contains `address`, or the freed one whose memory nobody was given since.
  std::optional<Allocator::Block> find_allocation(std::uint64_t address) const;

  // `bytes` bytes, `offset` bytes after `address`, are the host's to copy: inside the allocation
  // that holds `address`, or inside another memory than the global one. Throws IllegalHostAccess.
  void check_host_access(std::uint64_t address, std::uint64_t bytes,
                         std::uint64_t offset = 0) const;
  // Host pointer for a host-side copy of them; waits for the launches before. Throws the same.
  std::byte* host_access(HostAccess access, std::uint64_t address, std::uint64_t bytes,
                         std::uint64_t offset = 0, const HostCaller& caller = {});
  // Copies inside of device memory, item by item, between addresses; waits and throws likewise.
  void host_copy(const DeviceCopy& copy, const HostCaller& caller = {});
  // Calls `body` while no launch runs and no observer hears of anything: to ask them something.
  void at_rest(const std::function<void()>& body);
  // Tells the observers of a call of the host that cannot be carried out.
  void refuse(const HostRefusal& refusal);
  // Tells the observers what the program says of a tensor; a host's waits for the launches before.
  void state(const Statement& statement);

 private:
  // Launches that the host has not waited for, of which is known that it has not.
  static constexpr std::size_t kMostUnawaited = 256;
  struct Job {
    std::uint64_t ticket;
    std::string name;
    Kernel kernel;
    Origin origin;
    std::vector<std::uint64_t> beside;  // see Launch
  };
  // A launch that the host has not waited for.
  struct Unawaited {
    std::uint64_t ticket, queue;
    bool asynchronous;
  };
  struct KernelExit;
  void note_wait(std::uint64_t ticket);
  std::vector<std::uint64_t> unawaited() const;
  std::optional<Chip::Place> find_place(std::uint64_t address) const;
  void run();
  bool run_one(Job& job);  // true when the process is to end by it
  bool on_own_thread() const;
  Session session_of(Job& job, int core, CoreLaunch* group);
  std::unique_ptr<CoreLaunch> group_of(const Job& job);
  std::optional<Failure> run_core(const Job& job, Session& session);
  std::optional<Failure> run_cores(const Job& job, CoreLaunch& group,
                                   std::span<const std::unique_ptr<Session>> sessions);
  void tell_end(const Launch& launch, const std::optional<Failure>& failure);
  void release_observers();
  void forget_observers();
  // Until the lock goes no launch runs and nobody else tells the observers anything. Nothing is
  // locked where nobody observes.
  std::unique_lock<std::mutex> hold_observers();
  template <class Tell>
  void tell_observers(Tell tell);
  template <class Tell>
  void tell_held_observers(Tell tell);

  RoomyChip roomy_chip_;
  const Chip& model_;  // that outlives the device
  const Chip& chip_;
  const int number_;
  DeviceMemory memory_;
  std::string pipeline_;
  std::unique_ptr<CallPaths> call_paths_;
  std::unique_ptr<ProcessorWatch> watch_;
  std::vector<std::unique_ptr<ArgumentArea>> arguments_;  // one per core
  bool (*arguments_ready_)() = nullptr;
  std::unique_ptr<PhaseClock> phases_;
  std::vector<std::unique_ptr<Observer>> observers_;
  std::vector<Observer*> observer_list_;
  RegionOrder region_order_;
  CoreOrder core_order_;
  ImplementationChoice choice_ = ImplementationChoice::kFastest;
  LimitPolicy limit_policy_;
  RepeatedCalls known_calls_;
  std::function<void(const Failure&)> report_;
  void (*prepare_thread_)() = nullptr;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Allocator allocator_;
  std::deque<Job> queue_;
  std::vector<std::uint64_t> failed_;  // tickets
  std::uint64_t submitted_ = 0;
  std::deque<Unawaited> unawaited_;
  std::uint64_t finished_ = 0;
  bool stopping_ = false;
  std::atomic<bool> observed_ = false;
  std::atomic<const Session*> session_ = nullptr;   // of the launch in progress
  std::atomic<const CoreLaunch*> group_ = nullptr;  // the same, of several cores
  std::atomic<bool> launch_ended_ = false;          // by end_launch
  std::mutex observer_mutex_;  // launches and host accesses reach the observers one at a time
  std::thread thread_;
  std::atomic<std::thread::id> runner_{};  // of thread_
  std::atomic<pid_t> process_;             // that has thread_
};

}  // namespace tensorlane

#endif  // TENSORLANE_DEVICE_DEVICE_H_
