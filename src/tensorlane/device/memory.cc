#include "tensorlane/device/memory.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "tensorlane/base/error.h"

namespace tensorlane {

DeviceMemory::DeviceMemory(const Chip& chip) : chip_(chip) {
  for (int k = 0; k < kSpaces; ++k) {
    const Region& region = chip.region(static_cast<Space>(k));
    void* mapping = mmap(nullptr, region.bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED) {
      const int reason = errno;
      for (int done = 0; done < k; ++done) munmap(base_[done], bytes_[done]);
      user_error("cannot reserve {} bytes of address space for {} of {}: {}; raise 'ulimit -v'",
                 region.bytes, space_name(region.space), chip.name, std::strerror(reason));
    }
    base_[k] = static_cast<std::byte*>(mapping);
    bytes_[k] = region.bytes;
  }
}

DeviceMemory::~DeviceMemory() {
  for (int k = 0; k < kSpaces; ++k) munmap(base_[k], bytes_[k]);
}

std::byte* DeviceMemory::find(std::uint64_t address, std::uint64_t bytes) const {
  const auto place = chip_.find(address);
  if (!place || bytes > place->bytes_left) return nullptr;
  return base(place->space) + place->offset;
}

}  // namespace tensorlane
