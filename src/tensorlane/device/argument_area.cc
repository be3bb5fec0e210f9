#include "tensorlane/device/argument_area.h"

#include <sys/mman.h>

#include <cstring>

namespace tensorlane {
namespace {

constexpr std::size_t kPage = 4096, kBlockBytes = 2 * kPage;

}  // namespace

ArgumentArea::ArgumentArea() {
  void* const mapping = mmap(nullptr, kBlockBytes + kPage, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) return;
  memory_ = static_cast<std::byte*>(mapping);
  if (mprotect(memory_ + kBlockBytes, kPage, PROT_NONE) != 0) open_ = true;
}

ArgumentArea::~ArgumentArea() {
  if (memory_ != nullptr) munmap(memory_, kBlockBytes + kPage);
}

const void* ArgumentArea::place(std::span<const std::byte> block) {
  if (memory_ == nullptr || block.size() > kBlockBytes) return nullptr;
  if (open_) {
    std::memset(memory_ + kBlockBytes, 0, kPage);
    open_ = mprotect(memory_ + kBlockBytes, kPage, PROT_NONE) != 0;
  }
  std::byte* const at = memory_ + kBlockBytes - block.size();
  if (!block.empty()) std::memcpy(at, block.data(), block.size());
  return at;
}

std::optional<std::size_t> ArgumentArea::excess(std::uintptr_t address) const {
  const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(memory_) + kBlockBytes;
  if (memory_ == nullptr || open_ || address - end >= kPage) return std::nullopt;
  return address - end;
}

void ArgumentArea::open() {
  open_ = mprotect(memory_ + kBlockBytes, kPage, PROT_READ | PROT_WRITE) == 0;
}

}  // namespace tensorlane
