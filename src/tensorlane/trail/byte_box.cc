#include "tensorlane/trail/byte_box.h"

#include <algorithm>

namespace tensorlane::trail {

Range ByteBox::bounds() const {
  std::int64_t end = base + run;
  for (const ByteLoop& loop : nest()) end += (loop.extent - 1) * loop.stride;
  return {base, end};
}

std::int64_t ByteBox::count() const {
  std::int64_t count = 1;
  for (const ByteLoop& loop : nest()) count *= loop.extent;
  return count;
}

bool ByteBox::ascending() const {
  std::int64_t reach = run;
  for (int k = rank - 1; k >= 0; --k) {
    const ByteLoop& loop = loops[static_cast<std::size_t>(k)];
    if (loop.stride <= reach) return false;
    reach += (loop.extent - 1) * loop.stride;
  }
  return true;
}

void normalise(ByteBox& box) {
  int kept = 0;
  for (int k = 0; k < box.rank; ++k) {
    ByteLoop loop = box.loops[static_cast<std::size_t>(k)];
    if (loop.extent == 1 || loop.stride == 0) continue;
    if (loop.stride < 0) {
      box.base += loop.stride * (loop.extent - 1);
      loop.stride = -loop.stride;
    }
    box.loops[static_cast<std::size_t>(kept++)] = loop;
  }
  // Few, and mostly in order: no reason to ask for memory, as std::stable_sort does.
  for (int k = 1; k < kept; ++k) {
    const auto begin = box.loops.begin(), loop = begin + k;
    const auto at = std::upper_bound(begin, loop, *loop, [](const ByteLoop& a, const ByteLoop& b) {
      return a.stride > b.stride;
    });
    std::rotate(at, loop, loop + 1);
  }
  // A loop whose steps the run reaches across makes the run longer.
  while (kept > 0 && box.loops[static_cast<std::size_t>(kept) - 1].stride <= box.run) {
    const ByteLoop& loop = box.loops[static_cast<std::size_t>(--kept)];
    box.run += (loop.extent - 1) * loop.stride;
  }
  // An inner loop that fills the steps of the next outer one continues it.
  int rank = 0;
  for (int k = 0; k < kept; ++k) {
    ByteLoop loop = box.loops[static_cast<std::size_t>(k)];
    while (rank > 0) {
      const ByteLoop& outer = box.loops[static_cast<std::size_t>(rank) - 1];
      if (outer.stride % loop.stride != 0 || loop.extent * loop.stride < outer.stride) break;
      loop.extent += (outer.extent - 1) * (outer.stride / loop.stride);
      --rank;
    }
    box.loops[static_cast<std::size_t>(rank++)] = loop;
  }
  box.rank = rank;
}

void collect_runs(std::span<const ByteBox> boxes, std::int64_t origin, std::vector<Range>& out) {
  const std::size_t start = out.size();
  bool sorted = true;
  for (const ByteBox& box : boxes) {
    const std::int64_t begin = box.base + origin;
    sorted = sorted && box.ascending() && (out.size() == start || out.back().end < begin);
    for_each_run(box, origin, [&](std::int64_t from, std::int64_t to) {
      out.push_back({from, to});
    });
  }
  if (sorted) return;
  const auto first = out.begin() + static_cast<std::ptrdiff_t>(start);
  std::sort(first, out.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
  auto last = first;
  for (auto run = first; run != out.end(); ++run) {
    if (run != first && run->begin <= last->end) {
      last->end = std::max(last->end, run->end);
    } else {
      if (run != first) ++last;
      *last = *run;
    }
  }
  if (first != out.end()) out.erase(last + 1, out.end());
}

}  // namespace tensorlane::trail
