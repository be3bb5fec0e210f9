#include <algorithm>
#include <numeric>

#include "tensorlane/layout/layer_places_internal.h"
#include "tensorlane/layout/local.h"

namespace tensorlane::layer_places {
namespace {

// Every item at the lowest place where it meets none of those before it.
Placed in_order(const std::vector<Item>& items, const std::vector<std::size_t>& order,
                std::int64_t unit) {
  Placed placed;
  placed.offsets.assign(items.size(), 0);
  std::vector<std::size_t> done;
  for (const std::size_t i : order) {
    std::int64_t at = 0;
    for (bool moved = true; moved;) {
      moved = false;
      for (const std::size_t other : done) {
        const std::int64_t begin = placed.offsets[other];
        const std::int64_t end = align_up(begin + items[other].bytes, unit);
        if (!items[i].meets(items[other]) || at >= end ||
            at + align_up(items[i].bytes, unit) <= begin)
          continue;
        at = end;
        moved = true;
      }
    }
    placed.offsets[i] = at;
    placed.bytes = std::max(placed.bytes, at + items[i].bytes);
    done.push_back(i);
  }
  return placed;
}

}  // namespace

Placed place(const std::vector<Item>& items, std::int64_t unit, std::int64_t enough) {
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), 0U);
  Placed best = in_order(items, order, unit);
  if (best.bytes <= enough) return best;
  // At no time there is room for all that is needed then: no order helps.
  std::int64_t least = 0;
  for (const Item& moment : items) {
    std::int64_t sum = 0;
    for (const Item& item : items) {
      if (item.always || (item.first <= moment.first && moment.first <= item.last))
        sum += align_up(item.bytes, unit);
    }
    least = std::max(least, sum - unit + 1);
  }
  if (least > enough) return best;
  if (items.size() <= 6) {
    while (std::ranges::next_permutation(order).found) {
      Placed placed = in_order(items, order, unit);
      if (placed.bytes < best.bytes) best = std::move(placed);
      if (best.bytes <= enough) return best;
    }
    return best;
  }
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return items[i].bytes; });
  Placed placed = in_order(items, order, unit);
  if (placed.bytes < best.bytes) best = std::move(placed);
  std::ranges::stable_sort(order, {},
                           [&](std::size_t i) { return items[i].always ? -1 : items[i].first; });
  placed = in_order(items, order, unit);
  return placed.bytes < best.bytes ? placed : best;
}

}  // namespace tensorlane::layer_places
