// What elements of device memory would hold in double precision, and which lines their error is
// owed to.
//
// An element without a shadow holds what it should: it was never computed, or without error. Only
// pages that shadows were written to take memory.
#ifndef TENSORLANE_TRAIL_SHADOW_MEMORY_H_
#define TENSORLANE_TRAIL_SHADOW_MEMORY_H_

#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "tensorlane/chip/chip.h"
#include "tensorlane/tensor/dtype.h"

namespace tensorlane::trail {

// The two lines that have the largest part in an error; what others add is forgotten.
struct Blame {
  static constexpr std::uint16_t kNobody = 0xffff;
  std::array<std::uint16_t, 2> line = {kNobody, kNobody};
  std::array<float, 2> amount = {};  // of the error, with its sign

  void add(std::uint16_t of, double part);
};

struct Shadow {
  double value = 0;
  Blame blame = {};
  std::uint8_t type = 0;  // of the element, plus 1; 0: none
};

class ShadowMemory {
 public:
  // From here on local memory is that of this core.
  void select_core(int core) { core_ = core; }
  // That of the element of `dtype` at a byte; null where there is none.
  const Shadow* find(Space space, std::int64_t offset, Dtype dtype) const;
  // An element was written at a byte: with a shadow, or (null) without.
  void write(Space space, std::int64_t offset, Dtype dtype, const Shadow* shadow);
  // Somebody else wrote bytes.
  void forget(Space space, std::int64_t begin, std::int64_t end);
  // Whether there may be some in the bytes.
  bool any(Space space, std::int64_t begin, std::int64_t end) const;

  // Calls visit(offset, shadow) for those in the bytes, by address.
  template <class Visit>
  void visit(Space space, std::int64_t begin, std::int64_t end, Visit visit) const {
    for (std::int64_t page = begin / kPage; page * kPage < end; ++page) {
      const auto found = pages_.find(key(space, page));
      if (found == pages_.end()) continue;
      const Page& held = *found->second;
      for (std::size_t i = 0; i < held.shadows.size(); ++i) {
        const std::int64_t at = page * kPage + static_cast<std::int64_t>(i) * held.step;
        if (held.shadows[i].type != 0 && at >= begin && at < end) visit(at, held.shadows[i]);
      }
    }
  }

 private:
  static constexpr std::int64_t kPage = 1024;
  // The shadows of a page, one for every `step` bytes: the width of its narrowest elements.
  struct Page {
    std::int64_t step = 4;
    std::vector<Shadow> shadows;
  };
  std::uint64_t key(Space space, std::int64_t page) const {
    constexpr int kCore = 56;  // pages have fewer bits
    const auto core = static_cast<std::uint64_t>(space == Space::kLocal ? core_ : 0) << kCore;
    return core | static_cast<std::uint64_t>(page) << 3 | static_cast<std::uint64_t>(space);
  }
  // Null where there is none. Elements that follow each other ask for the same one.
  Page* page(std::uint64_t number) const {
    if (number != latest_number_) {
      const auto found = pages_.find(number);
      if (found == pages_.end()) return nullptr;
      latest_ = found->second.get();
      latest_number_ = number;
    }
    return latest_;
  }
  static void refine(Page& page, std::int64_t step);
  static void clear(Page& page, std::int64_t begin, std::int64_t end);

  int core_ = 0;
  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;  // none is ever taken away
  mutable std::uint64_t latest_number_ = ~std::uint64_t{0};
  mutable Page* latest_ = nullptr;
};

}  // namespace tensorlane::trail

#endif  // TENSORLANE_TRAIL_SHADOW_MEMORY_H_
