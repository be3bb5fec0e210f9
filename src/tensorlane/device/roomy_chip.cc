#include "tensorlane/device/roomy_chip.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <vector>

namespace tensorlane {
namespace {

struct Unused {
  std::mutex mutex;
  std::map<const Chip*, std::vector<Chip*>> chips;  // by model
};
Unused& unused() {
  static Unused* const instance = new Unused;
  return *instance;
}

Region& global_of(Chip& chip) {
  return *std::ranges::find(chip.regions, Space::kGlobal, &Region::space);
}

}  // namespace

RoomyChip::RoomyChip(const Chip& model, RedZones zones) : model_(model) {
  if (zones == RedZones::kOff) return;
  const std::lock_guard lock(unused().mutex);
  std::vector<Chip*>& chips = unused().chips[&model];
  if (chips.empty()) chips.push_back(new Chip(model));
  own_ = chips.back();
  chips.pop_back();
}

RoomyChip::~RoomyChip() {
  if (own_ == nullptr) return;
  global_of(*own_).bytes = global_bytes();
  const std::lock_guard lock(unused().mutex);
  unused().chips[&model_].push_back(own_);
}

void RoomyChip::hold(std::uint64_t bytes) {
  if (own_ == nullptr || global_of(*own_).bytes >= bytes) return;
  global_of(*own_).bytes = bytes;
}

}  // namespace tensorlane
