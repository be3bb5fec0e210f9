#include "tensorlane/observe/why/touched_memory.h"

#include <algorithm>

namespace tensorlane::why {
namespace {

constexpr trail::Mark kTouched = 1;

bool any(const trail::MarkMap& map, trail::Range bytes) {
  bool found = false;
  map.visit(bytes, [&](std::int64_t, std::int64_t, trail::Mark mark) {
    found = mark != trail::kUnwritten;
    return !found;
  });
  return found;
}

// The ranges inside `part` that no mark is on.
void left_out(const trail::MarkMap& map, trail::Range part, std::vector<trail::Range>& out) {
  map.visit(part, [&](std::int64_t begin, std::int64_t end, trail::Mark mark) {
    if (mark == trail::kUnwritten) out.push_back({begin, end});
    return true;
  });
}

void add(std::vector<std::size_t>& lines, std::size_t line) {
  if (std::ranges::find(lines, line) == lines.end()) lines.push_back(line);
}

}  // namespace

// The allocation that a range of global memory lies in; null where there is none.
TouchedAllocation* TouchedMemory::find(const trail::Footprint& bytes, trail::Writer event) {
  if (bytes.empty()) return nullptr;
  const trail::Allocation* const allocation = allocations_.find(bytes.bounds().begin, event);
  if (allocation == nullptr) return nullptr;
  const auto found = std::ranges::find(touched_, allocation, &TouchedAllocation::allocation);
  if (found != touched_.end()) return &*found;
  return &touched_.emplace_back(TouchedAllocation{.allocation = allocation});
}

void TouchedMemory::read(const trail::Footprint& bytes, trail::Writer event, std::size_t line) {
  TouchedAllocation* const touched = find(bytes, event);
  if (touched == nullptr) return;
  add(touched->readers, line);
  read_.push_back(bytes);
}

void TouchedMemory::write(const trail::Footprint& bytes, trail::Writer event, std::size_t line) {
  if (TouchedAllocation* const touched = find(bytes, event)) add(touched->writers, line);
  written_.push_back(bytes);
}

void TouchedMemory::written_by_host(const trail::Footprint& bytes) {
  for (const trail::Range& run : trail::runs(bytes)) host_.assign(run, kTouched);
}

void TouchedMemory::finish(const trail::InitShadow& written, LaunchCommands& launch) {
  trail::MarkMap read, stored;
  for (const trail::Footprint& bytes : read_) read.assign(trail::runs(bytes), kTouched);
  for (const trail::Footprint& bytes : written_) stored.assign(trail::runs(bytes), kTouched);
  for (const trail::Allocation& each : allocations_.all()) {
    if (any(host_, each.bytes) && !any(read, each.bytes) && !any(stored, each.bytes))
      ++launch.unused_inputs;
  }
  for (TouchedAllocation& each : touched_) {
    const trail::Range all = each.allocation->bytes;
    if (!each.readers.empty()) {
      host_.visit(all, [&](std::int64_t begin, std::int64_t end, trail::Mark mark) {
        if (mark == kTouched) left_out(read, {begin, end}, each.unread);
        return true;
      });
    }
    if (each.writers.empty()) continue;
    std::vector<trail::Range> unwritten;
    left_out(stored, all, unwritten);
    for (const trail::Range& part : unwritten) {
      written.visit(static_cast<int>(Space::kGlobal), part,
                    [&](std::int64_t begin, std::int64_t end, trail::Mark mark) {
                      if (mark == trail::kUnwritten) each.unwritten.push_back({begin, end});
                      return true;
                    });
    }
  }
  launch.allocations = touched_;
}

}  // namespace tensorlane::why
