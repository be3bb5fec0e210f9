// Tensors of local memory that get in each other's way, those of each core by themselves: what two
// cores write into one memory is told apart by what comes before what (core_clocks.h).
//
// Local memory has no allocator: a kernel adds up sizes by hand, and when a sum is wrong one tensor
// overwrites part of another. Every byte involved is written, in bounds and well synchronised, so
// only the pattern gives it away: a command reads a tensor just as one command wrote it, but part
// of it was overwritten since by a write that also reaches outside of it.
//
//   writer A  |==================|
//   writer B                 |=========|      later, crosses the end of A
//   reader    |==================|            reads what A wrote: part of it is B's
//
// A write that stays inside A is an update in place when its command reads A, and padding when it
// is a fill; a write that covers all of A replaces it. None of these is reported, but for a larger
// write over a tensor that nobody has read, which a reader then looks for in its place. What else
// is written inside A may well be meant: such problems are told apart.
//
// The other pattern is a tensor that is read beside where it was written, while older bytes fill
// the gap: the same shape, moved by less than one of its runs.
//
//   writer B       |==================|
//   reader      |==================|               the first bytes are from before B
#ifndef TENSORLANE_TRAIL_LIVE_TENSORS_H_
#define TENSORLANE_TRAIL_LIVE_TENSORS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "tensorlane/trail/footprint.h"
#include "tensorlane/trail/writers.h"

namespace tensorlane::trail {

class LiveTensors {
 public:
  explicit LiveTensors(const Writers& writers) : writers_(writers) {}
  void clear();

  // What a write has to do with the bytes that were there before.
  enum class Kind : std::uint8_t {
    kPlain,   // nothing: a copy or a result
    kFill,    // a constant
    kUpdate,  // computed from bytes of the same place
  };
  // Enters a write. True when it wrote the same bytes before and nobody has read them since.
  bool write(Mark writer, Kind kind = Kind::kPlain);

  // Who reads this write cannot be followed.
  void excuse(Mark writer) { states_[writer - 1].read = true; }
  // The same of all that a core has written, wherever.
  void excuse_all(int core = 0);
  // Nobody read what it wrote last.
  bool unread(Mark writer) const { return !states_[writer - 1].read; }

  // A command reads `bytes`, which hold what `writers` wrote.
  struct Problem {
    Mark victim, culprit;  // the older and the later writer
    bool beside;          // read beside where the later one wrote; else the later one is in the way
    bool inside = false;  // the later one wrote a part of the tensor and nothing else
  };
  [[gnu::hot]] std::optional<Problem> read(const Footprint& bytes, std::span<const Mark> writers);

 private:
  struct State {
    bool read = true;  // since the last write
    Kind kind = Kind::kPlain;
  };
  enum class Verdict : std::uint8_t { kFine, kInTheWay, kInside, kBeside };
  Verdict judge(Mark victim, Mark culprit, const Footprint& bytes);
  // All that is read is a part of what `culprit` wrote.
  [[gnu::hot]] std::optional<Problem> buried(const Footprint& bytes, Mark culprit) const;

  static constexpr std::size_t kMaxWriters = 16;  // a tensor put together of more is no plan error
  using Question = std::tuple<const Shape*, std::int64_t, Mark, Mark>;

  const Writers& writers_;
  using Place = std::tuple<Writers::Place, const Shape*, std::int64_t>;
  static Place place_of(const Writers::Place& place, const Footprint& bytes) {
    return {place, bytes.shape.get(), bytes.origin};
  }

  std::vector<State> states_;  // of the writers
  std::map<Place, std::vector<Mark>> writers_at_;
  std::map<Question, Verdict> verdicts_;
};

}  // namespace tensorlane::trail

#endif  // TENSORLANE_TRAIL_LIVE_TENSORS_H_
