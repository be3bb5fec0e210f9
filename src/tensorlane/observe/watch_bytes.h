// Says who writes bytes of device memory: commands, the host, the kernel's own pointers.
//
// Each write is told with its line, and with the elements in question before and after it. A
// command counts when an element of one of its results has one of the bytes, whether it changes
// them or not.
#ifndef TENSORLANE_OBSERVE_WATCH_BYTES_H_
#define TENSORLANE_OBSERVE_WATCH_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tensorlane/device/device.h"
#include "tensorlane/inspect/place.h"
#include "tensorlane/observe/say.h"
#include "tensorlane/trail/footprint.h"

namespace tensorlane::observe {

class WatchBytes : public Observer {
 public:
  struct Watch {
    inspect::Place place;
    std::uint64_t bytes = 1;
  };
  // `stop`: called after each write was said.
  WatchBytes(const Chip& chip, const DeviceMemory& memory, std::vector<Watch> watches, Say say,
             std::function<void()> stop);
  ~WatchBytes() override;
  WatchBytes(const WatchBytes&) = delete;
  WatchBytes& operator=(const WatchBytes&) = delete;

  void launch_begin(const Launch& launch) override;
  void launch_end(const Launch& launch, Outcome outcome) override;
  void command_begin(const Command& command) override;
  void command_end(const Command& command) override;
  void host_access(HostAccess access, std::uint64_t offset, std::uint64_t bytes,
                   const HostCaller& caller) override;
  void processor_access(const ProcessorAccess& access) override;
  bool watches(Space space, std::uint64_t offset, std::uint64_t bytes) const override;

 private:
  // The bytes of a watch in a write that is about to happen.
  struct Write {
    const Watch* watch;
    trail::Range bytes;  // from the first to one past the last
    std::vector<std::byte> before;
  };
  Write snapshot(const Watch& watch, std::int64_t begin, std::int64_t end) const;
  std::string elements_text(const Write& write, const Operand& operand) const;
  std::string words_text(const Write& write) const;
  // Accesses are told of before they happen: what a plain one wrote is seen at the next event.
  void say_plain();
  void expect_plain(Space space, std::uint64_t offset, std::uint64_t bytes, std::string who);
  void say(const std::string& text) const;

  const Chip& chip_;
  const DeviceMemory& memory_;
  const std::vector<Watch> watches_;
  const Say say_;
  const std::function<void()> stop_;
  Launch launch_;
  trail::FootprintCache footprints_;
  struct CommandWrite {
    Write write;
    const Operand* operand;
  };
  std::vector<CommandWrite> command_writes_;  // of the command in hand
  std::vector<Write> plain_writes_;
  std::string plain_writer_;
};

// TENSORLANE_WATCH: places, one a line. TENSORLANE_WATCH_BREAK=1: stops in the debugger after each
// write, where one is attached.
void watch_bytes(Device& device, const std::string& value, const Say& say);

}  // namespace tensorlane::observe

#endif  // TENSORLANE_OBSERVE_WATCH_BYTES_H_
