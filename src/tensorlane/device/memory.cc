#include "tensorlane/device/memory.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/device/touched_pages.h"

namespace tensorlane {
namespace {

// `bytes` bytes of a file in memory; null when there are none.
std::byte* map_file(int file, std::size_t bytes, void* at = nullptr) {
  void* const mapping = mmap(at, bytes, PROT_READ | PROT_WRITE,
                             MAP_SHARED | MAP_NORESERVE | (at == nullptr ? 0 : MAP_FIXED), file, 0);
  return mapping == MAP_FAILED ? nullptr : static_cast<std::byte*>(mapping);
}

}  // namespace

DeviceMemory::DeviceMemory(const Chip& chip, std::uint64_t more_global) : chip_(chip) {
  for (int k = 0; k < kSpaces; ++k) {
    if (!chip.has(static_cast<Space>(k))) continue;
    const Region& region = chip.region(static_cast<Space>(k));
    std::uint64_t reserved = region.bytes + (region.space == Space::kGlobal ? more_global : 0);
    std::byte* mapping = map(reserved);
    if (mapping == nullptr && reserved > region.bytes) {  // do without
      reserved = region.bytes;
      mapping = map(reserved);
    }
    if (mapping == nullptr) refuse(region.space, reserved);
    base_[k] = mapping;
    bytes_[k] = region.bytes;
    reserved_[k] = reserved;
  }
  of_core_.resize(static_cast<std::size_t>(chip.cores));
  for (std::size_t core = 1; core < of_core_.size(); ++core) {
    for (std::size_t own = 0; own < kOfCore.size(); ++own) {
      if (base(kOfCore[own]) == nullptr) continue;
      of_core_[core][own] = map(reserved(kOfCore[own]));
      if (of_core_[core][own] == nullptr) refuse(kOfCore[own], reserved(kOfCore[own]));
    }
  }
  if (!chip.static_contents.empty()) {
    std::memcpy(base(Space::kStatic), chip.static_contents.data(), chip.static_contents.size());
  }
}

DeviceMemory::~DeviceMemory() {
  unmap();
}

std::byte* DeviceMemory::map(std::uint64_t bytes) {
  void* const mapping = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return mapping == MAP_FAILED ? nullptr : static_cast<std::byte*>(mapping);
}

void DeviceMemory::refuse(Space space, std::uint64_t bytes) {
  const int reason = errno;
  unmap();
  user_error("cannot reserve {} bytes of address space for {} of {}: {}; raise 'ulimit -v'", bytes,
             translated(space_name(space)), chip_.name, std::strerror(reason));
}

void DeviceMemory::select_core(int core) {
  for (std::size_t own = 0; own < kOfCore.size(); ++own) {
    std::byte*& base = base_[static_cast<std::size_t>(kOfCore[own])];
    of_core_[static_cast<std::size_t>(core_)][own] = base;
    base = of_core_[static_cast<std::size_t>(core)][own];
  }
  core_ = core;
}

std::byte* DeviceMemory::second_view(Space space) {
  const auto k = static_cast<std::size_t>(space);
  if (view_[k] != nullptr || base_[k] == nullptr) return view_[k];
  const std::size_t bytes = reserved_[k];
  // Memory that is shared with another process already: the same pages once more.
  if (void* const again = mremap(base_[k], 0, bytes, MREMAP_MAYMOVE); again != MAP_FAILED) {
    view_[k] = static_cast<std::byte*>(again);
    return view_[k];
  }
  rlimit longest_file{};  // a longer one would end the process
  if (getrlimit(RLIMIT_FSIZE, &longest_file) != 0 || longest_file.rlim_cur < bytes) return nullptr;
  const int file = memfd_create("device memory", MFD_CLOEXEC);
  if (file < 0) return nullptr;
  std::byte* view =
      ftruncate(file, static_cast<off_t>(bytes)) == 0 ? map_file(file, bytes) : nullptr;
  const auto copy = [&](std::size_t begin, std::size_t end) {
    std::memcpy(view + begin, base_[k] + begin, end - begin);
  };
  if (view != nullptr &&
      (!for_each_touched(base_[k], bytes, copy) || map_file(file, bytes, base_[k]) == nullptr)) {
    munmap(view, bytes);
    view = nullptr;
  }
  close(file);
  view_[k] = view;
  return view;
}

void DeviceMemory::unmap() {
  for (std::size_t core = 0; core < of_core_.size(); ++core) {
    if (core == static_cast<std::size_t>(core_)) continue;  // base_ has it
    for (std::size_t own = 0; own < kOfCore.size(); ++own) {
      if (of_core_[core][own] != nullptr) munmap(of_core_[core][own], reserved(kOfCore[own]));
    }
  }
  for (int k = 0; k < kSpaces; ++k) {
    if (base_[k] != nullptr) munmap(base_[k], reserved_[k]);
    if (view_[k] != nullptr) munmap(view_[k], reserved_[k]);
  }
}

void DeviceMemory::hold_global(std::uint64_t bytes) {
  constexpr auto kGlobal = static_cast<std::size_t>(Space::kGlobal);
  TL_INTERNAL_CHECK(bytes <= reserved_[kGlobal]);
  bytes_[kGlobal] = std::max(bytes_[kGlobal], bytes);
}

std::byte* DeviceMemory::find(std::uint64_t address, std::uint64_t bytes) const {
  const auto place = chip_.find(address);
  if (!place || bytes > place->bytes_left) return nullptr;
  return base(place->space) + place->offset;
}

}  // namespace tensorlane
