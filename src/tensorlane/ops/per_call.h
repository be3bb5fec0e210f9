// What was found out about a call, for when the same call comes again.
#ifndef TENSORLANE_OPS_PER_CALL_H_
#define TENSORLANE_OPS_PER_CALL_H_

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
    if (entries_.empty()) entries_.resize(kEntries);
    const std::uint64_t number = command.known.number();
    Entry& entry = entries_[number % kEntries];
    if (number == 0 || entry.number != number) {
      entry.number = 0;
      find_out(entry.value);
      entry.number = number;
    }
    return entry.value;
  }

 private:
  static constexpr std::size_t kEntries = 256;
  struct Entry {
    std::uint64_t number = 0;
    T value = {};
  };
  std::vector<Entry> entries_;
};

}  // namespace tensorlane

#endif  // TENSORLANE_OPS_PER_CALL_H_
