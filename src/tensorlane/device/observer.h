// Observers of the command stream.
//
// Checks, the clock, traces and coverage are observers: they are told of every command with its
// regions, of every synchronisation and of every access from outside, and never change a result.
// One event per command, none per element. All calls for one device come from one thread at a
// time; with no observer attached the emulator pays one empty loop per command.
#ifndef TENSORLANE_DEVICE_OBSERVER_H_
#define TENSORLANE_DEVICE_OBSERVER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tensorlane/device/allocator.h"
#include "tensorlane/device/failure.h"
#include "tensorlane/device/host_caller.h"
#include "tensorlane/device/message_slots.h"
#include "tensorlane/ops/command.h"

namespace tensorlane {

// One launch of a kernel.
struct Launch {
  std::string kernel;
  std::uint64_t number = 0;  // among the launches of the device, from 0
  const Chip* chip = nullptr;
  std::span<const std::byte> args = {};  // the argument block the host passed
  int device = 0;
  const void* call_site = nullptr;  // of the host's launch
  // Whether Observer::processor_access tells of what the kernel does through pointers.
  bool accesses_seen = false;
  bool asynchronous = false;  // the call that launched it did not wait for its end
  // Asynchronous launches of other handles that the host had not waited for when it launched this
  // one: nothing orders them on the chip. Numbers of launches.
  std::vector<std::uint64_t> beside = {};
  const void* function = nullptr;  // the kernel, where it is a function of the program
  int cores = 1;                   // that run it, each with a struct of its own of `args`
};

// The kernel's own code reads or writes device memory through a pointer.
struct ProcessorAccess {
  enum class Kind : std::uint8_t {
    kRead,
    kWrite,
    kUnseen,  // from here on these bytes may be read and written without a word
  };
  Kind kind = Kind::kRead;
  Space space = Space::kGlobal;
  std::uint64_t offset = 0, bytes = 0;
  const void* call_site = nullptr;  // of the instruction in the kernel, or of the call there
  bool own_code = true;  // the kernel's, not that of a function of another library it calls
};

// The kernel reaches behind the end of its arguments: the first such access of a launch.
struct ArgumentAccess {
  std::size_t offset = 0;           // in the arguments
  const void* call_site = nullptr;  // of the instruction in the kernel, or of the call there
};

enum class Outcome : std::uint8_t { kDone, kFailed };

// Synchronisation as the kernel writes it.
enum class SyncEvent : std::uint8_t {
  kInitialize,
  kPoll,
  kHauPoll,  // waits for the HAU alone, inside regions too
  kParallelStart,
  kParallelEnd
};

// A loop of recorded commands that is carried out turn by turn and not in stages side by side,
// since that would change what `reader` gets of what `writer` writes; the calls that recorded them,
// innermost first. See tensorlane_recorded.h.
struct Unpipelined {
  std::span<const void*const> reader, writer;
};

// A call that was refused.
struct Refusal {
  enum class Kind : std::uint8_t {
    kLimit,      // an argument breaks a documented limit
    kMemory,     // a tensor does not fit its memory
    kAssertion,  // an assertion of the kernel failed
  };
  Kind kind = Kind::kLimit;
  std::string_view function;
  std::string_view message;  // for people
  const void* call_site = nullptr;
  std::string_view repair = {};  // of the mistake that it looks like; may be empty
};

// A call that breaks limits and is carried out all the same; see Breach.
struct Tolerated {
  std::string_view function;
  std::span<const Violation> violations;
  const void* call_site = nullptr;
};

enum class HostAccess : std::uint8_t { kRead, kWrite };

// A copy that the host has made inside of device memory: `count` items of `item_bytes` bytes each,
// as many bytes apart as the steps say.
struct DeviceCopy {
  std::uint64_t from = 0, to = 0;
  std::uint64_t item_bytes = 0, count = 1;
  std::uint64_t from_step = 0, to_step = 0;

  // From the first byte to the last.
  std::uint64_t bytes_at(std::uint64_t step) const {
    return count == 0 ? 0 : (count - 1) * step + item_bytes;
  }
};

// A call of the host interface that was refused and did nothing.
struct HostRefusal {
  enum class Kind : std::uint8_t {
    kArgument,  // a value that the call cannot use: NULL, a negative length
    kOutside,   // memory beyond an allocation, or in none
    kFreed,     // memory that was freed
    kForeign,   // memory of another device
    kFree,      // no allocation is there to free
    kLaunch,    // no kernel is there to launch, or not with these arguments
  };
  std::string_view function;
  std::string_view message;         // for people
  const void* call_site = nullptr;  // in the host
  // The allocation it was about, where one is known; its address is absolute, its places are in the
  // host.
  std::optional<Allocator::Block> allocation = {};
  Kind kind = Kind::kArgument;
};

// What a host or a kernel says of a tensor in device memory; see tensorlane_debug.h.
struct Statement {
  enum class Kind : std::uint8_t {
    kName,    // it is called `text`
    kExpect,  // it should hold `reference`, within the tolerance `text`
    kPrint,   // print it
    kDump,    // write it to the file `text`
  };
  Kind kind = Kind::kName;
  Space space = Space::kGlobal;
  Layout layout;  // base and addresses are offsets in the memory `space`
  std::string_view text = {};
  std::span<const std::byte> reference = {};  // elements in logical order, without gaps
  Dtype reference_dtype = Dtype::kFp32;
  const void* call_site = nullptr;
  bool in_kernel = false;
};

class Observer {
 public:
  virtual ~Observer() = default;

  virtual void launch_begin(const Launch&) {}
  virtual void launch_end(const Launch&, Outcome) {}
  // Before launch_end, where the outcome is kFailed. Refused calls were told of before, as such.
  virtual void launch_failed(const Failure&) {}

  // Before and after the command takes effect.
  virtual void command_begin(const Command&) {}
  virtual void command_end(const Command&) {}

  // From here on events are those of this core, until another goes on. Launches begin on core 0.
  virtual void core_selected(int core) { static_cast<void>(core); }
  // An engine of it has sent a message, or the one that it waited for has come.
  virtual void message(const MessageEvent&) {}
  // `region` is the number of the parallel region that starts or ends, -1 otherwise. A call that
  // breaks the rules (start inside start, end outside, poll inside) is reported before it fails.
  virtual void sync(SyncEvent, std::int64_t region, const void* call_site) {
    static_cast<void>(region);
    static_cast<void>(call_site);
  }

  // The kernel asked for a pointer into device memory (okk_local_mem_addr, tpu_global_mem_addr and
  // friends).
  virtual void pointer_taken(Space, std::uint64_t offset, const void* call_site) {
    static_cast<void>(offset);
    static_cast<void>(call_site);
  }

  // A new tensor lies at these offsets of every NPU's local memory: what was written there before
  // is no value of it.
  virtual void discarded(std::uint64_t offset, std::uint64_t bytes) {
    static_cast<void>(offset);
    static_cast<void>(bytes);
  }
  virtual void unpipelined(const Unpipelined&) {}

  // Such an access, before it happens; of bytes that an observer watches, and of others.
  virtual void processor_access(const ProcessorAccess&) {}
  // The launch goes on; the bytes there are zeros.
  virtual void arguments_exceeded(const ArgumentAccess&) {}
  // Whether accesses of any of these bytes are of interest as things stand.
  virtual bool watches(Space, std::uint64_t offset, std::uint64_t bytes) const {
    static_cast<void>(offset);
    static_cast<void>(bytes);
    return false;
  }

  // The host copies to or from device memory, or fills it. Offsets are those of global memory.
  virtual void host_access(HostAccess, std::uint64_t offset, std::uint64_t bytes,
                           const HostCaller&) {
    static_cast<void>(offset);
    static_cast<void>(bytes);
  }
  // Told before host_access and freed: the asynchronous launches (their numbers, ascending) that
  // the host has not waited for. The emulator waits for all; on the chip these may still run.
  virtual void host_waited(std::span<const std::uint64_t> except) { static_cast<void>(except); }
  // The same of a copy inside of global memory, whose parts may overlap.
  virtual void host_copied(const DeviceCopy&, const HostCaller&) {}
  virtual void allocated(std::uint64_t offset, std::uint64_t bytes, const HostCaller&) {
    static_cast<void>(offset);
    static_cast<void>(bytes);
  }
  virtual void freed(std::uint64_t offset, const HostCaller&) { static_cast<void>(offset); }

  // What was submitted before has taken effect, commands of a region in progress as the order says.
  virtual void stated(const Statement&) {}

  virtual void refused(const Refusal&) {}
  // Before the command, which may take effect later.
  virtual void tolerated(const Tolerated&) {}
  virtual void host_refused(const HostRefusal&) {}
};

}  // namespace tensorlane

#endif  // TENSORLANE_DEVICE_OBSERVER_H_
