// The memories of one emulated device.
//
// Each memory is a private anonymous mapping that the system fills with zero pages on first touch:
// 12 GB of global memory cost nothing until a kernel uses them. One that gets a second view moves,
// at the same addresses, to a file in memory that is mapped twice. Local memory and DTCM are there
// once per core; base() is that of the core that was selected last.
#ifndef TENSORLANE_DEVICE_MEMORY_H_
#define TENSORLANE_DEVICE_MEMORY_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

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

  // From here on local memory and DTCM are those of this core, 0 to begin with.
  void select_core(int core);
  int selected_core() const { return core_; }

  // The same bytes at other addresses, for those who look after every access of them
  // (processor_watch.h). Made at the first call; null when the system refuses.
  std::byte* second_view(Space space);

  // The host pointer of `bytes` bytes at system address `address`; null when they are not inside
  // one memory.
  std::byte* find(std::uint64_t address, std::uint64_t bytes) const;

 private:
  void unmap();
  static std::byte* map(std::uint64_t bytes);
  [[noreturn]] void refuse(Space space, std::uint64_t bytes);

  // What each core has of its own.
  static constexpr std::array kOfCore = {Space::kLocal, Space::kDtcm};

  const Chip& chip_;
  std::array<std::byte*, kSpaces> base_{}, view_{};
  std::array<std::uint64_t, kSpaces> bytes_{}, reserved_{};
  int core_ = 0;
  // Of each core, but for the selected one, which base_ has.
  std::vector<std::array<std::byte*, kOfCore.size()>> of_core_;
};

}  // namespace tensorlane

#endif  // TENSORLANE_DEVICE_MEMORY_H_
