#include "tensorlane/compute/rows/half_table_rows.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <utility>
#include <vector>

namespace tensorlane {
namespace {

// 3 * x + C of words of 16 bits, for dense rows of elements as source 1.
void triple(const Row& row) {
  const auto constant = load_element<std::uint16_t>(row.src[0]);
  for (std::int64_t i = 0; i < row.count; ++i) {
    const auto x = load_element<std::uint16_t>(row.src[1] + i * row.src_step[1]);
    store_element(row.dst + i * row.dst_step, static_cast<std::uint16_t>(3 * x + constant));
  }
}
SharedHalfTable triples(std::uint16_t constant) {
  Row constants{};
  constants.src[0] = reinterpret_cast<const std::byte*>(&constant);
  return make_half_table(triple, constants, 1);
}

TEST(HalfTable, HoldsTheResultOfEveryElement) {
  const SharedHalfTable table = triples(5);
  for (std::uint32_t x = 0; x < kHalves; ++x)
    ASSERT_EQ((*table)[x], static_cast<std::uint16_t>(3 * x + 5)) << x;
}

// Rows of every length, step and alignment, whose neighbours stay.
TEST(HalfTable, IsLookedUpInRowsOfAnyForm) {
  const SharedHalfTable table = triples(1);
  constexpr std::int64_t kRows = 3, kBlocks = 2;
  for (std::int64_t count = 1; count <= 40; ++count) {
    for (const auto& steps : {std::pair{2, 2}, {2, 6}, {4, 2}, {0, 2}, {-2, 2}, {2, -2}, {10, 4}}) {
      const std::int64_t from_step = steps.first, to_step = steps.second;
      for (const std::int64_t odd : {0, 1}) {
        const std::int64_t row_bytes = count * 12 + 4;
        const auto bytes = static_cast<std::size_t>(kRows * kBlocks * row_bytes * 2 + 2);
        std::vector<std::byte> from(bytes), got(bytes, std::byte{0xaa}), want = got;
        for (std::size_t i = 0; i < bytes; ++i) from[i] = static_cast<std::byte>(i * 151 + i / 7);
        const auto first = [&](std::int64_t step) {
          return odd + row_bytes / 2 - (step < 0 ? step * count : 0);
        };
        Row frame{};
        frame.src[0] = from.data() + first(from_step);
        frame.dst = got.data() + first(to_step);
        frame.src_step[0] = from_step;
        frame.dst_step = to_step;
        frame.count = count;
        frame.rows = kRows;
        frame.src_next[0] = frame.dst_next = row_bytes;
        frame.blocks = kBlocks;
        frame.src_block[0] = frame.dst_block = row_bytes * kRows;
        look_up_halves(*table, frame);
        Row expected = frame;
        expected.dst = want.data() + first(to_step);
        each_row(expected, [&](const Row& row) {
          for (std::int64_t i = 0; i < count; ++i) {
            const auto x = load_element<std::uint16_t>(row.src[0] + i * from_step);
            store_element(row.dst + i * to_step, static_cast<std::uint16_t>(3 * x + 1));
          }
        });
        ASSERT_EQ(got, want) << count << " " << from_step << " " << to_step << " " << odd;
      }
    }
  }
}

TEST(HalfTables, MakeATableOnceItPays) {
  HalfTables tables;
  int made = 0;
  const auto make = [&] { return ++made, triples(0); };
  EXPECT_EQ(tables.find({1}, 3 * kHalves, make), nullptr);
  EXPECT_EQ(tables.find({2}, 3 * kHalves, make), nullptr) << "another function";
  EXPECT_EQ(made, 0);
  const SharedHalfTable table = tables.find({1}, kHalves, make);
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(tables.find({1}, 1, make), table);
  EXPECT_EQ(made, 1);
}

TEST(HalfTables, MakeEveryTableForTests) {
  HalfTables tables;
  tables.always = true;
  EXPECT_NE(tables.find({1}, 1, [] { return triples(0); }), nullptr);
}

// More functions than there are tables: the one that nobody asked for is forgotten, none is wrong.
TEST(HalfTables, ForgetWhatWasNotAskedForTheLongest) {
  HalfTables tables;
  tables.always = true;
  int made = 0;
  const auto ask = [&](std::uint16_t k) {
    const auto table = tables.find({k}, 1, [&] { return ++made, triples(k); });
    EXPECT_EQ((*table)[0], k);
  };
  for (std::uint16_t k = 0; k < 40; ++k) {
    ask(k);
    ask(0);
  }
  EXPECT_EQ(made, 40);
  ask(1);
  EXPECT_EQ(made, 41);
}

TEST(HalfTables, AreSharedByThreads) {
  HalfTables tables;
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&tables] {
      for (std::uint16_t k = 0; k < 60; ++k) {
        const auto key = static_cast<std::uint16_t>(k % 20);
        const auto table = tables.find({key}, 2 * kHalves, [key] { return triples(key); });
        EXPECT_TRUE(table == nullptr || (*table)[1] == key + 3) << key;
      }
    });
  }
}

}  // namespace
}  // namespace tensorlane
