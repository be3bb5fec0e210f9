// Which global memory a kernel may touch: the allocations of the host, byte for byte.
//
// The allocator hands out granules of 4096 bytes; what lies between the end of an allocation and
// the next granule is a red zone, and so is everything never allocated or freed again. A tensor
// belongs to the allocation that holds its first byte and has to end in it.
#ifndef TENSORLANE_OBSERVE_CHECK_MEMORY_BOUNDS_H_
#define TENSORLANE_OBSERVE_CHECK_MEMORY_BOUNDS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "tensorlane/device/host_caller.h"
#include "tensorlane/observe/check/footprint.h"

namespace tensorlane::check {

class MemoryBounds {
 public:
  struct Block {
    Range bytes{0, 0};
    std::uint64_t number = 0;  // among the allocations, from 1
    bool given = true;         // the launch in progress got its address
    HostCaller made = {}, freed = {};
  };

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
  };
  struct Finding {
    Problem problem;
    Block block;   // the allocation concerned, the nearest one below for kOutside; may be empty
    Range beyond;  // kBeyondEnd: the bytes after the end, up to the tensor's last byte
  };
  std::optional<Finding> check(const Footprint& footprint) const;

  std::optional<Block> find(std::int64_t address) const;
  // Allocations that were never freed.
  std::vector<Block> leaks() const;

 private:
  std::map<std::int64_t, Block> blocks_;  // by address
  std::vector<Block> freed_;              // the latest last
  std::uint64_t count_ = 0;
};

}  // namespace tensorlane::check

#endif  // TENSORLANE_OBSERVE_CHECK_MEMORY_BOUNDS_H_
