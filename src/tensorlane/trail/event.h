// What changes device memory: commands, copies of the host, stores of the processor.
#ifndef TENSORLANE_TRAIL_EVENT_H_
#define TENSORLANE_TRAIL_EVENT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tensorlane/chip/chip.h"
#include "tensorlane/device/host_caller.h"
#include "tensorlane/device/observer.h"
#include "tensorlane/ops/args.h"
#include "tensorlane/ops/command.h"
#include "tensorlane/trail/footprint.h"
#include "tensorlane/trail/writer_map.h"

namespace tensorlane::trail {

// A launch as its events remember it.
struct LaunchFacts {
  std::string kernel;
  std::uint64_t number = 0;         // among those of the device, from 0
  const void* call_site = nullptr;  // of the host's launch
  int cores = 1;
};

struct Event {
  enum class Kind : std::uint8_t {
    kCommand,
    kHost,       // a copy to the device, or a fill
    kProcessor,  // a store of the kernel's own code
    kUnseen,     // the kernel's own code may have stored there, from this event on, without a word
  };
  // Bytes that the event writes, and what they hold on its other side: after it as long as the
  // memory is as it was before, before it else. No bytes are kept where all of them are 0.
  struct Write {
    Space space;
    int operand = 0;  // of a command
    Footprint bytes;
    std::vector<std::byte> other = {};
  };

  Kind kind = Kind::kCommand;
  std::shared_ptr<const LaunchFacts> launch = nullptr;  // null for the host's own
  const void* call_site = nullptr;
  std::vector<Write> writes = {};

  // Of a command: what it is made from again.
  const Op* op = nullptr;
  std::vector<Arg> args = {};
  std::uint64_t sequence = 0;
  int core = 0;  // of a command or the processor; whose local memory it is
  std::int64_t region = -1;
  std::span<const void* const> calls = {};
  // Of the host; where it copies inside the device, what.
  HostCaller caller = {};
  std::optional<DeviceCopy> copy = {};

  // The function that the kernel or the host called; empty for stores of the processor.
  std::string_view function() const { return op != nullptr ? op->name() : caller.function; }

  // What the event takes to keep, about.
  std::size_t kept_bytes() const {
    std::size_t bytes = sizeof *this + args.size() * sizeof(Arg) + writes.size() * sizeof(Write);
    for (const Write& write : writes) bytes += write.other.size();
    return bytes;
  }
};

}  // namespace tensorlane::trail

#endif  // TENSORLANE_TRAIL_EVENT_H_
