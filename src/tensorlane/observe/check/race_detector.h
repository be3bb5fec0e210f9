// The race rule: two commands of different engines, between one parallel_start and its
// parallel_end, that touch a common byte, at least one of them writing it.
//
// Inside a parallel region only the commands of one engine are ordered among themselves; the region
// as a whole is ordered against everything before and after it [doc]. So the rule needs no clock
// and does not depend on the order in which the emulator ran: it compares the footprints of each
// engine with those of the other one, where they lie near each other. Work memory counts as
// written.
#ifndef TENSORLANE_OBSERVE_CHECK_RACE_DETECTOR_H_
#define TENSORLANE_OBSERVE_CHECK_RACE_DETECTOR_H_

#include <array>
#include <cstdint>
#include <memory>
#include <set>
#include <tuple>
#include <vector>

#include "tensorlane/trail/footprint.h"
#include "tensorlane/trail/range_index.h"

namespace tensorlane::check {

// One operand of one command.
struct Access {
  int engine = 0;            // below kEngines; accesses of one engine are ordered
  int memory = 0;            // which memory
  bool write = false;        // reads are ordered with reads
  std::uint64_t tag = 0;     // the caller's name for command and operand
  std::uint64_t source = 0;  // accesses of one source line are reported once per region
  trail::Footprint bytes;
};

struct Race {
  Access earlier;  // in issue order
  Access later;
};

class RaceDetector {
 public:
  static constexpr int kEngines = 4;

  // A region opens (also after a missing end) or closes.
  void begin_region() { clear(used_); }
  void end_region() { clear(used_); }

  // The processor waited for an engine inside the region: what it did comes before all that
  // follows.
  void waited_for(int engine);

  // Enters an access of the open region and returns the races it makes, in issue order of the
  // earlier access. `kept`: later accesses will be compared with it; one of the same line to the
  // same bytes as before adds nothing new.
  [[gnu::hot]] std::vector<Race> add(const Access& access, bool* kept = nullptr);

  // Accesses compared pair by pair so far: what the detector costs.
  std::uint64_t comparisons() const { return comparisons_; }

 private:
  static constexpr int kMemories = 8;
  // Up to here all accesses of a group are looked at, one by one.
  static constexpr std::size_t kFew = 16;
  using Same =
      std::tuple<std::uint64_t, const trail::Shape*, std::int64_t>;  // source line and bytes
  static Same same(const Access& access) {
    return {access.source, access.bytes.shape.get(), access.bytes.origin};
  }
  // Where the accesses of a group are, and which.
  struct Places {
    trail::RangeIndex ranges;
    std::set<Same> known;
  };
  // The accesses of one engine to one memory. `bounds` and `npus` cover all of them.
  struct Group {
    std::vector<Access> accesses;
    trail::Range bounds{0, 0};
    std::uint64_t npus = 0;
    std::unique_ptr<Places> places;  // of more than a few accesses

    bool knows(const Access& access) const;
    [[gnu::hot]] void add(const Access& access);
    void clear();
  };
  static int index(int engine, int memory, bool write) {
    return (engine * kMemories + memory) * 2 + (write ? 1 : 0);
  }
  Group& group(int index) { return groups_[static_cast<std::size_t>(index)]; }
  void clear(std::uint64_t groups);
  void compare(const Group& others, const Access& access, std::vector<Race>& races);

  std::array<Group, kEngines * kMemories * 2> groups_;
  std::uint64_t used_ = 0;  // bit k: group k has accesses
  std::vector<std::uint32_t> near_;
  std::uint64_t comparisons_ = 0;
};

}  // namespace tensorlane::check

#endif  // TENSORLANE_OBSERVE_CHECK_RACE_DETECTOR_H_
