// What every check is: an observer that says what is wrong with the commands it sees.
//
// A check is one file, <name>_check.cc, with its diagnostics, its state and its texts, and one row
// in check_list.h. It overrides the events it needs. What several checks would have to find out,
// the Checker finds out once and before any of them: the bytes of a command's operands, the
// allocations of the host, the launch and its region, who wrote every byte.
#ifndef TENSORLANE_OBSERVE_CHECK_CHECK_H_
#define TENSORLANE_OBSERVE_CHECK_CHECK_H_

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tensorlane/base/labelled.h"
#include "tensorlane/base/language.h"
#include "tensorlane/device/memory.h"
#include "tensorlane/device/observer.h"
#include "tensorlane/observe/check/check_list.h"
#include "tensorlane/observe/check/core_clocks.h"
#include "tensorlane/observe/check/describe.h"
#include "tensorlane/observe/check/expectations.h"
#include "tensorlane/observe/check/finding_sink.h"
#include "tensorlane/observe/check/memory_bounds.h"
#include "tensorlane/observe/check/missing_data.h"
#include "tensorlane/trail/checked_command.h"
#include "tensorlane/trail/footprint.h"
#include "tensorlane/trail/provenance.h"

namespace tensorlane::check {

// The processor got a pointer into a memory and may reach everything up to the end of `bytes`: of
// the NPU, the allocation or the memory.
struct TakenPointer {
  Space space;
  int npu;             // 0 where there are none
  trail::Range bytes;  // linear
  const void* call_site;
};

// The bytes of a memory as a footprint; those in local memory lie in one NPU.
trail::Footprint footprint_of(const Chip& chip, Space space, trail::Range bytes);
// The bytes of an access of the processor.
inline trail::Range range_of(const ProcessorAccess& access) {
  const auto begin = static_cast<std::int64_t>(access.offset);
  return {begin, begin + static_cast<std::int64_t>(access.bytes)};
}

// The host reads from an allocation.
struct HostRead {
  MemoryBounds::Block block;
  trail::Range bytes;
  HostCaller caller;
};

// What all checks share. The Checker keeps it up to date: an event reaches the checks before it
// changes anything here, except that what begins (a launch, an allocation) is entered first.
struct Facts {
  Facts(const Chip& of, const DeviceMemory* values);
  Facts(const Facts&) = delete;

  // Who wrote every byte. Kept from the first call on, so a check that wants to know asks when it
  // is made.
  trail::Provenance& provenance();

  const Chip& chip;
  const DeviceMemory* const memory;            // null: values are not known
  std::vector<std::string_view> selected;      // names of the checks that run
  std::shared_ptr<Expectations> expectations;  // null: there are none
  Scene scene;
  bool accesses_seen = false;          // those of the processor, in this launch
  bool asynchronous = false;           // this launch: the host goes on meanwhile
  std::vector<std::uint64_t> beside;   // launches that may run at the same time; see Launch
  const void* kernel = nullptr;        // its function, where that is known
  int core = 0;                        // whose events these are
  bool region_open = false;            // on it
  const void* region_start = nullptr;  // of the latest region
  // What comes before what, in a launch over several cores, and the event in hand there; null: one
  // core.
  std::unique_ptr<CoreClocks> clocks;
  CoreClocks::Moment moment = {};
  MemoryBounds allocations;
  MissingData missing;  // in them
  trail::FootprintCache footprints;
  std::optional<trail::Provenance> history;  // see provenance()
};

struct CheckSetup {
  Facts& facts;
  FindingSink sink;
};

class Check {
 public:
  explicit Check(const CheckSetup& setup) : facts_(setup.facts), sink_(setup.sink) {}
  virtual ~Check() = default;

  // What runs in a launch is marked as hot and so lies together: a short launch costs as much as
  // the pages that it is the first to touch.
  [[gnu::hot]] virtual void launch_begin() {}
  // The kernel returned by itself.
  [[gnu::hot]] virtual void launch_done() {}
  // A command is about to take effect, and took it.
  [[gnu::hot]] virtual void command(const trail::CheckedCommand&) {}
  [[gnu::hot]] virtual void command_end(const trail::CheckedCommand&) {}
  [[gnu::hot]] virtual void sync(SyncEvent, const void* call_site) { static_cast<void>(call_site); }
  virtual void message(const MessageEvent&) {}
  virtual void pointer_taken(const TakenPointer&) {}
  virtual void processor_access(const ProcessorAccess&) {}
  virtual void arguments_exceeded(const ArgumentAccess&) {}
  // Whether accesses of the processor to any of these bytes are of interest.
  virtual bool watches(Space, trail::Range bytes) const {
    static_cast<void>(bytes);
    return false;
  }
  virtual void stated(const Statement&) {}
  virtual void unpipelined(const Unpipelined&) {}
  virtual void refused(const Refusal&) {}
  virtual void tolerated(const Tolerated&) {}
  // After everything else about the launch.
  virtual void launch_failed(const Failure&) {}
  virtual void host_waited(std::span<const std::uint64_t> except) { static_cast<void>(except); }
  virtual void host_read(const HostRead&) {}
  virtual void host_wrote(trail::Range) {}  // offsets in global memory
  virtual void host_refused(const HostRefusal&) {}
  virtual void allocated(trail::Range) {}  // offsets in global memory
  virtual void freed(const MemoryBounds::Block&) {}
  virtual void device_end() {}

 protected:
  const Facts& facts() const { return facts_; }
  const Chip& chip() const { return facts_.chip; }
  const FindingSink& sink() const { return sink_; }

 private:
  const Facts& facts_;
  const FindingSink sink_;
};

// The parts of a check that is a class, for its row in the list.
template <class C>
CheckParts parts_of(std::span<const Diagnostic> diagnostics) {
  return {diagnostics, [](const CheckSetup& setup) -> std::unique_ptr<Check> {
            return std::make_unique<C>(setup);
          }};
}

}  // namespace tensorlane::check

#endif  // TENSORLANE_OBSERVE_CHECK_CHECK_H_
