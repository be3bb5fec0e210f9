#include "tensorlane/observe/check/mark_map.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <array>

#include "tensorlane/layout/local.h"

namespace tensorlane::check {
namespace {

constexpr std::int64_t kBytes = 64;
using Plain = std::array<Mark, kBytes>;  // the reference: one mark per byte

Plain plain(const MarkMap& map) {
  Plain marks{};
  map.visit({0, kBytes}, [&](std::int64_t begin, std::int64_t end, Mark mark) {
    for (std::int64_t at = begin; at < end; ++at) marks[static_cast<std::size_t>(at)] = mark;
    return true;
  });
  return marks;
}

std::vector<Range> any_runs() {
  std::vector<Range> runs;
  std::int64_t at = *rc::gen::inRange<std::int64_t>(0, 20);
  while (at < kBytes - 1 && runs.size() < 6) {
    const std::int64_t end = std::min(kBytes, at + *rc::gen::inRange<std::int64_t>(1, 9));
    runs.push_back({at, end});
    at = end + *rc::gen::inRange<std::int64_t>(1, 9);
  }
  return runs;
}

RC_GTEST_PROP(MarkMap, AgreesWithOneMarkPerByte, ()) {
  MarkMap map;
  Plain expected{};
  for (int step = 0; step < 12; ++step) {
    const std::vector<Range> runs = any_runs();
    const auto mark = *rc::gen::inRange<Mark>(0, 4);
    map.assign(runs, mark);
    for (const Range& run : runs) {
      for (std::int64_t at = run.begin; at < run.end; ++at)
        expected[static_cast<std::size_t>(at)] = mark;
    }
    RC_ASSERT(plain(map) == expected);
    const auto intervals = map.intervals();
    for (std::size_t k = 1; k < intervals.size(); ++k) {
      RC_ASSERT(intervals[k - 1].end <= intervals[k].begin);
      RC_ASSERT(intervals[k - 1].end < intervals[k].begin ||
                intervals[k - 1].mark != intervals[k].mark);
    }
  }
}

RC_GTEST_PROP(MarkMap, UniformIsTrueOnlyForOneMark, ()) {
  MarkMap map;
  for (int step = 0; step < 4; ++step) map.assign(any_runs(), *rc::gen::inRange<Mark>(0, 3));
  const auto begin = *rc::gen::inRange<std::int64_t>(0, kBytes - 1);
  const auto end = *rc::gen::inRange<std::int64_t>(begin + 1, kBytes);
  Mark mark = 99;
  const bool uniform = map.uniform({begin, end}, mark);
  const Plain marks = plain(map);
  const bool same = std::all_of(marks.begin() + begin, marks.begin() + end, [&](Mark each) {
    return each == marks[static_cast<std::size_t>(begin)];
  });
  RC_ASSERT(uniform == same);
  if (uniform) RC_ASSERT(mark == marks[static_cast<std::size_t>(begin)]);
}

constexpr LocalMemory kSmall{.npus = 4, .npu_bytes = kBytes, .align_bytes = 16};

RC_GTEST_PROP(LaneMaps, EveryNpuHasItsOwnMarks, ()) {
  LaneMaps maps(4);
  std::array<Plain, 4> expected{};
  for (int step = 0; step < 8; ++step) {
    const std::int64_t npu = *rc::gen::inRange(0, 4);
    const Shape4 shape{1, *rc::gen::inRange(1, 7), 1, *rc::gen::inRange(1, 5)};
    const std::int64_t offset = 4 * *rc::gen::inRange(0, 4);
    const Layout layout = local_layout(kSmall, npu * kBytes + offset, shape,
                                       compact_stride(kSmall, npu, shape), Dtype::kFp32);
    const Footprint bytes = footprint(layout);
    const auto mark = *rc::gen::inRange<Mark>(0, 4);
    maps.assign(bytes, mark);
    for (const Range& run : runs(bytes)) {
      for (std::int64_t at = run.begin; at < run.end; ++at)
        expected[static_cast<std::size_t>(at / kBytes)][static_cast<std::size_t>(at % kBytes)] =
            mark;
    }
    for (int q = 0; q < 4; ++q)
      RC_ASSERT(plain(maps.map(q)) == expected[static_cast<std::size_t>(q)]);
  }
}

TEST(LaneMaps, NpusTreatedAlikeShareAMap) {
  LaneMaps maps(4);
  maps.assign(lane_footprint(kBytes, 0, 4, 8, 16), 1);
  maps.assign(lane_footprint(kBytes, 2, 2, 0, 4), 2);
  EXPECT_EQ(&maps.map(0), &maps.map(1));
  EXPECT_EQ(&maps.map(2), &maps.map(3));
  EXPECT_NE(&maps.map(0), &maps.map(2));
}

}  // namespace
}  // namespace tensorlane::check
