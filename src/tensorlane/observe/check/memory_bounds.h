// Which global memory a kernel may touch: the allocations of the host, byte for byte.
//
// The allocator hands out granules of 4096 bytes; what lies between the end of an allocation and
// the next granule is a red zone, and so is everything never allocated or freed again. A tensor
// belongs to the allocation that holds its first byte and has to end in it.
//
// Where the device keeps red zones, what begins in one lies in the next allocation without them:
// where each allocation lies then is kept up to date, too.
#ifndef TENSORLANE_OBSERVE_CHECK_MEMORY_BOUNDS_H_
#define TENSORLANE_OBSERVE_CHECK_MEMORY_BOUNDS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "tensorlane/device/allocator.h"
#include "tensorlane/device/host_caller.h"
#include "tensorlane/trail/footprint.h"

namespace tensorlane::check {

class MemoryBounds {
 public:
  struct Block {
    trail::Range bytes{0, 0};
    std::uint64_t number = 0;  // among the allocations, from 1
    bool given = true;         // the launch in progress got its address
    HostCaller made = {}, freed = {};
    std::int64_t packed = 0;  // where it begins without red zones
  };

  MemoryBounds() = default;
  // The host gets addresses of `room`.
  explicit MemoryBounds(trail::Range room);

  void allocated(std::int64_t begin, std::int64_t bytes, const HostCaller& caller = {});
  void freed(std::int64_t begin, const HostCaller& caller = {});

  // The addresses the next launch is given; empty: unknown, everything counts as given. An
  // allocation is given when an address points into it (or one past it).
  void begin_launch(std::span<const std::int64_t> addresses);

  enum class Problem : std::uint8_t {
    kBeyondEnd,  // starts in an allocation and reaches past its end
    kOutside,    // starts in no allocation
    kFreed,      // starts in an allocation that was freed
    kNotGiven,   // in an allocation whose address the launch was not given
    kInRedZone,  // starts beside an allocation, where another lies without red zones
  };
  struct Finding {
    Problem problem;
    Block block;          // the allocation concerned, the nearest below for kOutside; may be empty
    trail::Range beyond;  // kBeyondEnd: the bytes after the end, up to the tensor's last byte
    Block other = {};     // kInRedZone: the one that lies there without red zones
  };
  [[gnu::hot]] std::optional<Finding> check(const trail::Footprint& footprint) const;

  std::optional<Block> find(std::int64_t address) const;
  // All by address.
  const std::map<std::int64_t, Block>& blocks() const { return blocks_; }
  // Allocations that were never freed.
  std::vector<Block> leaks() const;

 private:
  std::optional<Finding> in_red_zone(std::int64_t address) const;
  const Block* at_packed(std::int64_t address) const;

  std::optional<Allocator> packed_;                 // without red zones
  std::map<std::int64_t, Block> blocks_;            // by address
  std::map<std::int64_t, std::int64_t> by_packed_;  // addresses by those without red zones
  std::vector<Block> freed_;                        // the latest last
  std::uint64_t count_ = 0;
};

}  // namespace tensorlane::check

#endif  // TENSORLANE_OBSERVE_CHECK_MEMORY_BOUNDS_H_
