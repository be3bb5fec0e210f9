// Mistakes among elements that stand side by side: the innermost digit of an axis of several.
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "tensorlane/base/language.h"
#include "tensorlane/layout/packing_mistakes_internal.h"

namespace tensorlane::packing_internal {
namespace {

// In lane i of axis d stands what belongs to lane order[i].
void suspect_lanes(Explanation& sought, int d, const std::vector<std::int64_t>& order) {
  if (sought.explained()) return;
  const WrongPacking& wrong = sought.wrong();
  const Layout &target = sought.target(), &plain = sought.plain();
  const std::int64_t lanes = std::ssize(order);
  std::int64_t right = 0;
  Layout::Index index{};
  for (std::int64_t i = 0; i < target.size(); ++i) {
    Layout::Index from = index;
    from[d] = index[d] / lanes * lanes + order[static_cast<std::size_t>(index[d] % lanes)];
    const std::int64_t at = target.address(index);
    if (from[d] < target.extent(d)) {  // else padding
      if (!inside(target, at, wrong.packed.size()) ||
          bits_at(target, wrong.packed, at) != bits_at(plain, wrong.plain, plain.address(from)))
        return;
      ++right;
    }
    for (int k = target.rank() - 1; k >= 0 && ++index[k] == target.extent(k); --k) index[k] = 0;
  }
  if (right * 2 > target.size())
    sought.explain(tr("the {} elements of {} that stand side by side are in the order {}", lanes,
                      sought.axis(d), fmt::join(order, ", ")));
}

}  // namespace

void group_mistakes(Explanation& sought) {
  const Layout &target = sought.target(), &plain = sought.plain();
  for (int d = 0; d < target.rank(); ++d) {
    const std::span<const Digit> digits = target.digits(d);
    const Digit inner = digits.front();
    if (digits.size() < 2 || inner.extent < 2 || target.offset(d) != 0) continue;
    sought.suspect(edited(target, d,
                          [&](std::vector<Digit>& all, std::int64_t& base) {
                            base += all[0].stride * (all[0].extent - 1);
                            all[0].stride = -all[0].stride;
                          }),
                   plain, [&] {
                     return tr(
                         "the {} elements of {} that stand side by side are in the opposite order",
                         inner.extent, sought.axis(d));
                   });
    if (digits.size() != 2) continue;
    const std::int64_t groups = ceil_div(target.extent(d), inner.extent);
    if (groups < 2) continue;
    sought.suspect(edited(target, d,
                          [&](std::vector<Digit>& all, std::int64_t&) {
                            all = {{groups, digits[1].stride}, {1, inner.stride}};
                          }),
                   plain, [&] {
                     return tr(
                         "side by side stand elements of {} that are {} apart, not neighbours",
                         sought.axis(d), groups);
                   });
  }
}

void lane_mistakes(Explanation& sought) {
  const Layout& target = sought.target();
  for (int d = 0; d < target.rank(); ++d) {
    const std::int64_t lanes = target.digits(d).front().extent;
    if (target.digits(d).size() < 2 || lanes < 2 || lanes > 64 || target.offset(d) != 0) continue;
    std::vector<std::int64_t> order(static_cast<std::size_t>(lanes));
    std::iota(order.begin(), order.end(), 0);
    if (lanes <= 4) {
      while (std::next_permutation(order.begin(), order.end())) suspect_lanes(sought, d, order);
      continue;
    }
    for (const std::int64_t by : {std::int64_t{1}, lanes / 2}) {
      for (std::int64_t i = 0; lanes % (2 * by) == 0 && i < lanes; ++i)
        order[static_cast<std::size_t>(i)] = i ^ by;
      if (lanes % 2 == 0 && (lanes & (lanes - 1)) == 0) suspect_lanes(sought, d, order);
    }
  }
}

}  // namespace tensorlane::packing_internal
