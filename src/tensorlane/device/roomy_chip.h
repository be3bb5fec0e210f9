// The chip of a device whose global memory may become longer than the chip's.
//
// Red zones (allocator.h) take addresses but no memory. Where a program fills the memory they push
// its last allocations beyond the end: the device then has a chip of its own whose global memory
// ends behind them. Until that happens it is the chip's own table in every number.
#ifndef TENSORLANE_DEVICE_ROOMY_CHIP_H_
#define TENSORLANE_DEVICE_ROOMY_CHIP_H_

#include <cstdint>

#include "tensorlane/chip/chip.h"

namespace tensorlane {

// Whether a device keeps gaps between allocations.
enum class RedZones : std::uint8_t { kOff, kOn };

class RoomyChip {
 public:
  RoomyChip(const Chip& model, RedZones zones);
  ~RoomyChip();
  RoomyChip(const RoomyChip&) = delete;
  RoomyChip& operator=(const RoomyChip&) = delete;

  const Chip& chip() const { return own_ == nullptr ? model_ : *own_; }
  // What programs are told: the chip's.
  std::uint64_t global_bytes() const { return model_.region(Space::kGlobal).bytes; }
  // How much longer it may become.
  std::uint64_t room() const { return own_ == nullptr ? 0 : global_bytes() / 8 / kPage * kPage; }
  // Global memory has `bytes` bytes at least.
  void hold(std::uint64_t bytes);

 private:
  static constexpr std::uint64_t kPage = 4096;
  const Chip& model_;
  Chip* own_ = nullptr;  // never destroyed, used again: commands of the past point to it
};

}  // namespace tensorlane

#endif  // TENSORLANE_DEVICE_ROOMY_CHIP_H_
