#include "tensorlane/observe/check/memory_bounds.h"

#include <algorithm>
#include <utility>

#include "tensorlane/layout/local.h"

namespace tensorlane::check {
namespace {

constexpr std::size_t kRememberFreed = 1024;
constexpr auto kGranule = static_cast<std::int64_t>(Allocator::kGranule);

// How far a red zone reaches, at most.
std::int64_t red_zone(const MemoryBounds::Block& block) {
  const std::int64_t granules = std::max<std::int64_t>(ceil_div(block.bytes.bytes(), kGranule), 1);
  return std::min(granules * kGranule, static_cast<std::int64_t>(Allocator::kLongestGap));
}

}  // namespace

MemoryBounds::MemoryBounds(trail::Range room)
    : packed_(std::in_place, static_cast<std::uint64_t>(room.begin),
              static_cast<std::uint64_t>(room.end)) {}

void MemoryBounds::allocated(std::int64_t begin, std::int64_t bytes, const HostCaller& caller) {
  const trail::Range range{begin, begin + bytes};
  std::erase_if(freed_, [&](const Block& block) {
    return block.bytes.begin < range.end && range.begin < block.bytes.end;
  });
  std::int64_t packed = begin;
  if (packed_) {
    const auto address = packed_->allocate(static_cast<std::uint64_t>(bytes));
    if (address) packed = static_cast<std::int64_t>(*address);
    by_packed_[packed] = begin;
  }
  blocks_[begin] = {range, ++count_, true, caller, {}, packed};
}

void MemoryBounds::freed(std::int64_t begin, const HostCaller& caller) {
  const auto found = blocks_.find(begin);
  if (found == blocks_.end()) return;
  if (freed_.size() == kRememberFreed) freed_.erase(freed_.begin());
  freed_.push_back(found->second);
  freed_.back().freed = caller;
  if (packed_) {
    packed_->free(static_cast<std::uint64_t>(found->second.packed));
    by_packed_.erase(found->second.packed);
  }
  blocks_.erase(found);
}

void MemoryBounds::begin_launch(std::span<const std::int64_t> addresses) {
  bool any = false;
  for (auto& [begin, block] : blocks_) {
    const trail::Range bytes = block.bytes;
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

const MemoryBounds::Block* MemoryBounds::at_packed(std::int64_t address) const {
  auto after = by_packed_.upper_bound(address);
  if (after == by_packed_.begin()) return nullptr;
  const auto found = blocks_.find(std::prev(after)->second);
  if (found == blocks_.end()) return nullptr;
  const Block& block = found->second;
  return address - block.packed < block.bytes.bytes() ? &block : nullptr;
}

// What begins nearer to the end of one allocation was meant for that, else for the next.
std::optional<MemoryBounds::Finding> MemoryBounds::in_red_zone(std::int64_t address) const {
  if (!packed_) return std::nullopt;
  const Block* block = nullptr;
  std::int64_t distance = 0;
  const auto above = blocks_.upper_bound(address);
  if (above != blocks_.begin()) {
    block = &std::prev(above)->second;
    distance = address - block->bytes.end;
  }
  if (above != blocks_.end() && (block == nullptr || above->first - address < distance)) {
    block = &above->second;
    distance = above->first - address;
  }
  if (block == nullptr || distance >= red_zone(*block) + kGranule) return std::nullopt;
  const Block* const other = at_packed(block->packed + address - block->bytes.begin);
  if (other == nullptr || other == block) return std::nullopt;
  return Finding{Problem::kInRedZone, *block, {0, 0}, *other};
}

std::optional<MemoryBounds::Finding> MemoryBounds::check(const trail::Footprint& footprint) const {
  if (footprint.empty()) return std::nullopt;
  const trail::Range bounds = footprint.bounds();
  if (const std::optional<Block> block = find(bounds.begin)) {
    if (bounds.end > block->bytes.end)
      return Finding{Problem::kBeyondEnd, *block, {block->bytes.end, bounds.end}};
    if (!block->given) return Finding{Problem::kNotGiven, *block, {0, 0}};
    return std::nullopt;
  }
  if (auto found = in_red_zone(bounds.begin)) return found;
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
