// What was found out about a call, for when the same call comes again.
#ifndef TENSORLANE_OPS_PER_CALL_H_
#define TENSORLANE_OPS_PER_CALL_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tensorlane/ops/command.h"

namespace tensorlane {

// Forgets a call when too many others come between.
template <class T>
class PerCall {
 public:
  // `find_out(T&)` is called where the call is not known. What is returned holds until the next
  // call of this.
  template <class FindOut>
  const T& get(const Command& command, FindOut find_out) {
    const std::uint64_t number = command.known.number();
    if (number >= entries_.size() && entries_.size() < kMost) grow(number);
    Entry& entry = entries_[number % entries_.size()];
    if (number == 0 || entry.number != number) {
      entry.number = 0;
      find_out(entry.value);
      entry.number = number;
    }
    return entry.value;
  }

 private:
  static constexpr std::size_t kFewest = 16, kMost = 256;
  struct Entry {
    std::uint64_t number = 0;
    T value = {};
  };
  // Numbers count up: as long as there are few, few pages are touched. Until there is the most room
  // every number is less than the room, so that none changes its place.
  void grow(std::uint64_t number) {
    const std::uint64_t wanted = std::bit_ceil(std::min<std::uint64_t>(number, kMost - 1) + 1);
    entries_.resize(std::max<std::size_t>(kFewest, wanted));
  }
  std::vector<Entry> entries_;
};

}  // namespace tensorlane

#endif  // TENSORLANE_OPS_PER_CALL_H_
