// The writers of a launch: who wrote which bytes of local memory, L2 or DTCM, as numbers that fit
// into marks.
#ifndef TENSORLANE_TRAIL_WRITERS_H_
#define TENSORLANE_TRAIL_WRITERS_H_

#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "tensorlane/trail/call.h"
#include "tensorlane/trail/footprint.h"
#include "tensorlane/trail/mark_map.h"

namespace tensorlane::trail {

class Writers {
 public:
  // The number of a memory, of which each core has a local one, and the core that writes there.
  struct Place {
    int memory = 0, core = 0;
    friend auto operator<=>(const Place&, const Place&) = default;  // NOLINT(modernize-use-nullptr)
  };
  struct Writer {
    Footprint bytes;
    Call call;
    Place place;
    std::uint64_t written = 0;  // time of the latest write; 0: not yet
  };

  void clear() {
    writers_.clear();
    numbers_.clear();
  }

  // The number, from 1, of the writer of `bytes` at `source` (an operand of a source line): the
  // same for the same ones, so that a loop that fills the same buffers again costs nothing.
  // `make_call` is asked when it is new.
  template <class F>
  Mark number(std::uint64_t source, Place place, const Footprint& bytes, F make_call) {
    const auto [entry, added] = numbers_.try_emplace(
        {source, place, bytes.shape.get(), bytes.origin}, static_cast<Mark>(writers_.size() + 1));
    if (added) writers_.push_back({bytes, make_call(), place, 0});
    return entry->second;
  }
  void wrote(Mark writer, std::uint64_t time) { writers_[writer - 1].written = time; }

  const Writer& get(Mark writer) const { return writers_[writer - 1]; }
  std::span<const Writer> all() const { return writers_; }

 private:
  std::vector<Writer> writers_;
  std::map<std::tuple<std::uint64_t, Place, const Shape*, std::int64_t>, Mark> numbers_;
};

}  // namespace tensorlane::trail

#endif  // TENSORLANE_TRAIL_WRITERS_H_
