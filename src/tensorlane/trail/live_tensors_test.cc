#include "tensorlane/trail/live_tensors.h"

#include <gtest/gtest.h>

namespace tensorlane::trail {
namespace {

constexpr std::int64_t kNpu = 1024;

// Tensors in four NPUs, and the marks their bytes carry.
class LiveTensorsTest : public ::testing::Test {
 protected:
  using Kind = LiveTensors::Kind;
  Mark write(std::uint64_t source, const Footprint& bytes, Kind kind = Kind::kPlain,
             Writers::Place place = {}) {
    const Mark mark = writers.number(source, place, bytes, [] { return Call{}; });
    unread = live.write(mark, kind);
    writers.wrote(mark, ++time);
    marks.assign(bytes, mark);
    return mark;
  }
  std::optional<LiveTensors::Problem> read(const Footprint& bytes) {
    std::vector<Mark> found;
    marks.visit(bytes,
                [&](int, int, const LaneMaps::View& map, const ByteBox& box, std::int64_t origin) {
                  for_each_run(box, origin, [&](std::int64_t begin, std::int64_t end) {
                    map.visit({begin, end}, [&](std::int64_t, std::int64_t, Mark mark) {
                      if (std::find(found.begin(), found.end(), mark) == found.end())
                        found.push_back(mark);
                      return true;
                    });
                  });
                  return true;
                });
    return live.read(bytes, found);
  }
  static Footprint at(std::int64_t begin, std::int64_t bytes) {
    return lane_footprint(kNpu, 0, 4, begin, bytes);
  }
  Writers writers;
  LiveTensors live{writers};
  LaneMaps marks{4};
  std::uint64_t time = 0;
  bool unread = false;  // when the last write came
};

TEST_F(LiveTensorsTest, ATensorOverItsNeighboursEndIsFound) {
  const Mark first = write(1, at(0, 128));
  const Mark second = write(2, at(124, 128));
  const auto found = read(at(0, 128));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->victim, first);
  EXPECT_EQ(found->culprit, second);
  EXPECT_FALSE(found->inside);
  EXPECT_FALSE(read(at(124, 128)));  // the later one is whole
}

TEST_F(LiveTensorsTest, AnUpdateInPlaceIsFine) {
  write(1, at(0, 128));
  write(2, at(32, 64), Kind::kUpdate);
  EXPECT_FALSE(read(at(0, 128)));
}

TEST_F(LiveTensorsTest, PaddingIsFine) {
  write(1, at(0, 128));
  write(2, at(96, 32), Kind::kFill);
  EXPECT_FALSE(read(at(0, 128)));
  write(3, at(256, 128), Kind::kFill);
  write(4, at(288, 64));
  EXPECT_FALSE(read(at(256, 128)));
}

TEST_F(LiveTensorsTest, ATensorUnderALargerOneIsFoundUnlessItWasRead) {
  const Footprint small = at(128, 64), large = at(0, 256);
  const Mark first = write(1, small);
  const Mark second = write(2, large);
  const auto found = read(small);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->victim, first);
  EXPECT_EQ(found->culprit, second);
  EXPECT_FALSE(read(at(64, 64))) << "a part of the larger one";
  write(1, small);
  EXPECT_FALSE(read(small));
  write(2, large);
  EXPECT_FALSE(read(small)) << "the value was read before";
}

TEST_F(LiveTensorsTest, FillsAndTensorsOfTheSameSizeAreReplaced) {
  const Footprint small = at(128, 64), other = at(512, 64);
  write(1, small, Kind::kFill);
  write(2, at(0, 256));
  EXPECT_FALSE(read(small));
  write(3, other);
  write(4, other);
  EXPECT_FALSE(read(other));
}

TEST_F(LiveTensorsTest, ASmallTensorInsideALargeOneIsFound) {
  write(1, at(0, 128));
  write(2, at(96, 16));
  const auto found = read(at(0, 128));
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->inside) << "which may be meant";
}

TEST_F(LiveTensorsTest, ReadingBesideTheWriteIsFound) {
  write(1, at(0, 256));  // the part before, larger
  const Mark later = write(2, at(4, 128));
  const auto found = read(at(0, 128));
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->beside);
  EXPECT_EQ(found->culprit, later);
}

TEST_F(LiveTensorsTest, AWindowOverTwoChunksIsFine) {
  write(1, at(0, 128));
  write(2, at(128, 128));
  EXPECT_FALSE(read(at(64, 128)));
}

TEST_F(LiveTensorsTest, ALargerTensorMayReplaceASmallerOne) {
  write(1, at(0, 128));
  write(2, at(0, 256));
  EXPECT_FALSE(read(at(0, 128)));
  EXPECT_FALSE(read(at(0, 256)));
}

TEST_F(LiveTensorsTest, ATensorPutTogetherFromPiecesIsFine) {
  for (std::uint64_t k = 0; k < 4; ++k) write(k + 1, at(static_cast<std::int64_t>(k) * 32, 32));
  EXPECT_FALSE(read(at(0, 128)));
}

TEST_F(LiveTensorsTest, ALineBufferThatMovesOnIsFine) {
  write(1, at(0, 320));
  write(2, at(256, 192));            // the next lines, over the last two
  EXPECT_FALSE(read(at(128, 320)));  // a window that neither of them wrote alone
}

TEST_F(LiveTensorsTest, AWriteNobodyReadIsNoticedWhenItComesAgain) {
  write(1, at(0, 64));
  EXPECT_FALSE(unread);
  const Footprint bytes = at(0, 64);
  const Mark writer = write(7, bytes);
  EXPECT_FALSE(unread);
  EXPECT_TRUE(live.unread(writer));
  EXPECT_EQ(write(7, bytes), writer);
  EXPECT_TRUE(unread);
  read(bytes);
  EXPECT_FALSE(live.unread(writer));
  write(7, bytes);
  EXPECT_FALSE(unread);
}

TEST_F(LiveTensorsTest, TensorsOfOtherMemoriesAndOtherCoresAreNoVictims) {
  const Footprint small = at(128, 64), large = at(0, 256);
  write(1, small, Kind::kPlain, {.memory = 1, .core = 1});
  write(2, large);
  EXPECT_FALSE(read(small)) << "what nobody read lies in another memory";
  // Two cores in one memory: which came first is no matter of sizes.
  write(3, at(512, 128), Kind::kPlain, {.memory = 2, .core = 0});
  write(4, at(636, 128), Kind::kPlain, {.memory = 2, .core = 1});
  EXPECT_FALSE(read(at(512, 128)));
}

TEST_F(LiveTensorsTest, APointerOfACoreReadsWhatThatCoreWrote) {
  const Mark own = write(1, at(0, 64)), other = write(1, at(0, 64), Kind::kPlain, {1, 1});
  EXPECT_NE(own, other);
  live.excuse_all(0);
  EXPECT_FALSE(live.unread(own));
  EXPECT_TRUE(live.unread(other));
}

}  // namespace
}  // namespace tensorlane::trail
