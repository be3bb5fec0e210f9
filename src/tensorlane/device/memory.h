// The memories of one emulated device.
//
// Each memory is a private anonymous mapping that the system fills with zero pages on first touch:
// 12 GB of global memory cost nothing until a kernel uses them. One that gets a second view moves,
// at the same addresses, to a file in memory that is mapped twice.
#ifndef TENSORLANE_DEVICE_MEMORY_H_
#define TENSORLANE_DEVICE_MEMORY_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "tensorlane/chip/chip.h"

namespace tensorlane {

class DeviceMemory {
 public:
  // Reserves every memory of the chip, and addresses for `more_global` bytes behind the global one;
  // static memory gets its contents. Throws UserError when the system refuses.
  explicit DeviceMemory(const Chip& chip, std::uint64_t more_global = 0);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  // Null for a memory that the chip does not have.
  std::byte* base(Space space) const { return base_[static_cast<std::size_t>(space)]; }
  std::uint64_t bytes(Space space) const { return bytes_[static_cast<std::size_t>(space)]; }
  // With the addresses behind it.
  std::uint64_t reserved(Space space) const { return reserved_[static_cast<std::size_t>(space)]; }
  // Global memory has `bytes` bytes at least, of those that are reserved.
  void hold_global(std::uint64_t bytes);
  std::array<std::byte*, kSpaces> bases() const { return base_; }

  // The same bytes at other addresses, for those who look after every access of them
  // (processor_watch.h). Made at the first call; null when the system refuses.
  std::byte* second_view(Space space);

  // The host pointer of `bytes` bytes at system address `address`; null when they are not inside
  // one memory.
  std::byte* find(std::uint64_t address, std::uint64_t bytes) const;

 private:
  void unmap();

  const Chip& chip_;
  std::array<std::byte*, kSpaces> base_{}, view_{};
  std::array<std::uint64_t, kSpaces> bytes_{}, reserved_{};
};

}  // namespace tensorlane

#endif  // TENSORLANE_DEVICE_MEMORY_H_
