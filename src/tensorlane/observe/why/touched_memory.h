// Global memory that commands read and write, by the host's allocations: what of them was left out.
#ifndef TENSORLANE_OBSERVE_WHY_TOUCHED_MEMORY_H_
#define TENSORLANE_OBSERVE_WHY_TOUCHED_MEMORY_H_

#include <cstddef>
#include <vector>

#include "tensorlane/observe/why/launch_commands.h"
#include "tensorlane/trail/allocations.h"
#include "tensorlane/trail/init_shadow.h"
#include "tensorlane/trail/mark_map.h"

namespace tensorlane::why {

class TouchedMemory {
 public:
  explicit TouchedMemory(const trail::Allocations& allocations) : allocations_(allocations) {}

  // By a line of the launch, in an event; without them by another launch.
  void read(const trail::Footprint& bytes, trail::Writer event, std::size_t line);
  void read(const trail::Footprint& bytes) { read_.push_back(bytes); }
  void write(const trail::Footprint& bytes, trail::Writer event, std::size_t line);
  void written_by_host(const trail::Footprint& bytes);

  // Fills in LaunchCommands::allocations and unused_inputs. `written`: by anybody, ever.
  void finish(const trail::InitShadow& written, LaunchCommands& launch);

 private:
  TouchedAllocation* find(const trail::Footprint& bytes, trail::Writer event);

  const trail::Allocations& allocations_;
  std::vector<TouchedAllocation> touched_;
  std::vector<trail::Footprint> read_, written_;
  trail::MarkMap host_;
};

}  // namespace tensorlane::why

#endif  // TENSORLANE_OBSERVE_WHY_TOUCHED_MEMORY_H_
