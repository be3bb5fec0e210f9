// Mistakes in a part of the tensor: the rest of it is right.
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tensorlane/base/language.h"
#include "tensorlane/layout/packing_mistakes_internal.h"

namespace tensorlane::packing_internal {

void partial_mistakes(Explanation& sought) {
  const WrongPacking& wrong = sought.wrong();
  const Layout &target = sought.target(), &plain = sought.plain();
  Layout::Index low{}, high{};
  std::int64_t count = 0;
  bool zero = true;
  for_each_difference(target, wrong.packed, plain, wrong.plain,
                      [&](const Layout::Index& index, Bits, Bits found) {
                        for (int d = 0; d < target.rank(); ++d) {
                          low[d] = count == 0 ? index[d] : std::min(low[d], index[d]);
                          high[d] = count == 0 ? index[d] : std::max(high[d], index[d]);
                        }
                        zero = zero && found == 0;
                        ++count;
                        return true;
                      });
  std::int64_t box = 1;
  std::vector<std::string> ranges;
  for (int d = 0; d < target.rank(); ++d) {
    box *= high[d] - low[d] + 1;
    if (low[d] == 0 && high[d] + 1 == target.extent(d)) continue;
    ranges.push_back(low[d] == high[d]
                         ? fmt::format("{} = {}", sought.axis(d), low[d])
                         : fmt::format("{} = {} .. {}", sought.axis(d), low[d], high[d]));
  }
  if (ranges.empty() || box != count) return;
  const std::string text = fmt::format("{}", fmt::join(ranges, ", "));
  sought.explain(zero ? tr("only {} is wrong: it is zero, as if never written", text)
                      : tr("only {} is wrong", text));
}

void cut_mistakes(Explanation& sought) {
  const WrongPacking& wrong = sought.wrong();
  const Layout &target = sought.target(), &plain = sought.plain();
  std::int64_t first = -1, last = -1;
  Layout::Index index{};
  const auto next = [&] {
    for (int d = target.rank() - 1; d >= 0 && ++index[d] == target.extent(d); --d) index[d] = 0;
  };
  for_each_difference(target, wrong.packed, plain, wrong.plain,
                      [&](const Layout::Index& differing, Bits, Bits) {
                        const std::int64_t at = target.address(differing);
                        if (first < 0 || at < first) first = at;
                        last = std::max(last, at);
                        return true;
                      });
  for (std::int64_t i = 0; i < target.size(); ++i, next()) {
    const std::int64_t at = target.address(index);
    if (at >= first &&
        (!inside(target, at, wrong.packed.size()) || bits_at(target, wrong.packed, at) != 0))
      return;
  }
  if (first < last)
    sought.explain(tr("from byte {} on all is zero, as if the rest had not been written",
                      first * target.unit_bits() / 8));
}

}  // namespace tensorlane::packing_internal
