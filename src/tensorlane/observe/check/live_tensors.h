// Tensors of local memory that get in each other's way.
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
// is a fill; a write that covers all of A replaces it. None of these is reported.
//
// The other pattern is a tensor that is read beside where it was written, while older bytes fill
// the gap: the same shape, moved by less than one of its runs.
//
//   writer B       |==================|
//   reader      |==================|               the first bytes are from before B
#ifndef TENSORLANE_OBSERVE_CHECK_LIVE_TENSORS_H_
#define TENSORLANE_OBSERVE_CHECK_LIVE_TENSORS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "tensorlane/observe/check/footprint.h"
#include "tensorlane/observe/check/mark_map.h"

namespace tensorlane::check {

class LiveTensors {
 public:
  void clear();

  // The number of a writer: the same for the same source line and bytes, so that a loop that fills
  // the same buffers again costs nothing. `time` orders writes. Numbers start at 1.
  struct Write {
    Mark mark = 0;
    bool unread = false;  // it wrote the same bytes before, and nobody has read them since
  };
  // What a write has to do with the bytes that were there before.
  enum class Kind : std::uint8_t {
    kPlain,   // nothing: a copy or a result
    kFill,    // a constant
    kUpdate,  // computed from bytes of the same place
  };
  Write write(std::uint64_t source, const Footprint& bytes, std::uint64_t time,
              Kind kind = Kind::kPlain);

  // Who reads this write cannot be followed.
  void excuse(Mark writer, std::uint64_t time) { writers_[writer - 1].read = time; }
  void excuse_all(std::uint64_t time) {
    for (Writer& each : writers_) each.read = time;
  }

  // A command reads `bytes`, which hold what `writers` wrote.
  struct Problem {
    Mark victim, culprit;  // the older and the later writer
    bool beside;  // read beside where the later one wrote; else the later one is in the way
  };
  std::optional<Problem> read(const Footprint& bytes, std::span<const Mark> writers,
                              std::uint64_t time);

  struct Writer {
    std::uint64_t source = 0;
    Footprint bytes;
    Kind kind = Kind::kPlain;
    std::uint64_t written = 0;  // time of the last write
    std::uint64_t read = 0;     // time of the last read after it, 0: none
  };
  const Writer& writer(Mark mark) const { return writers_[mark - 1]; }
  std::span<const Writer> writers() const { return writers_; }

 private:
  enum class Verdict : std::uint8_t { kFine, kInTheWay, kBeside };
  Verdict judge(Mark victim, Mark culprit, const Footprint& bytes);

  static constexpr std::size_t kMaxWriters = 16;  // a tensor put together of more is no plan error
  using Key = std::tuple<std::uint64_t, const Shape*, std::int64_t>;
  using Question = std::tuple<const Shape*, std::int64_t, Mark, Mark>;

  std::vector<Writer> writers_;
  std::map<Key, Mark> numbers_;
  std::map<Question, Verdict> verdicts_;
};

}  // namespace tensorlane::check

#endif  // TENSORLANE_OBSERVE_CHECK_LIVE_TENSORS_H_
