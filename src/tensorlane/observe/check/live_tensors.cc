#include "tensorlane/observe/check/live_tensors.h"

#include <algorithm>

namespace tensorlane::check {
namespace {

std::int64_t bytes_of(const Footprint& footprint) {
  std::int64_t bytes = 0;
  for (const Range& range : runs(footprint)) bytes += range.bytes();
  return bytes;
}

// A reader of a tensor may leave out the gaps and dummies that the writer brought along.
bool reads_whole(const Footprint& tensor, const Footprint& read) {
  const Range a = tensor.bounds(), b = read.bounds();
  return a.begin == b.begin && b.end <= a.end && tensor.shape->npus == read.shape->npus &&
         contains(tensor, read) && 4 * bytes_of(read) >= 3 * bytes_of(tensor);
}

}  // namespace

void LiveTensors::clear() {
  writers_.clear();
  numbers_.clear();
  verdicts_.clear();
}

LiveTensors::Write LiveTensors::write(std::uint64_t source, const Footprint& bytes,
                                      std::uint64_t time, std::uint64_t tag) {
  const auto [entry, added] = numbers_.try_emplace(Key{source, bytes.shape.get(), bytes.origin},
                                                   static_cast<Mark>(writers_.size() + 1));
  Write result{.mark = entry->second};
  if (added) {
    writers_.push_back({source, bytes, tag, time, 0});
    return result;
  }
  Writer& writer = writers_[entry->second - 1];
  if (writer.read == 0) {
    result.unread = true;
    result.unread_tag = writer.tag;
  }
  writer.tag = tag;
  writer.written = time;
  writer.read = 0;
  return result;
}

bool LiveTensors::crosses(Mark victim, Mark culprit, const Footprint& bytes) {
  const Verdict key{bytes.shape.get(), bytes.origin, victim, culprit};
  const auto found = verdicts_.find(key);
  if (found != verdicts_.end()) return found->second;
  const Footprint &a = writer(victim).bytes, &b = writer(culprit).bytes;
  const bool crossing = reads_whole(a, bytes) && !contains(a, b) && !contains(b, a);
  verdicts_.emplace(key, crossing);
  return crossing;
}

std::optional<LiveTensors::Clobbered> LiveTensors::read(const Footprint& bytes,
                                                        std::span<const Mark> writers,
                                                        std::uint64_t time) {
  for (const Mark mark : writers) writers_[mark - 1].read = time;
  if (writers.size() < 2 || writers.size() > kMaxWriters) return std::nullopt;
  for (const Mark victim : writers) {
    for (const Mark culprit : writers) {
      if (victim != culprit && writer(culprit).written > writer(victim).written &&
          crosses(victim, culprit, bytes)) {
        return Clobbered{victim, culprit};
      }
    }
  }
  return std::nullopt;
}

}  // namespace tensorlane::check
