// Addresses for buffers that are needed at different times.
#ifndef TENSORLANE_LAYOUT_LAYER_PLACES_INTERNAL_H_
#define TENSORLANE_LAYOUT_LAYER_PLACES_INTERNAL_H_

#include <cstdint>
#include <vector>

namespace tensorlane::layer_places {

struct Item {
  int tensor, buffer;
  std::int64_t bytes;
  int first, last;  // commands, both inclusive
  bool always;      // beside everything

  bool meets(const Item& other) const {
    return always || other.always || (first <= other.last && other.first <= last);
  }
};

struct Placed {
  std::vector<std::int64_t> offsets;  // in the order of the items
  std::int64_t bytes = 0;             // of all: the highest end
};

// Each from a multiple of `unit` on. Stops looking at the first that takes at most `enough` bytes;
// up to six items every order is tried, one of which takes the least that any placement does.
Placed place(const std::vector<Item>& items, std::int64_t unit, std::int64_t enough);

}  // namespace tensorlane::layer_places

#endif  // TENSORLANE_LAYOUT_LAYER_PLACES_INTERNAL_H_
