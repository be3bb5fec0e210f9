// What elements of device memory would hold in double precision, and which lines their error is
// owed to.
//
// An element without a shadow holds what it should: it was never computed, or without error. Only
// pages that shadows were written to take memory.
#ifndef TENSORLANE_TRAIL_SHADOW_MEMORY_H_
#define TENSORLANE_TRAIL_SHADOW_MEMORY_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tensorlane/chip/chip.h"
#include "tensorlane/tensor/dtype.h"

namespace tensorlane::trail {

// The two lines that have the largest part in an error; what others add is forgotten.
struct Blame {
  static constexpr std::uint16_t kNobody = 0xffff;
  std::array<std::uint16_t, 2> line = {kNobody, kNobody};
  std::array<float, 2> amount = {};  // of the error, with its sign

  void add(std::uint16_t of, double part) {
    if (part == 0 || std::isnan(part)) return;
    const auto more = static_cast<float>(part);
    if (line[0] == of) {
      amount[0] += more;
    } else if (line[1] == of) {
      amount[1] += more;
      if (std::abs(amount[1]) > std::abs(amount[0])) {
        std::swap(line[0], line[1]);
        std::swap(amount[0], amount[1]);
      }
    } else if (line[0] == kNobody || std::abs(part) > std::abs(amount[0])) {
      line[1] = line[0];
      amount[1] = amount[0];
      line[0] = of;
      amount[0] = more;
    } else if (line[1] == kNobody || std::abs(part) > std::abs(amount[1])) {
      line[1] = of;
      amount[1] = more;
    }
  }
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

  // A row of elements of `dtype`, the first at byte `offset`, the next ones `step` bytes on each.
  struct Row {
    Space space = Space::kLocal;
    std::int64_t offset = 0, count = 0, step = 0;
    Dtype dtype = Dtype::kFp32;
  };
  // Calls visit(i, shadow) for those elements of the row that have one, by i.
  template <class Visit>
  void visit_row(const Row& row, Visit visit) const {
    each_page(row,
              [&](std::uint64_t number, std::int64_t at, std::int64_t begin, std::int64_t end) {
                const auto found = pages_.find(number);
                if (found == pages_.end()) return;
                const Page& page = *found->second;
                for (std::int64_t i = begin; i < end; ++i, at += row.step) {
                  if (const Shadow* const shadow = held_at(page, at, row.dtype)) visit(i, *shadow);
                }
              });
  }
  // The row was written: one shadow per element, without a type where there is none.
  void write_row(const Row& row, std::span<const Shadow> shadows);

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
  // Calls visit(page, offset in it of the first, first, end) for the elements that begin in one
  // page after the other.
  template <class Visit>
  void each_page(const Row& row, Visit visit) const {
    for (std::int64_t i = 0, end = 0; i < row.count; i = end) {
      const std::int64_t offset = row.offset + i * row.step, at = offset % kPage;
      end = row.step > 0    ? std::min(row.count, i + (kPage - at + row.step - 1) / row.step)
            : row.step == 0 ? row.count
                            : i + 1;
      visit(key(row.space, offset / kPage), at, i, end);
    }
  }
  // That of an element at an offset of the page; null where there is none.
  static const Shadow* held_at(const Page& page, std::int64_t at, Dtype dtype) {
    if (at % page.step != 0) return nullptr;
    const Shadow& shadow = page.shadows[static_cast<std::size_t>(at / page.step)];
    if (shadow.type == 0) return nullptr;
    const auto held = static_cast<Dtype>(shadow.type - 1);
    if (held == dtype) return &shadow;
    // Copies move bits of a width, whatever they mean.
    const bool raw = dtype <= Dtype::kX32;
    return raw && dtype_bits(held) == dtype_bits(dtype) ? &shadow : nullptr;
  }
  Page& page_for(std::uint64_t number, std::int64_t width);
  static void refine(Page& page, std::int64_t step);
  static void clear(Page& page, std::int64_t begin, std::int64_t end);

  int core_ = 0;
  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;  // none is ever taken away
  mutable std::uint64_t latest_number_ = ~std::uint64_t{0};
  mutable Page* latest_ = nullptr;
};

}  // namespace tensorlane::trail

#endif  // TENSORLANE_TRAIL_SHADOW_MEMORY_H_
