// One launch in progress, on one core: what the device functions a kernel calls act on.
//
// The session keeps the state that the chip's command queues keep: whether a parallel region is
// open, and how many commands went before. Commands take effect at once and in issue order, unless
// another of the orders the chip allows is asked for (region_queue.h); observers hear of a command
// when it takes effect, and judge races by rule and not by that order.
#ifndef TENSORLANE_DEVICE_SESSION_H_
#define TENSORLANE_DEVICE_SESSION_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "tensorlane/chip/chip.h"
#include "tensorlane/device/call_paths.h"
#include "tensorlane/device/core_launch.h"
#include "tensorlane/device/memory.h"
#include "tensorlane/device/observer.h"
#include "tensorlane/device/phase_clock.h"
#include "tensorlane/device/region_queue.h"
#include "tensorlane/ops/command.h"
#include "tensorlane/ops/repeated_calls.h"

namespace tensorlane {

// Which implementation of an entry's list runs.
enum class ImplementationChoice : std::uint8_t {
  kFastest,    // the first that accepts the command
  kReference,  // always the last
  kNone,       // nothing is computed or moved: a dry run
};

class ArgumentArea;
class ProcessorWatch;

struct Session {
  const Chip& chip;
  DeviceMemory& memory;
  std::span<Observer* const> observers;
  Launch launch;
  ImplementationChoice choice = ImplementationChoice::kFastest;
  LimitPolicy limit_policy = {};
  std::unique_ptr<RegionQueue> region = nullptr;  // null: issue order
  CallPaths* call_paths = nullptr;                // null: commands do not say which calls led there
  ProcessorWatch* watch = nullptr;                // null: accesses through pointers go unseen
  ArgumentArea* arguments = nullptr;              // null: reads behind the arguments go unseen
  PhaseClock* phases = nullptr;                   // null: nobody wants to know
  std::string_view pipeline = {};                 // the option of that name; empty: not given
  RepeatedCalls* known_calls = nullptr;           // null: those of this launch alone
  int core = 0, cores = 1;                        // this core's number, and that of cores
  CoreLaunch* group = nullptr;                    // null: the chip has one core and no messages

  bool in_parallel_region = false;
  std::int64_t regions = 0;            // parallel regions begun so far, where there is no group
  std::int64_t open_region = -1;       // the number of the latest
  std::uint64_t commands = 0;          // commands issued so far, where there is no group
  const Command* latest = nullptr;     // of these, until the next is issued; null: none
  RepeatedCalls calls_of_launch = {};  // where `known_calls` is null
  const void* failed_at = nullptr;     // the call of a command that could not be carried out

  // Decodes, announces and executes a call of an engine function. Throws IllegalCall.
  void issue(const Op& op, std::span<const Arg> args, const void* call_site);

  // Synchronisation. Throw UserError where the documents forbid the call.
  void initialize(const void* call_site);
  void poll(const void* call_site);
  void hau_poll(const void* call_site);  // allowed inside regions
  void parallel_start(const void* call_site);
  void parallel_end(const void* call_site);
  // An engine sends a message or waits for one. UserError for slots and counts that there are not.
  void send_message(Engine engine, std::int64_t slot, std::int64_t waits, std::string_view function,
                    const void* call_site);
  void wait_message(Engine engine, std::int64_t slot, std::int64_t sends, std::string_view function,
                    const void* call_site);
  // Everything that follows on any engine of any core comes after everything before it.
  void sync_cores(std::string_view function, const void* call_site);
  // The same for the engines of this core.
  void sync_engines(std::string_view function, const void* call_site);
  // The kernel returned: commands of a region it left open take effect, and what waits for
  // messages.
  void finish();

  // This core's part of the arguments: one struct per core.
  std::span<const std::byte> core_args() const;

  // Tells the observers of a call that cannot be carried out.
  void refuse(const Refusal& refusal);

  // Host pointer to a byte of device memory; the observers hear of it. Throws UserError when the
  // offset is outside.
  std::byte* pointer(Space space, std::uint64_t offset, std::string_view function,
                     const void* call_site);
  // The same to read `bytes` bytes there and then on behalf of the kernel.
  const std::byte* read(Space space, std::uint64_t offset, std::uint64_t bytes,
                        std::string_view function, const void* call_site);

 private:
  void check_inside(Space space, std::uint64_t offset, std::string_view function) const;
  void announce(SyncEvent event, std::int64_t region, const void* call_site);
  void run(const Command& command);
  void run_region();
  // On the chips of several cores: in its turn, behind what holds it up.
  void take_effect(const Command& command);
  void take_message(MessageEvent message);
  bool run_item(const Backlog::Item& item);
  bool can_run(const Backlog::Item& item) const;
  void catch_up();
  // Stands still until nothing in the backlog is `held` any more.
  template <class Held>
  void drain(Held held, const void* call_site);
  Backlog& backlog() const { return group->of_core[static_cast<std::size_t>(core)].backlog; }
  void check_message(std::int64_t slot, std::int64_t count, std::string_view what,
                     std::string_view function) const;
};

// Runs the first implementation of the command's entry that accepts it.
void execute(const Invocation& invocation, ImplementationChoice choice);

}  // namespace tensorlane

#endif  // TENSORLANE_DEVICE_SESSION_H_
