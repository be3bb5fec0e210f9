#include "tensorlane/observe/why/touched_memory.h"

#include <algorithm>

namespace tensorlane::why {
namespace {

constexpr check::Mark kTouched = 1;

bool any(const check::MarkMap& map, check::Range bytes) {
  bool found = false;
  map.visit(bytes, [&](std::int64_t, std::int64_t, check::Mark mark) {
    found = mark != check::kUnwritten;
    return !found;
  });
  return found;
}

// The ranges inside `part` that no mark is on.
void left_out(const check::MarkMap& map, check::Range part, std::vector<check::Range>& out) {
  map.visit(part, [&](std::int64_t begin, std::int64_t end, check::Mark mark) {
    if (mark == check::kUnwritten) out.push_back({begin, end});
    return true;
  });
}

void add(std::vector<std::size_t>& lines, std::size_t line) {
  if (std::ranges::find(lines, line) == lines.end()) lines.push_back(line);
}

}  // namespace

// The allocation that a range of global memory lies in; null where there is none.
TouchedAllocation* TouchedMemory::find(const check::Footprint& bytes, Writer event) {
  if (bytes.empty()) return nullptr;
  const Allocation* const allocation = allocations_.find(bytes.bounds().begin, event);
  if (allocation == nullptr) return nullptr;
  const auto found = std::ranges::find(touched_, allocation, &TouchedAllocation::allocation);
  if (found != touched_.end()) return &*found;
  return &touched_.emplace_back(TouchedAllocation{.allocation = allocation});
}

void TouchedMemory::read(const check::Footprint& bytes, Writer event, std::size_t line) {
  TouchedAllocation* const touched = find(bytes, event);
  if (touched == nullptr) return;
  add(touched->readers, line);
  read_.push_back(bytes);
}

void TouchedMemory::write(const check::Footprint& bytes, Writer event, std::size_t line) {
  if (TouchedAllocation* const touched = find(bytes, event)) add(touched->writers, line);
  written_.push_back(bytes);
}

void TouchedMemory::written_by_host(const check::Footprint& bytes) {
  for (const check::Range& run : check::runs(bytes)) host_.assign(run, kTouched);
}

void TouchedMemory::finish(const check::InitShadow& written, LaunchCommands& launch) {
  check::MarkMap read, stored;
  for (const check::Footprint& bytes : read_) read.assign(check::runs(bytes), kTouched);
  for (const check::Footprint& bytes : written_) stored.assign(check::runs(bytes), kTouched);
  for (const Allocation& each : allocations_.all()) {
    if (any(host_, each.bytes) && !any(read, each.bytes) && !any(stored, each.bytes))
      ++launch.unused_inputs;
  }
  for (TouchedAllocation& each : touched_) {
    const check::Range all = each.allocation->bytes;
    if (!each.readers.empty()) {
      host_.visit(all, [&](std::int64_t begin, std::int64_t end, check::Mark mark) {
        if (mark == kTouched) left_out(read, {begin, end}, each.unread);
        return true;
      });
    }
    if (each.writers.empty()) continue;
    std::vector<check::Range> unwritten;
    left_out(stored, all, unwritten);
    for (const check::Range& part : unwritten) {
      written.visit(static_cast<int>(Space::kGlobal), part,
                    [&](std::int64_t begin, std::int64_t end, check::Mark mark) {
                      if (mark == check::kUnwritten) each.unwritten.push_back({begin, end});
                      return true;
                    });
    }
  }
  launch.allocations = touched_;
}

}  // namespace tensorlane::why
