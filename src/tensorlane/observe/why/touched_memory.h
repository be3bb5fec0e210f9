// Global memory that commands read and write, by the host's allocations: what of them was left out.
#ifndef TENSORLANE_OBSERVE_WHY_TOUCHED_MEMORY_H_
#define TENSORLANE_OBSERVE_WHY_TOUCHED_MEMORY_H_

#include <cstddef>
#include <vector>

#include "tensorlane/observe/check/init_shadow.h"
#include "tensorlane/observe/check/mark_map.h"
#include "tensorlane/observe/why/allocations.h"
#include "tensorlane/observe/why/launch_commands.h"

namespace tensorlane::why {

class TouchedMemory {
 public:
  explicit TouchedMemory(const Allocations& allocations) : allocations_(allocations) {}

  // By a line of the launch, in an event; without them by another launch.
  void read(const check::Footprint& bytes, Writer event, std::size_t line);
  void read(const check::Footprint& bytes) { read_.push_back(bytes); }
  void write(const check::Footprint& bytes, Writer event, std::size_t line);
  void written_by_host(const check::Footprint& bytes);

  // Fills in LaunchCommands::allocations and unused_inputs. `written`: by anybody, ever.
  void finish(const check::InitShadow& written, LaunchCommands& launch);

 private:
  TouchedAllocation* find(const check::Footprint& bytes, Writer event);

  const Allocations& allocations_;
  std::vector<TouchedAllocation> touched_;
  std::vector<check::Footprint> read_, written_;
  check::MarkMap host_;
};

}  // namespace tensorlane::why

#endif  // TENSORLANE_OBSERVE_WHY_TOUCHED_MEMORY_H_
