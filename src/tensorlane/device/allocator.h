// The allocator of global memory that the host runtime hands out addresses from.
//
// First fit over 4096-byte granules, so that addresses are the same in every run and, from the
// first allocation on, those the vendor's model gives (0x105100000, 0x105101000, ...). [observed]
// Every call takes time logarithmic in the size of the memory.
//
// With room to spare behind its end it keeps red zones: a gap behind every allocation, as long as
// that allocation up to kLongestGap, so that what reaches past one buffer, or begins a tile too
// far, meets nothing instead of the next buffer. What there is room for stays as it is without
// them: a request fails when it would fail then, and gaps count as free. Where they do not fit any
// more, allocations follow each other as they do without.
#ifndef TENSORLANE_DEVICE_ALLOCATOR_H_
#define TENSORLANE_DEVICE_ALLOCATOR_H_

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "tensorlane/device/free_runs.h"

namespace tensorlane {

class Allocator {
 public:
  static constexpr std::uint64_t kGranule = 4096;
  static constexpr std::uint64_t kLongestGap = std::uint64_t{1} << 20;

  struct Block {
    std::uint64_t address, bytes;   // as asked for
    const void* made_at = nullptr;  // the host's calls; see source_location.h
    const void* freed_at = nullptr;
    bool freed = false;
    std::uint64_t packed = 0;  // its address without red zones
    std::uint64_t gap = 0;     // bytes of its red zone, behind its last granule
    std::uint64_t end() const { return address + bytes; }
  };

  // Hands out addresses in [begin, end), with red zones up to end + room_for_gaps.
  Allocator(std::uint64_t begin, std::uint64_t end, std::uint64_t room_for_gaps = 0)
      : begin_(begin),
        end_(end),
        gaps_left_(room_for_gaps / kGranule),
        free_((end - begin) / kGranule + gaps_left_) {
    if (gaps_left_ > 0) packed_.emplace((end - begin) / kGranule);
  }

  // The address of `bytes` free bytes (0 takes one granule, so that addresses stay unique), or
  // nothing when no gap is large enough.
  std::optional<std::uint64_t> allocate(std::uint64_t bytes, const void* call_site = nullptr);
  // False when `address` is not the start of an allocation.
  bool free(std::uint64_t address, const void* call_site = nullptr);

  // The allocation that contains `address`; one without bytes contains its address.
  std::optional<Block> find(std::uint64_t address) const { return find(blocks_, address); }
  // The same among the freed ones whose granules nobody was given since.
  std::optional<Block> find_freed(std::uint64_t address) const { return find(freed_, address); }
  // All allocations by address.
  const std::map<std::uint64_t, Block>& blocks() const { return blocks_; }
  std::uint64_t used() const { return used_; }  // without gaps
  std::uint64_t capacity() const { return end_ - begin_; }

 private:
  using Blocks = std::map<std::uint64_t, Block>;
  static std::optional<Block> find(const Blocks& blocks, std::uint64_t address);
  // Takes `need` units, with a gap behind them where there is room; the first, and the gap's
  // length.
  std::optional<std::pair<std::uint64_t, std::uint64_t>> place(std::uint64_t need);
  void forget_freed(std::uint64_t begin, std::uint64_t end);

  std::uint64_t begin_, end_;
  std::uint64_t used_ = 0;
  std::uint64_t gaps_left_;         // granules
  std::optional<FreeRuns> packed_;  // what is free without red zones, where there are any
  FreeRuns free_;
  Blocks blocks_, freed_;
};

}  // namespace tensorlane

#endif  // TENSORLANE_DEVICE_ALLOCATOR_H_
