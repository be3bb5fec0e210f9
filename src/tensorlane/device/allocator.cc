#include "tensorlane/device/allocator.h"

#include <algorithm>

namespace tensorlane {
namespace {

std::uint64_t granules(std::uint64_t bytes) {
  return std::max<std::uint64_t>((bytes + Allocator::kGranule - 1) / Allocator::kGranule, 1);
}

}  // namespace

std::optional<std::uint64_t> Allocator::allocate(std::uint64_t bytes, const void* call_site) {
  if (bytes > capacity()) return std::nullopt;
  const std::uint64_t need = granules(bytes);
  const std::optional<std::uint64_t> packed = (packed_ ? *packed_ : free_).lowest(need);
  const auto placed = packed ? place(need) : std::nullopt;
  if (!placed) return std::nullopt;
  if (packed_) packed_->take(*packed, *packed + need);
  const auto [first, gap] = *placed;
  const std::uint64_t address = begin_ + first * kGranule;
  forget_freed(address, address + need * kGranule);
  blocks_.emplace(address, Block{.address = address,
                                 .bytes = bytes,
                                 .made_at = call_site,
                                 .packed = begin_ + *packed * kGranule,
                                 .gap = gap * kGranule});
  used_ += need * kGranule;
  return address;
}

std::optional<std::pair<std::uint64_t, std::uint64_t>> Allocator::place(std::uint64_t need) {
  std::uint64_t gap = std::min({need, kLongestGap / kGranule, gaps_left_});
  std::optional<std::uint64_t> first = free_.lowest(need + gap);
  if (!first) {
    gap = 0;
    first = free_.lowest(need);
  }
  if (!first) return std::nullopt;
  free_.take(*first, *first + need + gap);
  gaps_left_ -= gap;
  return std::pair(*first, gap);
}

bool Allocator::free(std::uint64_t address, const void* call_site) {
  const auto found = blocks_.find(address);
  if (found == blocks_.end()) return false;
  Block block = found->second;
  blocks_.erase(found);
  const std::uint64_t first = (address - begin_) / kGranule, size = granules(block.bytes),
                      packed = (block.packed - begin_) / kGranule, gap = block.gap / kGranule;
  if (packed_) packed_->give_back(packed, packed + size);
  free_.give_back(first, first + size + gap);
  gaps_left_ += gap;
  used_ -= size * kGranule;
  block.freed = true;
  block.freed_at = call_site;
  freed_.emplace(address, block);
  return true;
}

std::optional<Allocator::Block> Allocator::find(const Blocks& blocks, std::uint64_t address) {
  auto block = blocks.upper_bound(address);
  if (block == blocks.begin()) return std::nullopt;
  --block;
  if (address - block->first >= std::max<std::uint64_t>(block->second.bytes, 1))
    return std::nullopt;
  return block->second;
}

void Allocator::forget_freed(std::uint64_t begin, std::uint64_t end) {
  auto block = freed_.lower_bound(begin);
  if (block != freed_.begin() && std::prev(block)->second.end() > begin) --block;
  while (block != freed_.end() && block->first < end) block = freed_.erase(block);
}

}  // namespace tensorlane
