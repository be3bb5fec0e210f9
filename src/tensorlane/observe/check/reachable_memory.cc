#include "tensorlane/observe/check/reachable_memory.h"

#include <algorithm>
#include <cstring>

namespace tensorlane::check {
namespace {

constexpr std::size_t kStep = 4;                             // tables of addresses are aligned so
constexpr std::size_t kNumberTable = std::size_t{64} << 10;  // longer ones hold data
constexpr int kPageBits = 12;

template <class T>
T value_at(std::span<const std::byte> bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

}  // namespace

ReachableMemory::ReachableMemory(const MemoryBounds& allocations,
                                 std::span<const std::byte> arguments, const std::byte* global,
                                 std::uint64_t begin)
    : allocations_(allocations), begin_(begin) {
  for (const auto& [address, block] : allocations.blocks()) {
    if (block.given) add(address);
  }
  add_numbers(arguments);
  std::size_t looked_at = 0;
  while (!unread_.empty()) {
    // The shortest first: a table is shorter than what it leads to.
    const auto shortest = std::ranges::min_element(
        unread_, {}, [](const Block& block) { return block.bytes.bytes(); });
    const trail::Range bytes = shortest->bytes;
    unread_.erase(shortest);
    looked_at += static_cast<std::size_t>(bytes.bytes());
    all_ = looked_at > kMostBytes;
    if (all_) return;
    const std::span table(global + bytes.begin, static_cast<std::size_t>(bytes.bytes()));
    add_addresses(table);
    if (table.size() <= kNumberTable) add_numbers(table);
    if (unread_.empty()) add_numbered();
  }
}

void ReachableMemory::add(std::int64_t offset) {
  const auto block = allocations_.find(offset);
  if (block && reached_.insert(block->bytes.begin).second) unread_.push_back(*block);
}

void ReachableMemory::add_addresses(std::span<const std::byte> bytes) {
  for (std::size_t at = 0; at + sizeof(std::uint64_t) <= bytes.size(); at += kStep) {
    const auto value = value_at<std::uint64_t>(bytes, at);
    if (value >= begin_ && value - begin_ < (std::uint64_t{1} << 40))
      add(static_cast<std::int64_t>(value - begin_));
  }
}

void ReachableMemory::add_numbers(std::span<const std::byte> bytes) {
  for (std::size_t at = 0; at + kStep <= bytes.size(); at += kStep) {
    const auto value = value_at<std::uint32_t>(bytes, at);
    if (value == 0) continue;
    numbers_.insert(value);
    const std::uint64_t page = std::uint64_t{value} << kPageBits;
    if (page >= begin_) add(static_cast<std::int64_t>(page - begin_));
  }
}

// Buffers of one size, counted from one of them.
void ReachableMemory::add_numbered() {
  std::vector<trail::Range> known;
  for (const std::int64_t begin : reached_) known.push_back(allocations_.find(begin)->bytes);
  for (const auto& [address, block] : allocations_.blocks()) {
    const std::int64_t size = block.bytes.bytes();
    if (size == 0 || reached_.contains(address)) continue;
    const bool numbered = std::ranges::any_of(known, [size, at = address, this](trail::Range from) {
      const std::int64_t distance = at - from.begin;
      return from.bytes() == size && distance > 0 && distance % size == 0 &&
             distance / size <= 0xffffffff &&
             numbers_.contains(static_cast<std::uint32_t>(distance / size));
    });
    if (numbered) add(address);
  }
}

}  // namespace tensorlane::check
