#include "tensorlane/observe/check/race_detector.h"

#include <algorithm>

namespace tensorlane::check {
namespace {

// Where an access lies, as one range: offsets in the NPUs, or addresses of a linear memory. Two
// accesses to one memory can only conflict where these overlap.
Range place(const Access& access) {
  return access.bytes.shape->npu_bytes > 0 ? access.bytes.shape->lane_bounds
                                           : access.bytes.bounds();
}

}  // namespace

bool RaceDetector::Group::knows(const Access& access) const {
  if (accesses.size() > kFew) return known.contains(same(access));
  return std::any_of(accesses.begin(), accesses.end(),
                     [&](const Access& other) { return same(other) == same(access); });
}

void RaceDetector::Group::add(const Access& access) {
  const Range reach = access.bytes.bounds();
  bounds = accesses.empty()
               ? reach
               : Range{std::min(bounds.begin, reach.begin), std::max(bounds.end, reach.end)};
  npus |= access.bytes.shape->npus;
  accesses.push_back(access);
  if (accesses.size() <= kFew) return;
  for (std::size_t k = accesses.size() == kFew + 1 ? 0 : accesses.size() - 1; k < accesses.size();
       ++k) {
    places.add(place(accesses[k]), static_cast<std::uint32_t>(k));
    known.insert(same(accesses[k]));
  }
}

void RaceDetector::Group::clear() {
  accesses.clear();
  npus = 0;
  places.clear();
  known.clear();
}

void RaceDetector::waited_for(int engine) {
  for (int memory = 0; memory < kMemories; ++memory) {
    for (const bool write : {false, true}) group(engine, memory, write).clear();
  }
}

void RaceDetector::compare(const Group& others, const Access& access, std::vector<Race>& races) {
  const Range bounds = access.bytes.bounds();
  if (others.accesses.empty() || others.bounds.end <= bounds.begin ||
      bounds.end <= others.bounds.begin || (others.npus & access.bytes.shape->npus) == 0) {
    return;
  }
  const auto look_at = [&](const Access& other) {
    ++comparisons_;
    if (overlap(other.bytes, access.bytes)) races.push_back({other, access});
  };
  if (others.accesses.size() <= kFew) {
    for (const Access& other : others.accesses) look_at(other);
    return;
  }
  near_.clear();
  others.places.visit(place(access), [&](std::uint32_t k) { near_.push_back(k); });
  std::sort(near_.begin(), near_.end());
  for (const std::uint32_t k : near_) look_at(others.accesses[k]);
}

std::vector<Race> RaceDetector::add(const Access& access, bool* kept) {
  std::vector<Race> races;
  if (kept != nullptr) *kept = false;
  if (access.bytes.empty()) return races;
  for (int engine = 0; engine < kEngines; ++engine) {
    if (engine == access.engine) continue;
    compare(group(engine, access.memory, true), access, races);
    if (access.write) compare(group(engine, access.memory, false), access, races);
  }
  Group& own = group(access.engine, access.memory, access.write);
  if (own.knows(access)) return races;
  own.add(access);
  if (kept != nullptr) *kept = true;
  return races;
}

}  // namespace tensorlane::check
