// Allocations that a launch may reach though their addresses are not among its arguments.
//
// A kernel may find addresses in a table in device memory, which it was given, or compute them from
// page numbers: of pages of 4096 bytes from address 0, or of buffers of one size from another that
// it was given. Which of them it does nobody can see, so each allocation counts that could be found
// in one of these ways.
#ifndef TENSORLANE_OBSERVE_CHECK_REACHABLE_MEMORY_H_
#define TENSORLANE_OBSERVE_CHECK_REACHABLE_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "tensorlane/observe/check/memory_bounds.h"

namespace tensorlane::check {

class ReachableMemory {
 public:
  // `global`: global memory as it is now, `begin` its first address. Looks at no more than
  // kMostBytes of it; where that does not suffice, everything can be reached.
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;
  ReachableMemory(const MemoryBounds& allocations, std::span<const std::byte> arguments,
                  const std::byte* global, std::uint64_t begin);

  bool contains(const MemoryBounds::Block& block) const {
    return all_ || reached_.contains(block.bytes.begin);
  }

 private:
  using Block = MemoryBounds::Block;
  void add_addresses(std::span<const std::byte> bytes);
  void add_numbers(std::span<const std::byte> bytes);
  void add(std::int64_t offset);
  void add_numbered();

  const MemoryBounds& allocations_;
  const std::uint64_t begin_;
  bool all_ = false;
  std::set<std::int64_t> reached_;   // by their first bytes
  std::vector<Block> unread_;        // of these
  std::set<std::uint32_t> numbers_;  // that may be of pages
};

}  // namespace tensorlane::check

#endif  // TENSORLANE_OBSERVE_CHECK_REACHABLE_MEMORY_H_
