#include "tensorlane/trail/range_index.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <vector>

namespace tensorlane::trail {
namespace {

RC_GTEST_PROP(RangeIndex, FindsWhatComparingAllFinds, ()) {
  const auto any_range = [] {
    const std::int64_t begin = *rc::gen::inRange<std::int64_t>(0, 2000);
    return Range{begin, begin + *rc::gen::oneOf(rc::gen::inRange<std::int64_t>(1, 9),
                                                rc::gen::inRange<std::int64_t>(1, 1500))};
  };
  std::vector<Range> ranges;
  RangeIndex index;
  const int count = *rc::gen::inRange(0, 60);
  for (int k = 0; k < count; ++k) {
    ranges.push_back(any_range());
    index.add(ranges.back(), static_cast<std::uint32_t>(k));
  }
  for (int question = 0; question < 10; ++question) {
    const Range wanted = any_range();
    std::multiset<std::uint32_t> expected, found;
    for (std::uint32_t k = 0; k < ranges.size(); ++k) {
      if (ranges[k].begin < wanted.end && wanted.begin < ranges[k].end) expected.insert(k);
    }
    index.visit(wanted, [&](std::uint32_t name) { found.insert(name); });
    RC_ASSERT(found == expected);
  }
  index.clear();
  index.visit({0, 4000}, [](std::uint32_t) { RC_FAIL("nothing is left"); });
}

}  // namespace
}  // namespace tensorlane::trail
