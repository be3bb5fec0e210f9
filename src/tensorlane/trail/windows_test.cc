#include "tensorlane/trail/windows.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <set>

namespace tensorlane::trail {
namespace {

std::set<std::int64_t> all(const Indices& indices) {
  std::set<std::int64_t> each;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    RC_ASSERT(indices[i].begin < indices[i].end);
    RC_ASSERT((i == 0 || indices[i - 1].end < indices[i].begin));  // the macro evaluates both of ||
    for (std::int64_t at = indices[i].begin; at < indices[i].end; ++at) each.insert(at);
  }
  return each;
}

// The pairs (result, source) of all windows, one element at a time.
template <class F>
void each_pair(const Windows& windows, std::int64_t results, std::int64_t sources, F f) {
  for (std::int64_t r = 0; r < results; ++r) {
    for (std::int64_t k = 0; k < windows.kernel; ++k) {
      const std::int64_t place = r * windows.step - windows.before + k * windows.dilation;
      if (place >= 0 && place % (windows.inserted + 1) == 0 &&
          place / (windows.inserted + 1) < sources)
        f(r, place / (windows.inserted + 1));
    }
  }
}

RC_GTEST_PROP(Windows, AreWhatTheirElementsAre, ()) {
  const Windows windows{.kernel = *rc::gen::inRange(1, 6),
                        .step = *rc::gen::inRange(1, 6),
                        .dilation = *rc::gen::inRange(1, 5),
                        .before = *rc::gen::inRange(0, 6),
                        .inserted = *rc::gen::inRange(0, 4)};
  const std::int64_t results = *rc::gen::inRange(1, 12), sources = *rc::gen::inRange(1, 20);
  const std::int64_t begin = *rc::gen::inRange<std::int64_t>(0, sources);
  const Range range{begin, *rc::gen::inRange<std::int64_t>(begin + 1, sources + 1)};
  std::set<std::int64_t> covering, covered, window;
  const std::int64_t one = *rc::gen::inRange<std::int64_t>(0, results);
  each_pair(windows, results, sources, [&](std::int64_t result, std::int64_t source) {
    if (result == one) window.insert(source);
    if (source < range.begin || source >= range.end) return;
    covering.insert(result);
    covered.insert(source);
  });
  RC_ASSERT(all(windows.covering(range, results)) == covering);
  RC_ASSERT(all(windows.covered(range, results)) == covered);
  RC_ASSERT(all(windows.window(one, sources)) == window);
}

TEST(Windows, RowsBetweenThemAreNotCovered) {
  const Windows pooling{.kernel = 2, .step = 3};
  EXPECT_TRUE(pooling.covering({2, 3}, 2).empty());
  EXPECT_EQ(pooling.covered({0, 5}, 2), (Indices{{0, 2}, {3, 5}}));
}

}  // namespace
}  // namespace tensorlane::trail
