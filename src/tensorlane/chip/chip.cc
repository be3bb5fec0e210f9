#include "tensorlane/chip/chip.h"

#include <algorithm>
#include <vector>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/base/names.h"

namespace tensorlane {

std::string_view space_name(Space space) {
  switch (space) {
    case Space::kLocal:
      return msg("local memory");
    case Space::kGlobal:
      return msg("global memory");
    case Space::kL2:
      return "L2";
    case Space::kDtcm:
      return "DTCM";
    case Space::kStatic:
      return msg("static memory");
  }
  return msg("memory");
}

bool Chip::has(Space space) const {
  return std::any_of(regions.begin(), regions.end(),
                     [space](const Region& region) { return region.space == space; });
}

bool Chip::has_function(std::string_view function) const {
  return std::find(missing_functions.begin(), missing_functions.end(), function) ==
         missing_functions.end();
}

const TimingSource* Chip::source(double TimingParameters::*value) const {
  for (const TimingSource& each : timing_sources) {
    if (each.value == value) return &each;
  }
  return nullptr;
}

const Region& Chip::region(Space space) const {
  for (const Region& region : regions) {
    if (region.space == space) return region;
  }
  TL_INTERNAL_CHECK(false && "the chip has no such memory");
  return regions.front();
}

std::optional<Chip::Place> Chip::find(std::uint64_t address) const {
  for (const Region& region : regions) {
    if (address >= region.begin && address - region.begin < region.bytes) {
      const std::uint64_t offset = address - region.begin;
      return Place{region.space, offset, region.bytes - offset};
    }
  }
  return std::nullopt;
}

const Chip& find_chip(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Chip* chip : all_chips()) {
    if (chip->name == name) return *chip;
    names.push_back(chip->name);
  }
  user_error("unknown chip '{}'{}", name, did_you_mean(name, names));
}

}  // namespace tensorlane
