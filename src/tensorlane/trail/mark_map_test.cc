#include "tensorlane/trail/mark_map.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <array>

#include "tensorlane/layout/local.h"

namespace tensorlane::trail {
namespace {

constexpr std::int64_t kBytes = 64;
using Plain = std::array<Mark, kBytes>;  // the reference: one mark per byte

template <class Map>
Plain plain(const Map& map) {
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
  const std::int64_t page = *rc::gen::element<std::int64_t>(4, 16, 20, kBytes);
  LaneMaps maps(4, kBytes, page);
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
      RC_ASSERT(plain(maps.view(q)) == expected[static_cast<std::size_t>(q)]);
  }
}

RC_GTEST_PROP(LaneMaps, AViewIsUniformOnlyForOneMark, ()) {
  LaneMaps maps(2, kBytes, 16);
  for (int step = 0; step < 4; ++step) {
    const std::int64_t offset = *rc::gen::inRange<std::int64_t>(0, kBytes - 1);
    maps.assign(lane_footprint(kBytes, *rc::gen::inRange(0, 2), 1, offset,
                               *rc::gen::inRange<std::int64_t>(1, kBytes - offset)),
                *rc::gen::inRange<Mark>(0, 3));
  }
  const auto begin = *rc::gen::inRange<std::int64_t>(0, kBytes - 1);
  const auto end = *rc::gen::inRange<std::int64_t>(begin + 1, kBytes);
  for (int q = 0; q < 2; ++q) {
    const Plain marks = plain(maps.view(q));
    Mark mark = 99;
    const bool same = std::all_of(marks.begin() + begin, marks.begin() + end, [&](Mark each) {
      return each == marks[static_cast<std::size_t>(begin)];
    });
    RC_ASSERT(maps.view(q).uniform({begin, end}, mark) == same);
    if (same) RC_ASSERT(mark == marks[static_cast<std::size_t>(begin)]);
  }
}

// The groups that a footprint falls into: what a command costs.
int groups(const LaneMaps& maps, const Footprint& bytes) {
  int count = 0;
  maps.visit(bytes, [&](int, int, const LaneMaps::View&, const ByteBox&, std::int64_t) {
    ++count;
    return true;
  });
  return count;
}

TEST(LaneMaps, NpusThatDifferElsewhereAreStillAlikeHere) {
  constexpr std::int64_t kNpu = 1 << 16;
  LaneMaps maps(64, kNpu);
  for (int q = 0; q < 64; ++q) maps.assign(lane_footprint(kNpu, q, 1, 64 * q, 16), 1);
  EXPECT_EQ(groups(maps, lane_footprint(kNpu, 0, 64, 0, 4096)), 64);
  const Footprint apart = lane_footprint(kNpu, 0, 64, 8192, 64);
  maps.assign(apart, 2);
  EXPECT_EQ(groups(maps, apart), 1);
  maps.assign(lane_footprint(kNpu, 0, 64, 0, kNpu / 2), 3);  // all alike again
  EXPECT_EQ(groups(maps, lane_footprint(kNpu, 0, 64, 0, 4096)), 1);
  maps.clear();
  Mark mark = 9;
  EXPECT_TRUE(maps.view(63).uniform({0, kNpu}, mark));
  EXPECT_EQ(mark, kUnwritten);
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
}  // namespace tensorlane::trail
