// Laws of the strided copy: over random boxes, every path writes what the definition says and
// touches nothing else.
#include "tensorlane/layout/strided_copy.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tensorlane/layout/local.h"
#include "tensorlane/layout/strided_copy_internal.h"

namespace tensorlane {
namespace {

using Copy = std::function<void(const Box&, std::byte*, const std::byte*, std::int64_t)>;

struct Path {
  const char* name;
  Copy copy;
};

const Path kPaths[] = {
    {"reference", copy_reference},
    {"serial",
     [](const Box& box, std::byte* dst, const std::byte* src, std::int64_t bytes) {
       strided_copy(box, dst, src, bytes, CopyThreads::kSerial);
     }},
    {"threads", [](const Box& box, std::byte* dst, const std::byte* src,
                   std::int64_t bytes) { strided_copy(box, dst, src, bytes, CopyThreads::kAuto); }},
};

// Lowest and one past the highest byte that operand k of the box touches.
std::pair<std::int64_t, std::int64_t> reach(const Box& box, int k, std::int64_t bytes) {
  std::int64_t low = box.base[k], high = box.base[k] + bytes;
  for (const Loop& loop : box.nest()) {
    const std::int64_t span = (loop.extent - 1) * loop.stride[k];
    low += std::min<std::int64_t>(0, span);
    high += std::max<std::int64_t>(0, span);
  }
  return {low, high};
}

std::vector<std::byte> noise(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::byte> data(size);
  for (std::byte& b : data) b = static_cast<std::byte>(random());
  return data;
}

// Runs every path on memory that ends exactly where the elements end (so that an address sanitizer
// sees a byte too far) and compares with the definition, gaps included.
void check(const Box& box, std::int64_t bytes) {
  const auto [dst_low, dst_high] = reach(box, 0, bytes);
  const auto [src_low, src_high] = reach(box, 1, bytes);
  const std::vector<std::byte> source = noise(static_cast<std::size_t>(src_high - src_low), 7);
  const std::vector<std::byte> before = noise(static_cast<std::size_t>(dst_high - dst_low), 8);
  const std::byte* src = source.data() - src_low;

  std::vector<std::byte> expected = before;
  std::vector<std::int64_t> at(static_cast<std::size_t>(box.rank) + 1);
  for (std::int64_t i = 0; i < box.size(); ++i) {
    std::int64_t rest = i, to = box.base[0] - dst_low, from = box.base[1] - src_low;
    for (int k = box.rank - 1; k >= 0; --k) {
      to += rest % box.loops[k].extent * box.loops[k].stride[0];
      from += rest % box.loops[k].extent * box.loops[k].stride[1];
      rest /= box.loops[k].extent;
    }
    std::copy_n(source.begin() + from, bytes, expected.begin() + to);
  }
  for (const Path& path : kPaths) {
    std::vector<std::byte> result = before;
    path.copy(box, result.data() - dst_low, src, bytes);
    ASSERT_TRUE(result == expected) << path.name << ", kernel " << copy_kernel_name(box, bytes);
  }
}

// A box of `extents`, nested without overlap in the destination: `order` gives the loops from the
// innermost out, gaps are drawn at random.
struct BoxMaker {
  explicit BoxMaker(unsigned seed) : random(seed) {}
  std::mt19937 random;
  int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); }

  void strides(Box& box, int k, std::int64_t bytes, bool distinct, int gap_odds) {
    std::vector<int> order(static_cast<std::size_t>(box.rank));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    std::int64_t step = bytes;
    for (const int i : order) {
      if (pick(0, gap_odds) == 0) step += pick(1, 9) * (pick(0, 1) ? bytes : 1);
      box.loops[i].stride[k] = step;
      step *= box.loops[i].extent;
      if (pick(0, 6) == 0) box.loops[i].stride[k] *= -1;
      if (!distinct && pick(0, 6) == 0) box.loops[i].stride[k] = 0;
    }
    box.base[k] = pick(-50, 50);
  }

  Box make(std::int64_t bytes, int most) {
    Box box;
    const int rank = pick(0, 5);
    while (box.rank < rank) {
      const int wide = pick(0, 2);
      const int extent = wide == 0 ? pick(1, 4) : wide == 1 ? pick(1, most / 4) : pick(1, most);
      box.loops[box.rank++] = {box.size() * extent > 40000 ? 1 : extent, {}};
    }
    const int gap_odds = pick(0, 4);
    strides(box, 0, bytes, true, gap_odds);
    strides(box, 1, bytes, false, gap_odds);
    return box;
  }
};

TEST(StridedCopy, AgreesWithTheDefinitionOnRandomBoxes) {
  BoxMaker maker(1);
  std::set<std::string> kernels;
  for (int round = 0; round < 1500; ++round) {
    const std::int64_t sizes[] = {1, 2, 4, 8, 1, 2, 4, maker.pick(1, 40)};
    const std::int64_t bytes = sizes[maker.pick(0, 7)];
    const Box box = maker.make(bytes, 150);
    kernels.emplace(copy_kernel_name(box, bytes));
    ASSERT_NO_FATAL_FAILURE(check(box, bytes)) << "round " << round;
  }
  EXPECT_EQ(kernels, (std::set<std::string>{"run", "rows", "fill", "interleave", "deinterleave",
                                            "transpose", "split transpose", "elements"}));
}

// Tile sizes and remainders differ between the instruction sets, so all that this CPU has are
// tried.
TEST(StridedCopy, EveryVectorTargetAgrees) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    BoxMaker maker(2);
    for (int round = 0; round < 800 && !testing::Test::HasFatalFailure(); ++round) {
      const std::int64_t bytes = std::int64_t{1} << maker.pick(0, 4);
      check(maker.make(bytes, 150), bytes);
      Box box;  // a transpose, whole and partial tiles
      box.rank = 2;
      const std::int64_t rows = maker.pick(4, 140), cols = maker.pick(16, 140);
      box.loops[0] = {rows, {(cols + maker.pick(0, 9)) * bytes, bytes}};
      box.loops[1] = {cols, {bytes, (rows + maker.pick(0, 9)) * bytes}};
      if (round % 8 == 0) check(box, bytes);
    }
  }
  hwy::SetSupportedTargetsForTest(0);
}

TEST(StridedCopy, EveryRowWidth) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    for (std::int64_t bytes = 1; bytes <= 10000; bytes += 1 + bytes / 300 * 37) {
      Box box;
      box.rank = 2;
      box.loops[0] = {3, {7 * (bytes + 3), -5 * (bytes + 5)}};
      box.loops[1] = {5, {bytes + 3, bytes + 5}};
      ASSERT_NO_FATAL_FAILURE(check(box, bytes)) << bytes << " bytes";
    }
  }
  hwy::SetSupportedTargetsForTest(0);
}

// Too large to be near: short rows from and to pages of their own, lines inside and outside.
TEST(StridedCopy, ShortRowsFromPageToPage) {
  constexpr std::int64_t kPage = 4096, kPages = 64;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    for (const std::int64_t bytes :
         {16, 17, 31, 32, 33, 47, 49, 63, 64, 65, 98, 127, 128, 129, 196}) {
      const std::int64_t rows = (128 << 10) / kPages / bytes + 1;
      const std::int64_t line = (bytes + 63) / 64 * 64;
      Box box;
      box.rank = 2;
      box.loops[0] = {rows, {kPages * bytes, line}};
      box.loops[1] = {kPages, {bytes, std::max(kPage, rows * line)}};
      ASSERT_NO_FATAL_FAILURE(check(box, bytes)) << "from pages, " << bytes << " bytes";
      for (int i = 0; i < 2; ++i) std::swap(box.loops[i].stride[0], box.loops[i].stride[1]);
      ASSERT_NO_FATAL_FAILURE(check(box, bytes)) << "to pages, " << bytes << " bytes";
    }
  }
  hwy::SetSupportedTargetsForTest(0);
}

// As many rows as make a copy near, cached, neither, or far: each has its own way of moving them.
TEST(StridedCopy, RowsOfCopiesOfEverySize) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    for (const std::int64_t size : {100 << 10, 400 << 10, 600 << 10, 4200 << 10}) {
      for (const std::int64_t bytes : {33, 65, 66, 100, 126, 127, 128, 129, 200, 255, 256, 257}) {
        if (size > (1 << 20) && bytes % 25 != 0) continue;
        Box box;
        box.rank = 1;
        box.loops[0] = {size / bytes + 1, {bytes + 7, bytes + 3}};
        ASSERT_NO_FATAL_FAILURE(check(box, bytes)) << size << " bytes in rows of " << bytes;
      }
    }
  }
  hwy::SetSupportedTargetsForTest(0);
}

// Near: a few short rows to, or from, each of several pages.
TEST(StridedCopy, ShortRowsToPagesInTurns) {
  constexpr std::int64_t kPage = 4096, kPages = 9;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    for (std::int64_t bytes = 1; bytes <= 130; ++bytes) {
      for (const std::int64_t rows : {2, 3, 4, 7}) {
        Box box;
        box.rank = 2;
        box.loops[0] = {rows, {bytes + rows, kPages * bytes}};
        box.loops[1] = {kPages, {kPage, bytes}};
        ASSERT_NO_FATAL_FAILURE(check(box, bytes)) << "to pages, " << rows << " of " << bytes;
        for (int i = 0; i < 2; ++i) std::swap(box.loops[i].stride[0], box.loops[i].stride[1]);
        ASSERT_NO_FATAL_FAILURE(check(box, bytes)) << "from pages, " << rows << " of " << bytes;
      }
    }
  }
  hwy::SetSupportedTargetsForTest(0);
}

TEST(StridedCopy, InterleavesEveryWidthAndLength) {
  for (const std::int64_t bytes : {1, 2, 4, 8}) {
    for (const std::int64_t rows : {2, 3, 4}) {
      for (std::int64_t n = 2; n < 150; n += 1 + n / 8) {
        Box zip;
        zip.rank = 2;
        zip.loops[0] = {n, {rows * bytes, bytes}};
        zip.loops[1] = {rows, {bytes, (n + 1) * bytes}};
        EXPECT_EQ(copy_kernel_name(zip, bytes), "interleave");
        ASSERT_NO_FATAL_FAILURE(check(zip, bytes));
        Box unzip = zip;
        for (int i = 0; i < 2; ++i) std::swap(unzip.loops[i].stride[0], unzip.loops[i].stride[1]);
        ASSERT_NO_FATAL_FAILURE(check(unzip, bytes));
      }
    }
  }
}

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

// Above the size where the copy is split over threads, for each kernel.
TEST(StridedCopy, LargeCopiesAgree) {
  const auto two_loops = [](std::int64_t n0, std::int64_t d0, std::int64_t s0, std::int64_t n1,
                            std::int64_t d1, std::int64_t s1) {
    Box box;
    box.rank = 2;
    box.loops[0] = {n0, {d0, s0}};
    box.loops[1] = {n1, {d1, s1}};
    return box;
  };
  ASSERT_NO_FATAL_FAILURE(check(two_loops(1000, 2000, 2000, 2000, 1, 1), 1));
  ASSERT_NO_FATAL_FAILURE(check(two_loops(30000, 70, 80, 64, 1, 1), 1));
  ASSERT_NO_FATAL_FAILURE(check(two_loops(1030, 4 * 600, 4, 517, 4, 4 * 1040), 4));
  ASSERT_NO_FATAL_FAILURE(check(two_loops(400001, 4, 1, 4, 1, 400010), 1));
  ASSERT_NO_FATAL_FAILURE(check(two_loops(3, 800000, 2, 400000, 2, 6), 2));
  ASSERT_NO_FATAL_FAILURE(check(two_loops(3, 1000000, 12, 400001, 2, -4), 2));
}

// Copies to aligned lines, of `size` bytes at most on either side.
class AlignedCopies {
 public:
  explicit AlignedCopies(std::size_t size)
      : size_(size), expected_(allocate(size)), result_(allocate(size)), source_(noise(size, 3)) {}

  // Every target does what the reference does, and nothing beside.
  void check(const Box& box, std::int64_t bytes) {
    std::memset(expected_.get(), 1, size_);
    copy_reference(box, expected_.get(), source_.data(), bytes);
    for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
      SCOPED_TRACE(hwy::TargetName(target));
      hwy::SetSupportedTargetsForTest(target);
      std::memset(result_.get(), 1, size_);
      strided_copy(box, result_.get(), source_.data(), bytes);
      EXPECT_EQ(std::memcmp(expected_.get(), result_.get(), size_), 0);
    }
    hwy::SetSupportedTargetsForTest(0);
  }

 private:
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  using Memory = std::unique_ptr<std::byte, Free>;
  static Memory allocate(std::size_t size) {
    return Memory(static_cast<std::byte*>(std::aligned_alloc(64, size)));
  }
  std::size_t size_;
  Memory expected_, result_;
  std::vector<std::byte> source_;
};

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
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    for (int round = 0; round < 160; ++round) {
      copy_internal::CopyTile tile;
      tile.bytes = pick(1, 2, 4, 4, 8, 16);
      const std::int64_t across = pick(4, 16, 16, 64, 5, 33, 70, 200, 530),
                         along = pick(4, 16, 32, 64, 7, 75, 150);
      tile.inner = {across, tile.bytes, up(along * tile.bytes, pick(tile.bytes, 64, 1024))};
      tile.outer = {along, up(across * tile.bytes, pick(tile.bytes, 64, 64, 1024)), tile.bytes};
      ASSERT_NO_FATAL_FAILURE(check_every_way(tile, pick(0, 0, 1) * tile.bytes, random()));
    }
  }
  hwy::SetSupportedTargetsForTest(0);
}

// Short elements of many rows that collide, which are brought together many at a time: whole
// buffers, parts of them and what is left over.
TEST(StridedCopy, TransposesManyRowsThatCollide) {
  unsigned seed = 0;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
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
  }
  hwy::SetSupportedTargetsForTest(0);
}

// Rows of less than a line whose columns collide, as those of NPUs do: they go through a buffer.
TEST(StridedCopy, TransposesFewRowsToColumnsThatCollide) {
  unsigned seed = 0;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
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
  }
  hwy::SetSupportedTargetsForTest(0);
}

// Lines of two loops on either side, of every length, aligned and not, past the caches and not.
TEST(StridedCopy, SplitTransposesByEveryWay) {
  std::mt19937 random(14);
  const auto pick = [&](auto... values) {
    const std::int64_t all[] = {values...};
    return all[random() % std::size(all)];
  };
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
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
        ASSERT_EQ(memory, expected) << hwy::TargetName(target) << ": " << bytes << " bytes, "
                                    << n[0] << " " << n[1] << " by " << n[2] << " " << n[3];
      }
    }
  }
  hwy::SetSupportedTargetsForTest(0);
}

// Large copies to aligned lines are written past the caches.
TEST(StridedCopy, StreamedCopiesAgree) {
  AlignedCopies copies(40 << 20);
  for (const std::int64_t bytes : {2, 4, 8}) {
    Box box;  // rows of whole lines in the destination, the last tiles partial
    box.rank = 2;
    const std::int64_t cols = 2048, rows = (17 << 20) / (cols * bytes) / 8 * 8 + 5;
    box.loops[0] = {rows, {cols * bytes, bytes}};
    box.loops[1] = {cols, {bytes, (rows + 3) * bytes}};
    copies.check(box, bytes);
  }
  Box box;
  box.rank = 2;
  for (const std::int64_t width : {64, 128, 192}) {  // whole lines at gaps
    const std::int64_t rows = (18 << 20) / (width + 64) - 3;
    box.loops[0] = {2, {18 << 20, 16 << 20}};
    box.loops[1] = {rows, {width + 64, width + 7}};
    copies.check(box, width);
  }
  for (const std::int64_t width : {40, 100, 196, 300, 1100, 9000}) {  // packed and spread rows
    for (const std::int64_t gap : {std::int64_t{0}, -width & 63, std::int64_t{7}}) {
      const std::int64_t rows = (9 << 20) / width - 1;
      box.base = {gap == 0 ? 37 : 64, 5};  // packed from inside a line
      box.loops[0] = {2, {19 << 20, 12 << 20}};
      box.loops[1] = {rows, {width + gap, width + 11}};
      copies.check(box, width);
    }
  }
  {  // channels of a block, 16 at a time
    const std::int64_t plane = 3200, blocks = (17 << 20) / (64 * plane);
    box.rank = 3;
    box.loops[0] = {blocks, {64 * plane, 64 * plane}};
    box.loops[1] = {plane, {64, 4}};
    box.loops[2] = {16, {4, 4 * plane}};
    copies.check(box, 4);
    for (Loop& loop : box.loops) std::swap(loop.stride[0], loop.stride[1]);
    copies.check(box, 4);
    box.rank = 2;
  }
  for (const std::int64_t bytes : {1, 2, 4, 8}) {  // zipped, many short ones
    for (const std::int64_t rows : {2, 4}) {
      const std::int64_t n = 56, group = rows * bytes, many = (17 << 20) / (n * group);
      box.base = {0, 5};
      box.rank = 3;
      box.loops[0] = {many, {n * group, n * group + 1}};
      box.loops[1] = {n, {group, bytes}};
      box.loops[2] = {rows, {bytes, n * bytes}};
      copies.check(box, bytes);
      for (int i = 1; i < 3; ++i) std::swap(box.loops[i].stride[0], box.loops[i].stride[1]);
      copies.check(box, bytes);
      box.rank = 2;
    }
  }
  for (const std::int64_t bytes : {1, 2, 4}) {  // zipped, from an odd start
    for (const std::int64_t rows : {2, 3, 4}) {
      const std::int64_t n = (17 << 20) / (bytes * rows) / 64 * 64;
      box.base = {7 * rows * bytes, 5};
      box.loops[0] = {n - 10, {rows * bytes, bytes}};
      box.loops[1] = {rows, {bytes, n * bytes}};
      copies.check(box, bytes);
      box.base = {24 * bytes, 5};
      for (int i = 0; i < 2; ++i) std::swap(box.loops[i].stride[0], box.loops[i].stride[1]);
      box.loops[0].extent -= 40;
      copies.check(box, bytes);
    }
  }
}

TEST(StridedCopy, FillsEveryWidthAndLength) {
  for (const std::int64_t bytes : {1, 2, 4, 8}) {
    for (std::int64_t n = 2; n < 700; n += 1 + n / 16) {
      Box box;
      box.rank = 2;
      box.base = {n % 3, 0};
      box.loops[0] = {3, {(n + 5) * bytes + 1, bytes}};
      box.loops[1] = {n, {bytes, 0}};
      EXPECT_EQ(copy_kernel_name(box, bytes), "fill");
      ASSERT_NO_FATAL_FAILURE(check(box, bytes));
      // Rows in blocks, as channels are dealt to NPUs.
      box.rank = 3;
      box.loops[2] = {2 + n % 3, {3 * (n + 5) * bytes + 11, n % 2 * 5 * bytes}};
      EXPECT_EQ(copy_kernel_name(box, bytes), "fill");
      ASSERT_NO_FATAL_FAILURE(check(box, bytes));
    }
  }
}

TEST(StridedCopy, EmptyBoxesMoveNothing) {
  Box box;
  box.rank = 1;
  box.loops[0] = {0, {4, 4}};
  strided_copy(box, nullptr, nullptr, 4);
}

TEST(StridedCopy, NibblesMoveAloneAndInPairs) {
  BoxMaker maker(3);
  for (int round = 0; round < 1000; ++round) {
    Box box = maker.make(1, 20);
    if (round % 2 == 0) {  // whole bytes: an inner run of even length, everything else even
      for (int i = 0; i < box.rank; ++i) {
        for (int k = 0; k < 2; ++k) box.loops[i].stride[k] *= 8;
      }
      box.loops[box.rank++] = {2 * maker.pick(1, 4), {1, 1}};
      for (int k = 0; k < 2; ++k) box.base[k] *= 2;
    }
    for (int k = 0; k < 2; ++k) box.base[k] -= reach(box, k, 1).first & ~1ll;
    const auto bytes_of = [&](int k) {
      return static_cast<std::size_t>(reach(box, k, 1).second + 1) / 2;
    };
    const std::vector<std::byte> source = noise(bytes_of(1), 4);
    const std::vector<std::byte> before = noise(bytes_of(0), 5);
    std::vector<std::byte> reference = before, fast = before;
    copy_nibbles_reference(box, reference.data(), source.data());
    strided_copy_nibbles(box, fast.data(), source.data());
    ASSERT_TRUE(reference == fast) << "round " << round;
    const auto nibble = [](const std::vector<std::byte>& data, std::int64_t at) {
      return std::to_integer<int>(data[static_cast<std::size_t>(at / 2)]) >> (at % 2 * 4) & 15;
    };
    // One element checked by hand: the last of the box, which nothing overwrites.
    std::int64_t to = box.base[0], from = box.base[1];
    for (const Loop& loop : box.nest()) {
      to += (loop.extent - 1) * loop.stride[0];
      from += (loop.extent - 1) * loop.stride[1];
    }
    ASSERT_EQ(nibble(fast, to), nibble(source, from));
  }
}

// The kernels that the layouts of the chips are expected to reach.
TEST(StridedCopy, LayoutsReachTheFastKernels) {
  const LocalMemory memory{64, 524288, 128};
  const Shape4 shape{8, 100, 14, 14};
  const auto kernel = [](const Layout& to, const Layout& from, std::int64_t bytes) {
    std::string names;
    for (const Box& box : fold({&to, &from})) {
      names += std::string(names.empty() ? "" : " ") + std::string(copy_kernel_name(box, bytes));
    }
    return names;
  };
  const Layout s8 = system_layout(0, shape, continuous_stride(shape), Dtype::kInt8);
  const Shape4 words = packed_shape(shape, Dtype::kInt8);
  const Layout n4 =
      packed_layout(memory, 0, shape, aligned_stride(memory, 0, words, 4), Dtype::kInt8);
  EXPECT_EQ(kernel(n4, s8, 1), "interleave interleave");
  EXPECT_EQ(kernel(s8, n4, 1), "deinterleave deinterleave");
  const Layout f32 = system_layout(0, shape, continuous_stride(shape), Dtype::kFp32);
  const Layout local =
      local_layout(memory, 0, shape, aligned_stride(memory, 0, shape, 4), Dtype::kFp32);
  EXPECT_EQ(kernel(local, f32, 4), "rows rows");
  const Layout nhwc = system_layout(0, shape, {100 * 196, 1, 1400, 100}, Dtype::kFp32);
  EXPECT_EQ(kernel(nhwc, f32, 4), "transpose");
}

}  // namespace
}  // namespace tensorlane
