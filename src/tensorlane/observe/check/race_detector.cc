#include "tensorlane/observe/check/race_detector.h"

#include <algorithm>

namespace tensorlane::check {

void RaceDetector::waited_for(int engine) {
  for (int memory = 0; memory < kMemories; ++memory) {
    for (const bool write : {false, true}) {
      Group& done = group(engine, memory, write);
      done.accesses.clear();
      done.npus = 0;
    }
  }
}

void RaceDetector::compare(const Group& others, const Access& access, std::vector<Race>& races) {
  const Range bounds = access.bytes.bounds();
  if (others.accesses.empty() || others.bounds.end <= bounds.begin ||
      bounds.end <= others.bounds.begin || (others.npus & access.bytes.shape->npus) == 0) {
    return;
  }
  for (const Access& other : others.accesses) {
    ++comparisons_;
    if (overlap(other.bytes, access.bytes)) races.push_back({other, access});
  }
}

std::vector<Race> RaceDetector::add(const Access& access) {
  std::vector<Race> races;
  if (access.bytes.empty()) return races;
  for (int engine = 0; engine < kEngines; ++engine) {
    if (engine == access.engine) continue;
    compare(group(engine, access.memory, true), access, races);
    if (access.write) compare(group(engine, access.memory, false), access, races);
  }

  Group& own = group(access.engine, access.memory, access.write);
  // A loop that touches the same bytes from the same line adds nothing new.
  const auto same = [&](const Access& other) {
    return other.source == access.source && other.bytes.shape == access.bytes.shape &&
           other.bytes.origin == access.bytes.origin;
  };
  const std::size_t recent = std::min<std::size_t>(own.accesses.size(), 8);
  if (std::any_of(own.accesses.end() - static_cast<std::ptrdiff_t>(recent), own.accesses.end(),
                  same)) {
    return races;
  }
  const Range bounds = access.bytes.bounds();
  own.bounds = own.accesses.empty() ? bounds
                                    : Range{std::min(own.bounds.begin, bounds.begin),
                                            std::max(own.bounds.end, bounds.end)};
  own.npus |= access.bytes.shape->npus;
  own.accesses.push_back(access);
  return races;
}

}  // namespace tensorlane::check
