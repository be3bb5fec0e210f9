#include "tensorlane/observe/check/race_detector.h"

#include <algorithm>
#include <bit>

namespace tensorlane::check {
namespace {

// Where an access lies, as one range: offsets in the NPUs, or addresses of a linear memory. Two
// accesses to one memory can only conflict where these overlap.
trail::Range place(const Access& access) {
  return access.bytes.shape->npu_bytes > 0 ? access.bytes.shape->lane_bounds
                                           : access.bytes.bounds();
}

}  // namespace

bool RaceDetector::Group::knows(const Access& access) const {
  if (places != nullptr) return places->known.contains(same(access));
  return std::any_of(accesses.begin(), accesses.end(),
                     [&](const Access& other) { return same(other) == same(access); });
}

void RaceDetector::Group::add(const Access& access) {
  const trail::Range reach = access.bytes.bounds();
  bounds = accesses.empty()
               ? reach
               : trail::Range{std::min(bounds.begin, reach.begin), std::max(bounds.end, reach.end)};
  npus |= access.bytes.shape->npus;
  accesses.push_back(access);
  if (accesses.size() <= kFew) return;
  std::size_t k = accesses.size() - 1;
  if (places == nullptr) {
    places = std::make_unique<Places>();
    k = 0;
  }
  for (; k < accesses.size(); ++k) {
    places->ranges.add(place(accesses[k]), static_cast<std::uint32_t>(k));
    places->known.insert(same(accesses[k]));
  }
}

void RaceDetector::Group::clear() {
  accesses.clear();
  npus = 0;
  places.reset();
}

void RaceDetector::clear(std::uint64_t groups) {
  for (std::uint64_t left = groups & used_; left != 0; left &= left - 1)
    group(std::countr_zero(left)).clear();
  used_ &= ~groups;
}

void RaceDetector::waited_for(int engine) {
  constexpr std::uint64_t kOfOne = (std::uint64_t{1} << (kMemories * 2)) - 1;
  clear(kOfOne << index(engine, 0, false));
}

void RaceDetector::compare(const Group& others, const Access& access, std::vector<Race>& races) {
  const trail::Range bounds = access.bytes.bounds();
  if (others.accesses.empty() || others.bounds.end <= bounds.begin ||
      bounds.end <= others.bounds.begin || (others.npus & access.bytes.shape->npus) == 0) {
    return;
  }
  const auto look_at = [&](const Access& other) {
    ++comparisons_;
    if (overlap(other.bytes, access.bytes)) races.push_back({other, access});
  };
  if (others.places == nullptr) {
    for (const Access& other : others.accesses) look_at(other);
    return;
  }
  near_.clear();
  others.places->ranges.visit(place(access), [&](std::uint32_t k) { near_.push_back(k); });
  std::sort(near_.begin(), near_.end());
  for (const std::uint32_t k : near_) look_at(others.accesses[k]);
}

std::vector<Race> RaceDetector::add(const Access& access, bool* kept) {
  std::vector<Race> races;
  if (kept != nullptr) *kept = false;
  if (access.bytes.empty()) return races;
  for (int engine = 0; engine < kEngines; ++engine) {
    if (engine == access.engine) continue;
    compare(group(index(engine, access.memory, true)), access, races);
    if (access.write) compare(group(index(engine, access.memory, false)), access, races);
  }
  const int own = index(access.engine, access.memory, access.write);
  if (group(own).knows(access)) return races;
  group(own).add(access);
  used_ |= std::uint64_t{1} << own;
  if (kept != nullptr) *kept = true;
  return races;
}

}  // namespace tensorlane::check
