#include "tensorlane/base/kept_allocator.h"

#include <array>
#include <bit>
#include <memory>
#include <vector>

namespace tensorlane {
namespace {

// Below that the C library keeps memory itself.
constexpr int kLeastBits = 16;
constexpr int kMostBits = 30;
constexpr std::size_t kMostKept = 12;  // of a size
constexpr std::align_val_t kAlignment{64};

struct Blocks {
  std::array<std::vector<void*>, kMostBits + 1> of_size;  // by the power of two
  Blocks() = default;
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;
  ~Blocks() {
    for (const std::vector<void*>& blocks : of_size) {
      for (void* const block : blocks) ::operator delete(block, kAlignment);
    }
  }
};

// True once the thread's memory is gone: what is given back after that goes to the system. It needs
// no destructor, so that it is there until the thread's very end.
thread_local bool thread_ends = false;

// A pointer alone: a library that is loaded late has little room for what is a thread's own.
struct Kept {
  std::unique_ptr<Blocks> blocks;
  Kept() = default;
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  ~Kept() { thread_ends = true; }
};
thread_local Kept kept;

std::vector<void*>& blocks_of(int size) {
  if (kept.blocks == nullptr) kept.blocks = std::make_unique<Blocks>();
  return kept.blocks->of_size[static_cast<std::size_t>(size)];
}

// The power of two that holds them; 0: memory that is not kept.
int size_of(std::size_t bytes) {
  const auto bits = static_cast<int>(std::bit_width(bytes - 1));
  return bytes == 0 || bits < kLeastBits || bits > kMostBits ? 0 : bits;
}

}  // namespace

void* take_kept_memory(std::size_t bytes) {
  const int size = size_of(bytes);
  if (size == 0) return ::operator new(bytes, kAlignment);
  if (!thread_ends) {
    std::vector<void*>& blocks = blocks_of(size);
    if (!blocks.empty()) {
      void* const block = blocks.back();
      blocks.pop_back();
      return block;
    }
    blocks.reserve(kMostKept);  // giving back allocates nothing
  }
  return ::operator new (std::size_t{1} << size, kAlignment);
}

void give_kept_memory(void* memory, std::size_t bytes) noexcept {
  if (memory == nullptr) return;
  const int size = size_of(bytes);
  if (size != 0 && !thread_ends && kept.blocks != nullptr) {
    std::vector<void*>& blocks = blocks_of(size);
    if (blocks.size() < blocks.capacity()) return blocks.push_back(memory);
  }
  ::operator delete(memory, kAlignment);
}

}  // namespace tensorlane
