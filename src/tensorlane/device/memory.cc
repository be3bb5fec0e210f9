#include "tensorlane/device/memory.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "tensorlane/base/error.h"

namespace tensorlane {

DeviceMemory::DeviceMemory(const Chip& chip) : chip_(chip) {
  for (int k = 0; k < kSpaces; ++k) {
    if (!chip.has(static_cast<Space>(k))) continue;
    const Region& region = chip.region(static_cast<Space>(k));
    void* mapping = mmap(nullptr, region.bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED) {
      const int reason = errno;
      unmap();
      user_error("cannot reserve {} bytes of address space for {} of {}: {}; raise 'ulimit -v'",
                 region.bytes, space_name(region.space), chip.name, std::strerror(reason));
    }
    base_[k] = static_cast<std::byte*>(mapping);
    bytes_[k] = region.bytes;
  }
  if (!chip.static_contents.empty()) {
    std::memcpy(base(Space::kStatic), chip.static_contents.data(), chip.static_contents.size());
  }
}

DeviceMemory::~DeviceMemory() {
  unmap();
}

void DeviceMemory::unmap() {
  for (int k = 0; k < kSpaces; ++k) {
    if (base_[k] != nullptr) munmap(base_[k], bytes_[k]);
  }
}

std::byte* DeviceMemory::find(std::uint64_t address, std::uint64_t bytes) const {
  const auto place = chip_.find(address);
  if (!place || bytes > place->bytes_left) return nullptr;
  return base(place->space) + place->offset;
}

}  // namespace tensorlane
