#include "tensorlane/layout/strided_copy.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tensorlane/base/every_target_test_support.h"
#include "tensorlane/layout/local.h"
#include "tensorlane/layout/strided_copy_test_support.h"

namespace tensorlane {
namespace {

using strided_copy_test::AlignedCopies;
using strided_copy_test::BoxMaker;
using strided_copy_test::check;
using strided_copy_test::noise;
using strided_copy_test::reach;
using targets_test::on_every_target;

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
  on_every_target([&] {
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
  });
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
