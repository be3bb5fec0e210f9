#include "tensorlane/compute/bands/kept_memory.h"

#include <algorithm>
#include <bit>
#include <new>
#include <vector>

namespace tensorlane {
namespace {

constexpr std::align_val_t kBoundary{128};
// Below this the allocator of the system is as fast.
constexpr std::size_t kSmall = std::size_t{1} << 10;
// Sizes come in steps of this at least.
constexpr std::size_t kLeastStep = std::size_t{2} << 10;

// Sizes come in steps of a quarter of a power of two, so that one that is a little larger fits too.
std::size_t rounded(std::size_t bytes) {
  const std::size_t step = bytes <= kSmall ? 128 : std::max(kLeastStep, std::bit_floor(bytes) / 4);
  return (bytes + step - 1) / step * step;
}

struct Block {
  void* memory;
  std::size_t bytes;
};

// The latest one is the last.
class Kept {
 public:
  Kept() { blocks_.reserve(kMostBlocks); }
  ~Kept() {
    for (const Block& block : blocks_) ::operator delete(block.memory, kBoundary);
  }
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;

  void* take(std::size_t bytes) {
    const auto at = std::find_if(blocks_.rbegin(), blocks_.rend(),
                                 [&](const Block& block) { return block.bytes == bytes; });
    if (at == blocks_.rend()) return nullptr;
    void* const memory = at->memory;
    total_ -= bytes;
    blocks_.erase(std::next(at).base());
    return memory;
  }
  // False where it is too large to be kept.
  bool keep(const Block& block) {
    if (block.bytes > kMostKeptBytes) return false;
    while (blocks_.size() == kMostBlocks || total_ + block.bytes > kMostKeptBytes) {
      ::operator delete(blocks_.front().memory, kBoundary);
      total_ -= blocks_.front().bytes;
      blocks_.erase(blocks_.begin());
    }
    blocks_.push_back(block);
    total_ += block.bytes;
    return true;
  }
  std::size_t total() const { return total_; }

 private:
  static constexpr std::size_t kMostBlocks = 24;
  std::vector<Block> blocks_;
  std::size_t total_ = 0;
};

Kept& kept() {
  thread_local Kept mine;
  return mine;
}

}  // namespace

void* take_kept(std::size_t bytes) {
  const std::size_t size = rounded(bytes);
  if (bytes > kSmall) {
    if (void* const memory = kept().take(size)) return memory;
  }
  return ::operator new(size, kBoundary);
}

void keep(void* memory, std::size_t bytes) noexcept {
  const std::size_t size = rounded(bytes);
  if (bytes <= kSmall || !kept().keep({memory, size})) ::operator delete(memory, kBoundary);
}

std::size_t kept_bytes() {
  return kept().total();
}

}  // namespace tensorlane
