#include "tensorlane/observe/time/local_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "tensorlane/observe/time/timeline_test_support.h"

namespace tensorlane::observe {
namespace {

// Commands that take 10 us each, one after the other.
Timeline accesses(const std::vector<std::vector<LocalAccess>>& commands) {
  Timeline result = timeline({}, 0);
  for (const auto& access : commands) {
    const double start = 10 * static_cast<double>(result.commands.size());
    result.commands.push_back(command(kAdd, start, start + 10));
    result.commands.back().local_accesses = access;
    result.kernel_us = start + 10;
  }
  return result;
}

TEST(LocalMap, ABlockLivesFromItsWriteToItsLastRead) {
  const LocalAccess write_a{0, 100, false, true}, read_a{0, 100, true, false},
      write_b{100, 150, false, true}, read_half{0, 50, true, false},
      read_new{200, 210, true, false};
  const auto blocks =
      local_map(accesses({{write_a}, {write_b}, {read_a}, {read_half, read_new}, {write_a}}));
  ASSERT_EQ(blocks.size(), 5u);
  const auto expect = [](const LocalBlock& block, std::int64_t begin, std::int64_t end,
                         double start_us, double end_us, std::optional<std::size_t> writer,
                         std::optional<std::size_t> last_reader) {
    EXPECT_EQ(block.begin, begin);
    EXPECT_EQ(block.end, end);
    EXPECT_EQ(block.start_us, start_us);
    EXPECT_EQ(block.end_us, end_us);
    EXPECT_EQ(block.writer, writer);
    EXPECT_EQ(block.last_reader, last_reader);
  };
  expect(blocks[0], 0, 50, 0, 40, 0, 3);
  expect(blocks[1], 50, 100, 0, 30, 0, 2);
  expect(blocks[2], 200, 210, 0, 40, std::nullopt, 3);  // never written: there from the start
  expect(blocks[3], 100, 150, 10, 20, 1, std::nullopt);
  expect(blocks[4], 0, 100, 40, 50, 4, std::nullopt);
  std::vector<std::int64_t> bytes;
  for (const LocalUse& use : local_use(blocks)) bytes.push_back(use.bytes);
  EXPECT_EQ(bytes, (std::vector<std::int64_t>{110, 160, 110, 60, 100, 0}));
}

// The same bytes of another core are other bytes.
TEST(LocalMap, EachCoreHasItsOwn) {
  const LocalAccess write{0, 100, false, true}, read{0, 100, true, false};
  Timeline all = accesses({{write}, {write}, {read}, {read}});
  all.commands[1].core = all.commands[2].core = 1;
  EXPECT_EQ(local_sources(all), (std::vector<std::vector<std::size_t>>{{}, {}, {1}, {0}}));
  const auto blocks = local_map(all);
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_EQ(blocks[0].core, 0);
  EXPECT_EQ(blocks[0].end_us, 40);
  EXPECT_EQ(blocks[1].core, 1);
  EXPECT_EQ(blocks[1].end_us, 30);
}

TEST(LocalMap, SourcesAreTheLatestWritersOfWhatIsRead) {
  const LocalAccess write_a{0, 100, false, true}, write_b{100, 150, false, true},
      read_both{50, 160, true, false}, in_place{0, 150, true, true};
  const auto sources = local_sources(
      accesses({{write_a}, {write_b}, {read_both}, {write_a}, {in_place}, {in_place}}));
  EXPECT_EQ(sources, (std::vector<std::vector<std::size_t>>{{}, {}, {0, 1}, {}, {3, 1}, {4}}));
}

// Byte by byte: who wrote it, when its time began and ended, who read it last.
struct Life {
  double start_us, end_us;
  std::optional<std::size_t> writer, last_reader;
  auto operator<=>(const Life&) const = default;
};
std::multimap<std::int64_t, Life> lives_by_byte(const Timeline& all, std::int64_t bytes) {
  std::multimap<std::int64_t, Life> lives;
  for (std::int64_t byte = 0; byte < bytes; ++byte) {
    std::optional<Life> alive;
    const auto end = [&](double now) {
      if (!alive) return;
      alive->end_us = std::min(alive->end_us, now);
      if (alive->end_us > alive->start_us) lives.emplace(byte, *alive);
    };
    for (std::size_t k = 0; k < all.commands.size(); ++k) {
      for (const bool writes : {false, true}) {
        for (const LocalAccess& access : all.commands[k].local_accesses) {
          if (byte < access.begin || byte >= access.end) continue;
          const Slot& slot = all.commands[k].slot;
          if (!writes && access.reads) {
            if (!alive) alive = Life{0, 0, {}, {}};
            alive->end_us = std::max(alive->end_us, slot.end);
            alive->last_reader = k;
          } else if (writes && access.writes) {
            end(slot.start);
            alive = Life{slot.start, slot.end, k, {}};
          }
        }
      }
    }
    end(1e9);
  }
  return lives;
}

TEST(LocalMap, BlocksHoldTheHistoryOfTheirBytes) {
  std::mt19937 random(9);
  constexpr std::int64_t kBytes = 40;
  for (int round = 0; round < 100; ++round) {
    std::vector<std::vector<LocalAccess>> commands(12);
    for (auto& command : commands) {
      for (std::uint32_t k = random() % 4; k > 0; --k) {
        const std::int64_t begin = random() % kBytes;
        const std::int64_t end = begin + 1 + random() % (kBytes - begin);
        const auto kind = random() % 3;
        command.push_back({begin, end, kind != 0, kind != 1});
      }
    }
    const Timeline all = accesses(commands);
    std::multimap<std::int64_t, Life> lives;
    const auto blocks = local_map(all);
    for (const LocalBlock& block : blocks) {
      for (std::int64_t byte = block.begin; byte < block.end; ++byte)
        lives.emplace(byte, Life{block.start_us, block.end_us, block.writer, block.last_reader});
    }
    const auto sorted = [](const std::multimap<std::int64_t, Life>& map) {
      std::vector<std::pair<std::int64_t, Life>> list(map.begin(), map.end());
      std::sort(list.begin(), list.end());
      return list;
    };
    ASSERT_EQ(sorted(lives), sorted(lives_by_byte(all, kBytes))) << "round " << round;
    for (std::size_t k = 1; k < blocks.size(); ++k) {
      EXPECT_LE(std::pair(blocks[k - 1].start_us, blocks[k - 1].begin),
                std::pair(blocks[k].start_us, blocks[k].begin));
      EXPECT_FALSE(blocks[k - 1].end == blocks[k].begin &&
                   blocks[k - 1].start_us == blocks[k].start_us &&
                   blocks[k - 1].end_us == blocks[k].end_us &&
                   blocks[k - 1].last_reader == blocks[k].last_reader &&
                   blocks[k - 1].writer == blocks[k].writer)
          << "neighbours of one history are two blocks";
    }
  }
}

TEST(LocalMap, UseEndsAtZero) {
  EXPECT_TRUE(local_use({}).empty());
  const auto use = local_use({{0, 10, 0, 5}, {10, 30, 5, 9}});
  ASSERT_EQ(use.size(), 3u);
  EXPECT_EQ(use[1].us, 5);
  EXPECT_EQ(use[1].bytes, 20) << "one step for what changes at the same time";
  EXPECT_EQ(use[2].bytes, 0);
}

}  // namespace
}  // namespace tensorlane::observe
