#include "tensorlane/layout/fold.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "tensorlane/base/error.h"

namespace tensorlane {
namespace {

using Strides = std::array<std::int64_t, kMaxFoldOperands>;

// What is left of one operand's digits while a dimension is being split.
struct Cursor {
  std::array<Digit, Layout::kMaxDigits> digits{};  // innermost first
  int count = 0;
  std::int64_t position = 0;  // index + offset, in steps of digits[0]

  std::int64_t address(std::int64_t at) const {
    std::int64_t sum = 0;
    for (int k = 0; k + 1 < count; ++k) {
      sum += at % digits[k].extent * digits[k].stride;
      at /= digits[k].extent;
    }
    return sum + at * digits[count - 1].stride;
  }
};

// A part of one dimension that is affine for every operand.
struct Piece {
  Strides base{};
  int rank = 0;
  std::array<Loop, kMaxLoops> loops;  // outermost first

  void add(const Loop& loop) {
    TL_INTERNAL_CHECK(rank < static_cast<int>(loops.size()));
    loops[static_cast<std::size_t>(rank++)] = loop;
  }
  std::span<const Loop> nest() const { return {loops.data(), static_cast<std::size_t>(rank)}; }
};

class Splitter {
 public:
  explicit Splitter(int operands) : operands_(operands) {}

  // Splits `extent` consecutive indices into affine pieces, in index order.
  void split(std::int64_t extent, const std::array<Cursor, kMaxFoldOperands>& cursors,
             std::vector<Piece>& out) const {
    std::int64_t radix = 0;  // smallest inner extent of an operand that still has several digits
    for (int k = 0; k < operands_; ++k) {
      if (cursors[k].count > 1 && (radix == 0 || cursors[k].digits[0].extent < radix)) {
        radix = cursors[k].digits[0].extent;
      }
    }
    if (radix == 0) {
      out.push_back(affine(extent, cursors, 0));
    } else if (aligned(radix, cursors)) {
      split_by_radix(extent, radix, cursors, out);
    } else {
      split_at_carries(extent, cursors, out);
    }
  }

 private:
  // All operands carry into their next digit at the same indices (every `radix` of them).
  bool aligned(std::int64_t radix, const std::array<Cursor, kMaxFoldOperands>& cursors) const {
    std::int64_t phase = -1;
    for (int k = 0; k < operands_; ++k) {
      if (cursors[k].count == 1) continue;
      if (cursors[k].digits[0].extent % radix != 0) return false;
      const std::int64_t own = cursors[k].position % radix;
      if (phase >= 0 && own != phase) return false;
      phase = own;
    }
    return true;
  }

  Piece affine(std::int64_t extent, const std::array<Cursor, kMaxFoldOperands>& cursors,
               std::int64_t skip) const {
    Piece piece;
    Loop loop{extent, {}};
    for (int k = 0; k < operands_; ++k) {
      piece.base[k] = cursors[k].address(cursors[k].position + skip);
      loop.stride[k] = cursors[k].digits[0].stride;
    }
    piece.add(loop);
    return piece;
  }

  void split_by_radix(std::int64_t extent, std::int64_t radix,
                      const std::array<Cursor, kMaxFoldOperands>& cursors,
                      std::vector<Piece>& out) const {
    std::int64_t phase = 0;
    for (int k = 0; k < operands_; ++k) {
      if (cursors[k].count > 1) phase = cursors[k].position % radix;
    }
    const std::int64_t head = phase == 0 ? 0 : std::min(extent, radix - phase);
    if (head > 0) out.push_back(affine(head, cursors, 0));
    const std::int64_t blocks = (extent - head) / radix;
    if (blocks > 0) {
      std::array<Cursor, kMaxFoldOperands> outer{};
      Loop inner{radix, {}};
      Strides inner_base{};  // an affine operand may start in the middle of a block
      for (int k = 0; k < operands_; ++k) {
        const Cursor& from = cursors[k];
        Cursor& to = outer[k];
        const std::int64_t position = from.position + head;
        inner.stride[k] = from.digits[0].stride;
        if (from.count > 1 && from.digits[0].extent == radix) {
          to.count = from.count - 1;
          std::copy_n(from.digits.begin() + 1, to.count, to.digits.begin());
        } else {
          to = from;
          to.digits[0] = {from.digits[0].extent / radix, from.digits[0].stride * radix};
        }
        to.position = position / radix;
        inner_base[k] = position % radix * from.digits[0].stride;
      }
      const std::size_t first = out.size();
      split(blocks, outer, out);
      for (std::size_t i = first; i < out.size(); ++i) {
        out[i].add(inner);
        for (int k = 0; k < operands_; ++k) out[i].base[k] += inner_base[k];
      }
    }
    const std::int64_t done = head + blocks * radix;
    if (done < extent) out.push_back(affine(extent - done, cursors, done));
  }

  // The carries of the operands fall on different indices: cut at each of them.
  void split_at_carries(std::int64_t extent, const std::array<Cursor, kMaxFoldOperands>& cursors,
                        std::vector<Piece>& out) const {
    for (std::int64_t done = 0; done < extent;) {
      std::int64_t length = extent - done;
      for (int k = 0; k < operands_; ++k) {
        if (cursors[k].count == 1) continue;
        const std::int64_t radix = cursors[k].digits[0].extent;
        length = std::min(length, radix - (cursors[k].position + done) % radix);
      }
      out.push_back(affine(length, cursors, done));
      done += length;
    }
  }

  int operands_;
};

void add_loop(Box& box, const Loop& loop) {
  if (loop.extent == 1) return;
  TL_INTERNAL_CHECK(box.rank < kMaxLoops);
  box.loops[box.rank++] = loop;
}

void add_piece(Box& box, const Piece& piece, int operands) {
  for (int k = 0; k < operands; ++k) box.base[k] += piece.base[k];
  for (const Loop& loop : piece.nest()) add_loop(box, loop);
}

// Most dimensions are one loop: those that no operand carries in, as their indices stay inside the
// first digit. Nothing where a dimension may be more, or is empty.
std::optional<Loop> single_loop(std::span<const Layout* const> layouts, int d) {
  Loop loop{layouts[0]->extent(d), {}};
  if (loop.extent == 0) return {};
  for (std::size_t k = 0; k < layouts.size(); ++k) {
    const std::span<const Digit> digits = layouts[k]->digits(d);
    const std::int64_t offset = layouts[k]->offset(d);
    if (digits.size() > 1 && (offset < 0 || offset + loop.extent > digits[0].extent)) return {};
    loop.stride[k] = digits[0].stride;
  }
  return loop;
}

// Largest strides first. Few, and mostly in order: no reason to ask for memory, as std::stable_sort
// does.
void sort_loops(Box& box) {
  const auto begin = box.loops.begin();
  for (int i = 1; i < box.rank; ++i) {
    const auto loop = begin + i;
    const auto at = std::upper_bound(begin, loop, *loop, [](const Loop& a, const Loop& b) {
      return std::abs(a.stride[0]) > std::abs(b.stride[0]);
    });
    std::rotate(at, loop, loop + 1);
  }
}

void merge_loops(Box& box, int operands) {
  int kept = 0;
  for (int i = 0; i < box.rank; ++i) {
    const Loop& inner = box.loops[i];
    bool fuses = kept > 0;
    for (int k = 0; fuses && k < operands; ++k) {
      fuses = box.loops[kept - 1].stride[k] == inner.extent * inner.stride[k];
    }
    if (fuses) {
      box.loops[kept - 1] = {box.loops[kept - 1].extent * inner.extent, inner.stride};
    } else {
      box.loops[kept++] = inner;
    }
  }
  box.rank = kept;
}

// Boxes of addresses that are yet to be swizzled, cut until each is affine afterwards: inside a run
// of the swizzle all elements move alike, and so do those a period apart.
class UnswizzledBoxes {
 public:
  explicit UnswizzledBoxes(std::span<const Layout* const> layouts) : layouts_(layouts) {}

  std::vector<Box> of(const std::vector<Box>& boxes) {
    for (const Box& box : boxes) cut(box);
    return std::move(result_);
  }

 private:
  std::int64_t run(std::size_t k) const {
    return layouts_[k]->swizzle().run() * layouts_[k]->element_units();
  }
  std::int64_t period(std::size_t k) const {
    return layouts_[k]->swizzle().period() * layouts_[k]->element_units();
  }

  // The loop that has to be cut for operand `k`, -1 where the box is affine as it is.
  int crossing(const Box& box, std::size_t k) const {
    std::int64_t low = box.base[k], high = low;
    int widest = -1;
    for (int i = 0; i < box.rank; ++i) {
      const std::int64_t stride = box.loops[i].stride[k];
      if (stride % period(k) == 0) continue;
      (stride < 0 ? low : high) += stride * (box.loops[i].extent - 1);
      if (widest < 0 || std::abs(stride) > std::abs(box.loops[widest].stride[k])) widest = i;
    }
    return low / run(k) == high / run(k) ? -1 : widest;
  }

  void cut(const Box& box) {
    for (std::size_t k = 0; k < layouts_.size(); ++k) {
      if (!layouts_[k]->swizzle()) continue;
      const int at = crossing(box, k);
      if (at < 0) continue;
      // In steps of a period, of a run, or one by one.
      const Loop loop = box.loops[at];
      const std::int64_t stride = std::abs(loop.stride[k]);
      for (const std::int64_t step : {period(k), run(k)}) {
        if (stride == 0 || step % stride != 0 || step / stride >= loop.extent || step == stride ||
            box.rank == kMaxLoops)
          continue;
        return cut_in_steps(box, at, step / stride);
      }
      return one_by_one(box, at);
    }
    Box moved = box;
    for (std::size_t k = 0; k < layouts_.size(); ++k)
      moved.base[k] = layouts_[k]->swizzled(box.base[k]);
    result_.push_back(moved);
  }

  void cut_in_steps(const Box& box, int at, std::int64_t length) {
    const Loop loop = box.loops[at];
    Box steps = box;
    Loop outer{loop.extent / length, loop.stride};
    for (std::size_t k = 0; k < layouts_.size(); ++k) outer.stride[k] *= length;
    steps.loops[at].extent = length;
    std::copy_backward(steps.loops.begin() + at, steps.loops.begin() + steps.rank,
                       steps.loops.begin() + steps.rank + 1);
    steps.loops[at] = outer;
    ++steps.rank;
    cut(steps);
    const std::int64_t done = outer.extent * length;
    if (done == loop.extent) return;
    Box tail = box;
    tail.loops[at].extent = loop.extent - done;
    for (std::size_t k = 0; k < layouts_.size(); ++k) tail.base[k] += done * loop.stride[k];
    cut(tail);
  }

  void one_by_one(const Box& box, int at) {
    Box one = box;
    const Loop loop = box.loops[at];
    std::copy(one.loops.begin() + at + 1, one.loops.begin() + one.rank, one.loops.begin() + at);
    --one.rank;
    for (std::int64_t i = 0; i < loop.extent; ++i) {
      cut(one);
      for (std::size_t k = 0; k < layouts_.size(); ++k) one.base[k] += loop.stride[k];
    }
  }

  std::span<const Layout* const> layouts_;
  std::vector<Box> result_;
};

}  // namespace

std::int64_t Box::size() const {
  std::int64_t size = 1;
  for (const Loop& loop : nest()) size *= loop.extent;
  return size;
}

std::vector<Box> fold(std::span<const Layout* const> layouts, LoopOrder order) {
  const int operands = static_cast<int>(layouts.size());
  TL_INTERNAL_CHECK(operands >= 1 && operands <= kMaxFoldOperands);
  const Layout& first = *layouts[0];
  const Splitter splitter(operands);

  std::vector<Box> boxes(1);
  for (int k = 0; k < operands; ++k) boxes[0].base[k] = layouts[k]->base();
  std::vector<Piece> pieces;
  for (int d = 0; d < first.rank(); ++d) {
    for (const Layout* layout : layouts)
      TL_INTERNAL_CHECK(layout->rank() == first.rank() && layout->extent(d) == first.extent(d));
    if (std::optional<Loop> loop = single_loop(layouts, d)) {
      for (Box& box : boxes) {
        for (int k = 0; k < operands; ++k) box.base[k] += layouts[k]->offset(d) * loop->stride[k];
        add_loop(box, *loop);
      }
      continue;
    }
    std::array<Cursor, kMaxFoldOperands> cursors{};
    for (int k = 0; k < operands; ++k) {
      const Layout& layout = *layouts[k];
      const std::span<const Digit> digits = layout.digits(d);
      TL_INTERNAL_CHECK(digits.size() <= cursors[k].digits.size());
      std::copy(digits.begin(), digits.end(), cursors[k].digits.begin());
      cursors[k].count = static_cast<int>(digits.size());
      cursors[k].position = layout.offset(d);
    }
    if (first.extent(d) == 0) return {};
    pieces.clear();
    splitter.split(first.extent(d), cursors, pieces);
    if (pieces.size() == 1) {
      for (Box& box : boxes) add_piece(box, pieces.front(), operands);
      continue;
    }
    std::vector<Box> next;
    next.reserve(boxes.size() * pieces.size());
    for (const Box& box : boxes) {
      for (const Piece& piece : pieces) add_piece(next.emplace_back(box), piece, operands);
    }
    boxes = std::move(next);
  }
  if (std::any_of(layouts.begin(), layouts.end(),
                  [](const Layout* each) { return bool(each->swizzle()); }))
    boxes = UnswizzledBoxes(layouts).of(boxes);
  for (Box& box : boxes) {
    if (order == LoopOrder::kByAddress) sort_loops(box);
    merge_loops(box, operands);
  }
  return boxes;
}

bool nested(const Box& box, int k, std::int64_t element_units) {
  std::array<std::pair<std::int64_t, std::int64_t>, kMaxLoops> loops;  // |stride|, extent
  for (int i = 0; i < box.rank; ++i)
    loops[i] = {std::abs(box.loops[i].stride[k]), box.loops[i].extent};
  std::sort(loops.begin(), loops.begin() + box.rank);
  std::int64_t reach = element_units;  // units spanned by the loops so far
  for (int i = 0; i < box.rank; ++i) {
    if (loops[i].first < reach) return false;
    reach += (loops[i].second - 1) * loops[i].first;
  }
  return true;
}

}  // namespace tensorlane
