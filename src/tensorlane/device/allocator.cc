#include "tensorlane/device/allocator.h"

#include <algorithm>

namespace tensorlane {
namespace {

std::uint64_t rounded(std::uint64_t bytes) {
  return std::max<std::uint64_t>((bytes + Allocator::kGranule - 1) / Allocator::kGranule, 1) *
         Allocator::kGranule;
}

}  // namespace

std::optional<std::uint64_t> Allocator::allocate(std::uint64_t bytes) {
  if (bytes > capacity()) return std::nullopt;
  const std::uint64_t need = rounded(bytes);
  std::uint64_t at = begin_;
  for (const auto& [address, size] : blocks_) {
    if (address - at >= need) break;
    at = address + rounded(size);
  }
  if (at > end_ || end_ - at < need) return std::nullopt;
  blocks_.emplace(at, bytes);
  used_ += need;
  return at;
}

bool Allocator::free(std::uint64_t address) {
  const auto block = blocks_.find(address);
  if (block == blocks_.end()) return false;
  used_ -= rounded(block->second);
  blocks_.erase(block);
  return true;
}

std::optional<Allocator::Block> Allocator::find(std::uint64_t address) const {
  auto block = blocks_.upper_bound(address);
  if (block == blocks_.begin()) return std::nullopt;
  --block;
  if (address - block->first >= std::max<std::uint64_t>(block->second, 1)) return std::nullopt;
  return Block{block->first, block->second};
}

}  // namespace tensorlane
