// Transposes: tiles of every shape, rows and columns that collide, every way that a plan may ask
// for.
#include "tensorlane/layout/strided_copy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "tensorlane/base/every_target_test_support.h"
#include "tensorlane/layout/strided_copy_internal.h"
#include "tensorlane/layout/strided_copy_test_support.h"

namespace tensorlane {
namespace {

using strided_copy_test::AlignedCopies;
using strided_copy_test::check;
using strided_copy_test::noise;
using targets_test::on_every_target;

TEST(StridedCopy, TransposesEveryShapeOfTile) {
  for (const std::int64_t bytes : {1, 2, 4, 8, 16}) {
    for (const std::int64_t rows : {5, 8, 15, 16, 17, 64, 65, 130}) {
      for (const std::int64_t cols : {13, 16, 31, 64, 100}) {
        Box box;
        box.rank = 2;
        box.loops[0] = {rows, {(cols + 3) * bytes, bytes}};
        box.loops[1] = {cols, {bytes, (rows + 1) * bytes}};
        EXPECT_EQ(copy_kernel_name(box, bytes), "transpose");
        ASSERT_NO_FATAL_FAILURE(check(box, bytes)) << rows << " x " << cols;
      }
    }
  }
}

// Squares of 16 words, lines of blocked formats, tiles at the edges.
TEST(StridedCopy, TransposesToWholeLines) {
  AlignedCopies copies(1 << 20);
  for (const std::int64_t bytes : {1, 2, 4, 8, 16}) {
    for (const std::int64_t across : {16, 48, 64, 272}) {
      for (const std::int64_t along : {16, 20, 64, 131}) {
        SCOPED_TRACE(across * 1000 + along);
        Box box;
        box.rank = 2;
        box.loops[0] = {along, {(across * bytes + 63) / 64 * 64, bytes}};
        box.loops[1] = {across, {bytes, (along + 3) * bytes}};
        copies.check(box, bytes);
      }
    }
  }
}

// Rows of one side or of both so far apart that few of them stay in the cache at once.
TEST(StridedCopy, TransposesRowsThatCollide) {
  AlignedCopies copies(1 << 20);
  for (const std::int64_t bytes : {1, 2, 4, 8, 16}) {
    for (const std::int64_t apart : {512, 1024, 4096}) {
      for (const std::int64_t across : {16, 64, 80, 150}) {
        for (const std::int64_t along : {16, 32, 50}) {
          SCOPED_TRACE(testing::Message() << bytes << " bytes, rows " << apart << " apart, "
                                          << across << " x " << along);
          const std::int64_t dense = (across * bytes + 63) / 64 * 64;
          for (const std::int64_t to : {dense, std::max(dense, apart)}) {
            Box box;
            box.rank = 2;
            box.loops[0] = {along, {to, bytes}};
            box.loops[1] = {across, {bytes, std::max(apart, along * bytes)}};
            copies.check(box, bytes);
          }
        }
      }
    }
  }
}

// One transpose of a tile by every way that a plan may ask for; `off` bytes from a line on.
void check_every_way(copy_internal::CopyTile tile, std::int64_t off, unsigned seed) {
  const std::int64_t across = tile.inner.n, along = tile.outer.n;
  // The source ends where its last row does.
  const std::int64_t used = (across - 1) * tile.inner.src + along * tile.bytes;
  const auto src = noise(static_cast<std::size_t>(used), seed);
  const std::size_t room = static_cast<std::size_t>(along * tile.outer.dst) + 192;
  std::vector<std::byte> memory(room), expected;
  const auto start =
      64 - reinterpret_cast<std::uintptr_t>(memory.data()) % 64 + static_cast<std::size_t>(off);
  const std::vector<std::byte> before = noise(room, seed + 1);
  expected = before;
  for (std::int64_t a = 0; a < across; ++a) {
    for (std::int64_t b = 0; b < along; ++b) {
      std::memcpy(expected.data() + start + b * tile.outer.dst + a * tile.bytes,
                  src.data() + a * tile.inner.src + b * tile.bytes,
                  static_cast<std::size_t>(tile.bytes));
    }
  }
  for (int way = 0; way < 8; ++way) {
    tile.stream = (way & 1) != 0;
    tile.far = (way & 2) != 0;
    tile.squares = (way & 4) != 0;
    memory = before;
    copy_internal::find_transpose_kernel(tile)(tile, memory.data() + start, src.data());
    ASSERT_EQ(memory, expected) << tile.bytes << " bytes, " << across << " by " << along
                                << ", steps " << tile.outer.dst << ", " << tile.inner.src
                                << ", way " << way;
  }
}

// All that a plan may ask of a transpose, on tiles of every width, alignment and distance of rows.
TEST(StridedCopy, TransposesByEveryWay) {
  std::mt19937 random(12);
  const auto pick = [&](auto... values) {
    const std::int64_t all[] = {values...};
    return all[random() % std::size(all)];
  };
  const auto up = [](std::int64_t value, std::int64_t step) {
    return (value + step - 1) / step * step;
  };
  on_every_target([&] {
    for (int round = 0; round < 160; ++round) {
      copy_internal::CopyTile tile;
      tile.bytes = pick(1, 2, 4, 4, 8, 16);
      const std::int64_t across = pick(4, 16, 16, 64, 5, 33, 70, 200, 530),
                         along = pick(4, 16, 32, 64, 7, 75, 150);
      tile.inner = {across, tile.bytes, up(along * tile.bytes, pick(tile.bytes, 64, 1024))};
      tile.outer = {along, up(across * tile.bytes, pick(tile.bytes, 64, 64, 1024)), tile.bytes};
      ASSERT_NO_FATAL_FAILURE(check_every_way(tile, pick(0, 0, 1) * tile.bytes, random()));
    }
  });
}

// Short elements of many rows that collide, which are brought together many at a time: whole
// buffers, parts of them and what is left over.
TEST(StridedCopy, TransposesManyRowsThatCollide) {
  unsigned seed = 0;
  on_every_target([&] {
    for (const std::int64_t bytes : {1, 2}) {
      for (const std::int64_t across : {64, 100, 256, 330}) {
        for (const std::int64_t along : {63, 64, 128, 201}) {
          copy_internal::CopyTile tile;
          tile.bytes = bytes;
          tile.inner = {across, bytes, 2048};
          const std::int64_t lines = (across * bytes + 63) / 64 * 64;
          for (const std::int64_t step : {across * bytes, lines, std::int64_t{2048}}) {
            tile.outer = {along, step, bytes};
            ASSERT_NO_FATAL_FAILURE(check_every_way(tile, seed % 2 * bytes, seed));
            seed += 3;
          }
        }
      }
    }
  });
}

// Rows of less than a line whose columns collide, as those of NPUs do: they go through a buffer.
TEST(StridedCopy, TransposesFewRowsToColumnsThatCollide) {
  unsigned seed = 0;
  on_every_target([&] {
    for (const std::int64_t bytes : {1, 2, 4, 8}) {
      for (const std::int64_t across : {4, 5, 7, 9, 15, 20, 31, 63}) {
        for (const std::int64_t along : {13, 64}) {
          copy_internal::CopyTile tile;
          tile.bytes = bytes;
          tile.inner = {across, bytes, (along + 3) * bytes};
          tile.outer = {along, 4096, bytes};
          ASSERT_NO_FATAL_FAILURE(check_every_way(tile, seed % 2 * bytes, seed));
          seed += 3;
        }
      }
    }
  });
}

// Lines of two loops on either side, of every length, aligned and not, past the caches and not.
TEST(StridedCopy, SplitTransposesByEveryWay) {
  std::mt19937 random(14);
  const auto pick = [&](auto... values) {
    const std::int64_t all[] = {values...};
    return all[random() % std::size(all)];
  };
  on_every_target([&] {
    for (int round = 0; round < 250; ++round) {
      copy_internal::CopyTile tile;
      const std::int64_t bytes = tile.bytes = pick(1, 2, 4, 4, 8);
      const std::int64_t n[4] = {pick(2, 4, 4, 8, 9, 16), pick(1, 1, 3, 16, 40),
                                 pick(2, 4, 9, 16, 18, 33), pick(1, 1, 5, 16)};
      // The destination has the rows side by side, the source the columns.
      std::int64_t dst_step = n[0] * n[1] * bytes, src_step = n[2] * n[3] * bytes;
      dst_step = (dst_step + 63) / 64 * 64 + pick(0, 0, bytes, 64);
      src_step += pick(0, bytes, 40);
      tile.inner = {n[0], bytes, src_step};
      tile.inner_next = {n[1], n[0] * bytes, n[0] * src_step + pick(0, 72)};
      tile.outer = {n[2], dst_step, bytes};
      tile.outer_next = {n[3], n[2] * dst_step + pick(0, 64), n[2] * bytes};
      if (n[1] == 1) tile.inner_next = {};
      if (n[3] == 1) tile.outer_next = {};
      const auto extent = [&](std::int64_t copy_internal::CopyLoop::*step) {
        std::int64_t end = bytes;
        for (const copy_internal::CopyLoop& loop :
             {tile.inner, tile.inner_next, tile.outer, tile.outer_next})
          end += (loop.n - 1) * loop.*step;
        return static_cast<std::size_t>(end);
      };
      const auto src = noise(extent(&copy_internal::CopyLoop::src), random());
      std::vector<std::byte> memory(extent(&copy_internal::CopyLoop::dst) + 192);
      const auto start = 64 - reinterpret_cast<std::uintptr_t>(memory.data()) % 64 +
                         static_cast<std::size_t>(pick(0, 0, 1) * bytes);
      const std::vector<std::byte> before = noise(memory.size(), random());
      std::vector<std::byte> expected = before;
      for (std::int64_t i = 0; i < n[0] * n[1] * n[2] * n[3]; ++i) {
        const std::int64_t at[4] = {i % n[0], i / n[0] % n[1], i / (n[0] * n[1]) % n[2],
                                    i / (n[0] * n[1] * n[2])};
        const copy_internal::CopyLoop* loops[4] = {&tile.inner, &tile.inner_next, &tile.outer,
                                                   &tile.outer_next};
        std::int64_t to = 0, from = 0;
        for (int k = 0; k < 4; ++k) {
          to += at[k] * loops[k]->dst;
          from += at[k] * loops[k]->src;
        }
        std::memcpy(expected.data() + start + to, src.data() + from,
                    static_cast<std::size_t>(bytes));
      }
      for (const bool stream : {false, true}) {
        tile.stream = stream;
        memory = before;
        copy_internal::find_split_transpose_kernel(tile)(tile, memory.data() + start, src.data());
        ASSERT_EQ(memory, expected)
            << bytes << " bytes, " << n[0] << " " << n[1] << " by " << n[2] << " " << n[3];
      }
    }
  });
}

}  // namespace
}  // namespace tensorlane
