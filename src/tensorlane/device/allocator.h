// The allocator of global memory that the host runtime hands out addresses from.
//
// First fit over 4096-byte granules, so that addresses are the same in every run and, from the
// first allocation on, those the vendor's model gives (0x105100000, 0x105101000, ...). [observed]
#ifndef TENSORLANE_DEVICE_ALLOCATOR_H_
#define TENSORLANE_DEVICE_ALLOCATOR_H_

#include <cstdint>
#include <map>
#include <optional>

namespace tensorlane {

class Allocator {
 public:
  static constexpr std::uint64_t kGranule = 4096;

  // Hands out addresses in [begin, end).
  Allocator(std::uint64_t begin, std::uint64_t end) : begin_(begin), end_(end) {}

  // The address of `bytes` free bytes (0 takes one granule, so that addresses stay unique), or
  // nothing when no gap is large enough.
  std::optional<std::uint64_t> allocate(std::uint64_t bytes);
  // False when `address` is not the start of an allocation.
  bool free(std::uint64_t address);

  struct Block {
    std::uint64_t address, bytes;
  };
  // The allocation that contains `address`.
  std::optional<Block> find(std::uint64_t address) const;
  // All allocations, address -> bytes as asked for.
  const std::map<std::uint64_t, std::uint64_t>& blocks() const { return blocks_; }
  std::uint64_t used() const { return used_; }
  std::uint64_t capacity() const { return end_ - begin_; }

 private:
  std::uint64_t begin_, end_;
  std::uint64_t used_ = 0;
  std::map<std::uint64_t, std::uint64_t> blocks_;
};

}  // namespace tensorlane

#endif  // TENSORLANE_DEVICE_ALLOCATOR_H_
