#include "tensorlane/trail/live_tensors.h"

#include <algorithm>
#include <cstdlib>

namespace tensorlane::trail {
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

// The same boxes, moved by less than a run.
bool moved_a_little(const Footprint& from, const Footprint& to) {
  const auto &a = from.shape->lanes, &b = to.shape->lanes;
  if (a.size() != b.size() || a.empty()) return false;
  const std::int64_t by = b[0].box.base - a[0].box.base;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const ByteBox &x = a[k].box, &y = b[k].box;
    const std::span<const ByteLoop> p = x.nest(), q = y.nest();
    if (a[k].first != b[k].first || a[k].count != b[k].count || y.base - x.base != by ||
        x.run != y.run || !std::equal(p.begin(), p.end(), q.begin(), q.end()) ||
        std::abs(by) >= x.run) {
      return false;
    }
  }
  return by != 0;
}

}  // namespace

void LiveTensors::clear() {
  states_.clear();
  writers_at_.clear();
  verdicts_.clear();
}

bool LiveTensors::write(Mark writer, Kind kind) {
  while (states_.size() < writer) {
    states_.emplace_back();
    const auto added = static_cast<Mark>(states_.size());
    const Writers::Writer& writer = writers_.get(added);
    writers_at_[place_of(writer.place, writer.bytes)].push_back(added);
  }
  State& state = states_[writer - 1];
  const bool unread = !state.read;
  state = {false, kind};
  return unread;
}

void LiveTensors::excuse_all(int core) {
  for (std::size_t k = 0; k < states_.size(); ++k) {
    if (writers_.get(static_cast<Mark>(k + 1)).place.core == core) states_[k].read = true;
  }
}

LiveTensors::Verdict LiveTensors::judge(Mark victim, Mark culprit, const Footprint& bytes) {
  const Question key{bytes.shape.get(), bytes.origin, victim, culprit};
  const auto found = verdicts_.find(key);
  if (found != verdicts_.end()) return found->second;
  const Footprint &a = writers_.get(victim).bytes, &b = writers_.get(culprit).bytes;
  const auto plain = [&](Mark writer) { return states_[writer - 1].kind == Kind::kPlain; };
  const bool partly = reads_whole(a, bytes) && !contains(b, a), inside = contains(a, b);
  Verdict verdict = Verdict::kFine;
  if (partly && !inside) {
    verdict = Verdict::kInTheWay;
  } else if (partly && plain(victim) && plain(culprit)) {
    verdict = Verdict::kInside;
  } else if (moved_a_little(b, bytes) && overlap(a, b)) {
    verdict = Verdict::kBeside;
  }
  verdicts_.emplace(key, verdict);
  return verdict;
}

std::optional<LiveTensors::Problem> LiveTensors::buried(const Footprint& bytes,
                                                        Mark culprit) const {
  const Writers::Writer& later = writers_.get(culprit);
  const auto same = writers_at_.find(place_of(later.place, bytes));
  if (same == writers_at_.end()) return std::nullopt;
  for (const Mark victim : same->second) {
    const State& state = states_[victim - 1];
    if (!state.read && state.kind == Kind::kPlain && writers_.get(victim).written < later.written &&
        !contains(bytes, later.bytes)) {
      return Problem{victim, culprit, false};
    }
  }
  return std::nullopt;
}

std::optional<LiveTensors::Problem> LiveTensors::read(const Footprint& bytes,
                                                      std::span<const Mark> writers) {
  for (const Mark writer : writers) excuse(writer);
  if (writers.size() == 1) return buried(bytes, writers.front());
  if (writers.empty() || writers.size() > kMaxWriters) return std::nullopt;
  for (const Mark victim : writers) {
    for (const Mark culprit : writers) {
      const Writers::Writer &later = writers_.get(culprit), &earlier = writers_.get(victim);
      if (later.place.core != earlier.place.core || later.written <= earlier.written) continue;
      const Verdict verdict = judge(victim, culprit, bytes);
      if (verdict != Verdict::kFine) {
        return Problem{victim, culprit, verdict == Verdict::kBeside, verdict == Verdict::kInside};
      }
    }
  }
  return std::nullopt;
}

}  // namespace tensorlane::trail
