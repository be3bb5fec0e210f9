#include "tensorlane/trail/command_dependences.h"

#include <algorithm>
#include <utility>

namespace tensorlane::trail {
namespace {

// Offsets inside an NPU in local memory, addresses in others.
Range range_of(const Footprint& bytes) {
  return bytes.shape->npu_bytes > 0 ? bytes.shape->lane_bounds : bytes.bounds();
}

bool same_place(const Footprint& a, const Footprint& b) {
  return a.shape == b.shape && a.origin == b.origin;
}

// True only where every byte of `inner` belongs to `outer`; quick, so it may miss some.
bool covers(const Footprint& outer, const Footprint& inner) {
  if (same_place(outer, inner)) return true;
  const Shape& shape = *outer.shape;
  const Range range = range_of(inner);
  if (shape.npu_bytes > 0) {
    if (shape.lanes.size() != 1 || shape.lanes[0].box.rank != 0) return false;
    const Range all = shape.lane_bounds;
    return all.begin <= range.begin && range.end <= all.end &&
           (inner.shape->npus & ~shape.npus) == 0;
  }
  const Range all = outer.bounds();
  return shape.boxes.size() == 1 && shape.boxes[0].rank == 0 && all.begin <= range.begin &&
         range.end <= all.end;
}

void sort_once(std::vector<CommandNumber>& numbers) {
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

}  // namespace

void Dependences::clear() {
  for (BoxIndex<Use>& uses : readers_) uses.clear();
  for (BoxIndex<Use>& uses : writers_) uses.clear();
  local_.clear();
  next_ = 0;
}

void Dependences::touch_local(Range range) {
  auto at = local_.upper_bound(range.begin);
  if (at != local_.begin() && std::prev(at)->second >= range.begin) --at;
  if (at != local_.end() && at->first <= range.begin && at->second >= range.end) return;
  while (at != local_.end() && at->first <= range.end) {
    range = {std::min(range.begin, at->first), std::max(range.end, at->second)};
    at = local_.erase(at);
  }
  local_.emplace(range.begin, range.end);
}

std::int64_t Dependences::local_bytes() const {
  std::int64_t bytes = 0;
  for (const auto& [begin, end] : local_) bytes += end - begin;
  return bytes;
}

const Dependent& Dependences::add(const Command& command) {
  checked_.assign(command, footprints_);
  found_.data.clear();
  found_.room.clear();
  found_.loaded = found_.read = 0;
  const auto each = [&](auto f) {
    for (int k = 0; k < checked_.size(); ++k) {
      if (!checked_.bytes(k).empty()) f(checked_.operand(k), checked_.bytes(k));
    }
  };
  each([&](const Operand& operand, const Footprint& bytes) {
    if (operand.space == Space::kLocal) {
      touch_local(range_of(bytes));
      (operand.writes() ? found_.loaded : found_.read) += bytes.shape->lane_used;
    }
    if (!operand.reads()) return;
    writers_[static_cast<std::size_t>(operand.space)].visit(standing(bytes), [&](const Use& use) {
      if (overlap(use.bytes, bytes)) found_.data.push_back(use.command);
      return false;
    });
  });
  // What it writes over is forgotten, after all that it reads was seen.
  each([&](const Operand& operand, const Footprint& bytes) {
    if (!operand.writes()) return;
    const auto space = static_cast<std::size_t>(operand.space);
    std::vector<CommandNumber>& after = operand.space == Space::kLocal ? found_.room : found_.data;
    const Standing at = standing(bytes);
    for (BoxIndex<Use>* const uses : {&readers_[space], &writers_[space]}) {
      uses->visit(at, [&](const Use& use) {
        if (overlap(use.bytes, bytes)) after.push_back(use.command);
        return covers(bytes, use.bytes);
      });
    }
  });
  each([&](const Operand& operand, const Footprint& bytes) {
    const auto space = static_cast<std::size_t>(operand.space);
    const Standing at = standing(bytes);
    const Use use{bytes, next_, command.engine()};
    // The latest of those with the same bytes and engine; its place is taken.
    const auto same = [&](const Use& other) {
      return other.engine == use.engine && same_place(other.bytes, use.bytes);
    };
    if (operand.reads()) {
      // Whoever comes after this one comes after that one too.
      Use& kept = readers_[space].find_or_add(at, use, same);
      const CommandNumber before = std::exchange(kept.command, next_);
      if (before != next_)
        (operand.space == Space::kLocal ? found_.room : found_.data).push_back(before);
    }
    if (operand.writes()) writers_[space].find_or_add(at, use, same).command = next_;
  });
  sort_once(found_.data);
  sort_once(found_.room);
  ++next_;
  return found_;
}

}  // namespace tensorlane::trail
