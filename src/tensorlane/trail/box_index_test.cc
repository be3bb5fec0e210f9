// Whoever shares a byte is visited, and of the tiles of a tensor hardly anyone else.
#include "tensorlane/trail/box_index.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace tensorlane::trail {
namespace {

Footprint of(const ByteBox& box) {
  auto shape = std::make_shared<Shape>();
  shape->boxes = {box};
  normalise(shape->boxes[0]);
  shape->bounds = shape->boxes[0].bounds();
  return {.shape = shape, .origin = 0};
}

ByteBox tile(std::int64_t base, std::int64_t run, std::initializer_list<ByteLoop> loops) {
  ByteBox box;
  box.base = base;
  box.run = run;
  for (const ByteLoop& loop : loops) box.loops[static_cast<std::size_t>(box.rank++)] = loop;
  return box;
}

// All that visit() finds, and how many it found to look at.
std::set<int> visited(BoxIndex<int>& index, const Footprint& bytes) {
  std::set<int> found;
  index.visit(standing(bytes), [&](int k) {
    found.insert(k);
    return false;
  });
  return found;
}

TEST(BoxIndex, FindsAllThatShareAByte) {
  std::mt19937 random(5);
  const auto below = [&](int most) {
    return static_cast<std::int64_t>(random() % static_cast<unsigned>(most));
  };
  const std::int64_t strides[] = {1024, 256, 64, 48, 16, 100};
  const auto any_box = [&] {
    ByteBox box;
    box.base = below(4096);
    box.run = 1 + below(40);
    const std::int64_t kinds = below(4);
    std::int64_t last = 1 << 20;
    for (const std::int64_t stride : strides) {
      if (box.rank < kinds && stride < last && below(2) == 0) {
        box.loops[static_cast<std::size_t>(box.rank++)] = {2 + below(4), stride};
        last = stride;
      }
    }
    if (box.rank > 0)
      box.run = std::min(box.run, box.loops[static_cast<std::size_t>(box.rank) - 1].stride);
    return box;
  };
  for (int round = 0; round < 60; ++round) {
    BoxIndex<int> index;
    std::vector<Footprint> kept;
    for (int k = 0; k < 60; ++k) {
      kept.push_back(of(any_box()));
      index.find_or_add(standing(kept.back()), k, [](int) { return false; });
    }
    for (int k = 0; k < 60; ++k) {
      const Footprint asked = of(any_box());
      const std::set<int> found = visited(index, asked);
      for (int other = 0; other < 60; ++other) {
        if (overlap(kept[static_cast<std::size_t>(other)], asked)) {
          EXPECT_TRUE(found.contains(other)) << round << " " << k << " " << other;
        }
      }
    }
  }
}

TEST(BoxIndex, VisitsOfTilesThoseThatMeet) {
  // Tiles of 8 rows and 64 bytes of 128 rows of 4096 bytes in 16 channels, 4 of these each.
  BoxIndex<int> index;
  int name = 0;
  for (std::int64_t c = 0; c < 16; c += 4) {
    for (std::int64_t h = 0; h < 128; h += 8) {
      for (std::int64_t w = 0; w < 4096; w += 64) {
        const Footprint bytes = of(tile(c * 524288 + h * 4096 + w, 64, {{4, 524288}, {8, 4096}}));
        EXPECT_TRUE(visited(index, bytes).empty());
        index.find_or_add(standing(bytes), name++, [](int) { return false; });
      }
    }
  }
  // One that lies across four, a row of one channel and the whole of it.
  EXPECT_EQ(visited(index, of(tile(4 * 4096 + 32, 64, {{4, 524288}, {8, 4096}}))).size(), 4U);
  EXPECT_EQ(visited(index, of(tile(0, 4096, {}))).size(), 64U);
  EXPECT_EQ(visited(index, of(tile(0, 524288, {}))).size(), 1024U);
}

TEST(BoxIndex, KeepsOneOfTheSame) {
  BoxIndex<int> index;
  const Footprint bytes = of(tile(4096, 64, {{8, 4096}}));
  const auto any = [](int) { return true; };
  EXPECT_EQ(index.find_or_add(standing(bytes), 1, any), 1);
  EXPECT_EQ(index.find_or_add(standing(bytes), 2, any), 1);
  EXPECT_EQ(index.find_or_add(standing(of(tile(8192, 64, {{8, 4096}}))), 3, any), 3);
  index.visit(standing(bytes), [](int k) { return k == 1; });
  EXPECT_EQ(visited(index, bytes), std::set<int>{3});
}

TEST(BoxIndex, ManyKindsOfStridesAreFoundByRange) {
  BoxIndex<int> index;
  std::vector<Footprint> kept;
  for (int k = 0; k < 200; ++k) {
    kept.push_back(of(tile(8 * k, 4, {{3, 64 + 8 * k}})));
    index.find_or_add(standing(kept.back()), k, [](int) { return false; });
  }
  for (int k = 0; k < 200; ++k)
    EXPECT_TRUE(visited(index, kept[static_cast<std::size_t>(k)]).contains(k));
}

}  // namespace
}  // namespace tensorlane::trail
