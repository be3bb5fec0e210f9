#include "tensorlane/observe/check/memory_bounds.h"

#include <algorithm>

namespace tensorlane::check {
namespace {

constexpr std::size_t kRememberFreed = 1024;

}  // namespace

void MemoryBounds::allocated(std::int64_t begin, std::int64_t bytes, const HostCaller& caller) {
  const Range range{begin, begin + bytes};
  std::erase_if(freed_, [&](const Block& block) {
    return block.bytes.begin < range.end && range.begin < block.bytes.end;
  });
  blocks_[begin] = {range, ++count_, true, caller, {}};
}

void MemoryBounds::freed(std::int64_t begin, const HostCaller& caller) {
  const auto found = blocks_.find(begin);
  if (found == blocks_.end()) return;
  if (freed_.size() == kRememberFreed) freed_.erase(freed_.begin());
  freed_.push_back(found->second);
  freed_.back().freed = caller;
  blocks_.erase(found);
}

void MemoryBounds::begin_launch(std::span<const std::int64_t> addresses) {
  bool any = false;
  for (auto& [begin, block] : blocks_) {
    const Range bytes = block.bytes;
    block.given = std::any_of(addresses.begin(), addresses.end(), [&](std::int64_t address) {
      return address >= bytes.begin && address <= bytes.end;
    });
    any = any || block.given;
  }
  if (any) return;
  for (auto& [begin, block] : blocks_) block.given = true;
}

std::optional<MemoryBounds::Block> MemoryBounds::find(std::int64_t address) const {
  auto after = blocks_.upper_bound(address);
  if (after == blocks_.begin()) return std::nullopt;
  const Block& block = std::prev(after)->second;
  if (address >= block.bytes.end) return std::nullopt;
  return block;
}

std::optional<MemoryBounds::Finding> MemoryBounds::check(const Footprint& footprint) const {
  if (footprint.empty()) return std::nullopt;
  const Range bounds = footprint.bounds();
  if (const std::optional<Block> block = find(bounds.begin)) {
    if (bounds.end > block->bytes.end)
      return Finding{Problem::kBeyondEnd, *block, {block->bytes.end, bounds.end}};
    if (!block->given) return Finding{Problem::kNotGiven, *block, {0, 0}};
    return std::nullopt;
  }
  for (auto block = freed_.rbegin(); block != freed_.rend(); ++block) {
    if (bounds.begin >= block->bytes.begin && bounds.begin < block->bytes.end)
      return Finding{Problem::kFreed, *block, {0, 0}};
  }
  auto after = blocks_.upper_bound(bounds.begin);
  const Block below = after == blocks_.begin() ? Block{} : std::prev(after)->second;
  return Finding{Problem::kOutside, below, {0, 0}};
}

std::vector<MemoryBounds::Block> MemoryBounds::leaks() const {
  std::vector<Block> all;
  for (const auto& [begin, block] : blocks_) all.push_back(block);
  return all;
}

}  // namespace tensorlane::check
