// The named layouts of the BM1684 against the formulas and samples of its documentation.
#include "tensorlane/layout/local.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

#include "tensorlane/layout/image.h"

namespace tensorlane {
namespace {

constexpr LocalMemory kBm1684{64, 524288, 128};
constexpr LocalMemory kFigure{4, 1024, 128};  // the chip of the documents' figures

TEST(LocalLayout, StrideSamplesOfTheDocuments) {
  EXPECT_EQ(aligned_stride(kBm1684, 0, {2, 3, 4, 5}, 4), (Stride4{32, 32, 5, 1}));
  EXPECT_EQ(aligned_stride(kBm1684, 63, {2, 3, 4, 5}, 4), (Stride4{64, 32, 5, 1}));
  EXPECT_EQ(aligned_stride(kBm1684, 2, {3, 64, 7, 9}, 4), (Stride4{128, 64, 9, 1}));
  EXPECT_EQ(aligned_stride(kBm1684, 63, {2, 100, 32, 32}, 4), (Stride4{3072, 1024, 32, 1}));
  EXPECT_EQ(aligned_stride(kBm1684, 0, {2, 3, 4, 5}, 2), (Stride4{64, 64, 5, 1}));
  EXPECT_EQ(aligned_stride(kBm1684, 0, {2, 3, 4, 5}, 1), (Stride4{128, 128, 5, 1}));
  EXPECT_EQ(compact_stride(kBm1684, 2, {3, 64, 7, 9}), (Stride4{126, 63, 9, 1}));
  EXPECT_EQ(continuous_stride({3, 64, 7, 9}), (Stride4{4032, 63, 9, 1}));
}

TEST(LocalLayout, AddressFigure) {
  EXPECT_EQ(split_local_address(kFigure, 340), (LocalAddress{0, 340}));
  EXPECT_EQ(split_local_address(kFigure, 1472), (LocalAddress{1, 448}));
  EXPECT_EQ(split_local_address(kFigure, 2300), (LocalAddress{2, 252}));
  EXPECT_EQ(split_local_address(kFigure, 3088), (LocalAddress{3, 16}));
}

// byte = R + esz * (n*sN + row(c)*sC + h*sH + w*sW) in NPU (Q + c) mod X.
TEST(LocalLayout, FollowsTheDocumentedFormula) {
  std::mt19937 random(5);
  const auto pick = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  for (int round = 0; round < 200; ++round) {
    const Shape4 shape{pick(1, 4), pick(1, 150), pick(1, 4), pick(1, 5)};
    const Stride4 stride{pick(0, 500), pick(0, 100), pick(0, 20), pick(0, 3)};
    const std::int64_t q = pick(0, 63), r = 4 * pick(0, 100);
    const Layout layout =
        local_layout(kBm1684, q * kBm1684.npu_bytes + r, shape, stride, Dtype::kFp32);
    for (int trial = 0; trial < 50; ++trial) {
      const std::int64_t n = pick(0, shape.n - 1), c = pick(0, shape.c - 1),
                         h = pick(0, shape.h - 1), w = pick(0, shape.w - 1);
      const std::int64_t index[] = {n, c, h, w};
      const LocalAddress at = layout.local_address(index);
      EXPECT_EQ(at.npu, (q + c) % 64);
      EXPECT_EQ(at.offset,
                r + 4 * (n * stride.n + (q + c) / 64 * stride.c + h * stride.h + w * stride.w));
    }
  }
}

// Column j of a matrix is column j mod w of channel j div w, from the NPU its address lies in.
TEST(LocalLayout, MatricesSpreadTheirChannelsFromTheirStartNpu) {
  std::mt19937 random(8);
  const auto pick = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  for (int round = 0; round < 200; ++round) {
    const LocalMemory memory{4, 1 << 20, 128};
    const std::int64_t rows = pick(1, 5), cols = pick(1, 90), w = pick(1, 20);
    const std::int64_t q = pick(0, 3), r = 128 * pick(0, 5), channels = ceil_div(cols, w);
    const Layout layout =
        matrix_layout(memory, q * memory.npu_bytes + r, rows, cols, w, Dtype::kFp32);
    const Stride4 stride = aligned_stride(memory, q, {rows, channels, 1, w}, 4);
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t col = 0; col < cols; ++col) {
        const std::int64_t index[] = {row, col}, channel = q + col / w;
        EXPECT_EQ(layout.local_address(index),
                  (LocalAddress{channel % 4,
                                r + 4 * (row * stride.n + channel / 4 * stride.c + col % w)}));
      }
    }
  }
}

TEST(LocalLayout, EveryDocumentedLayoutIsInjectiveInsideItsAllocationAndInvertible) {
  std::mt19937 random(6);
  const auto pick = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  for (int round = 0; round < 300; ++round) {
    const Shape4 shape{pick(1, 6), pick(1, 20), pick(1, 4), pick(1, 6)};
    const LocalMemory memory{4, 1 << 16, 128};
    const std::int64_t q = pick(0, 3), address = q * memory.npu_bytes;
    const Dtype small[] = {Dtype::kInt8, Dtype::kInt16};
    const Dtype packed = small[pick(0, 1)];
    const Shape4 words = packed_shape(shape, packed);
    const Shape4 pairs{(shape.n + 1) / 2, shape.c, shape.h, shape.w};
    const int cpc = pick(1, static_cast<int>(shape.c * shape.w));
    struct Case {
      const char* name;
      Layout layout;
      std::int64_t bytes;
    };
    const Case cases[] = {
        {"aligned32",
         local_layout(memory, address, shape, aligned_stride(memory, q, shape, 4), Dtype::kFp32),
         local_bytes_per_npu(shape, aligned_stride(memory, q, shape, 4), 4)},
        {"aligned16",
         local_layout(memory, address, shape, aligned_stride(memory, q, shape, 2), Dtype::kInt16),
         local_bytes_per_npu(shape, aligned_stride(memory, q, shape, 2), 2)},
        {"aligned8",
         local_layout(memory, address, shape, aligned_stride(memory, q, shape, 1), Dtype::kInt8),
         local_bytes_per_npu(shape, aligned_stride(memory, q, shape, 1), 1)},
        {"compact",
         local_layout(memory, address, shape, compact_stride(memory, q, shape), Dtype::kFp32),
         local_bytes_per_npu(shape, compact_stride(memory, q, shape), 4)},
        {"4N/2N",
         packed_layout(memory, address, shape, aligned_stride(memory, q, words, 4), packed),
         local_bytes_per_npu(words, aligned_stride(memory, q, words, 4), 4)},
        {"2IC",
         two_ic_layout(memory, address, shape, compact_stride(memory, q, pairs), Dtype::kFp32),
         local_bytes_per_npu(pairs, compact_stride(memory, q, pairs), 8)},
        {"matrix", matrix_layout(memory, address, shape.n, shape.c * shape.w, cpc, Dtype::kFp32),
         memory.npu_bytes},
    };
    for (const Case& test : cases) {
      SCOPED_TRACE(test.name);
      ASSERT_TRUE(test.layout.injective());
      Layout::Index index{};
      for (std::int64_t i = 0; i < test.layout.size(); ++i) {
        const LocalAddress at = test.layout.local_address(index);
        ASSERT_GE(at.offset, 0);
        ASSERT_LE(at.offset + test.layout.element_units(), test.bytes);
        ASSERT_LT(at.npu, memory.npus);
        ASSERT_EQ(test.layout.element_at(test.layout.address(index)), index);
        for (int d = test.layout.rank() - 1; d >= 0 && ++index[d] == test.layout.extent(d); --d)
          index[d] = 0;
      }
      std::int64_t covered = 0;
      for (const ByteRun& run : test.layout.byte_runs()) covered += run.bytes;
      ASSERT_EQ(covered, test.layout.size() * test.layout.element_units());
    }
  }
}

// Worked example of the 2IC section: I = 3, O = 2, KH = 1, KW = 2.
TEST(LocalLayout, TwoIcExample) {
  const Layout layout = two_ic_layout(kBm1684, 0, {3, 2, 1, 2}, {2, 2, 2, 1}, Dtype::kFp32);
  const auto word = [&](std::int64_t i, std::int64_t o, std::int64_t kw) {
    const std::int64_t index[] = {i, o, 0, kw};
    const LocalAddress at = layout.local_address(index);
    EXPECT_EQ(at.npu, o);
    return at.offset / 4;
  };
  EXPECT_EQ(word(0, 0, 0), 0);
  EXPECT_EQ(word(1, 0, 0), 1);
  EXPECT_EQ(word(0, 0, 1), 2);
  EXPECT_EQ(word(2, 0, 0), 4);
  EXPECT_EQ(word(2, 1, 1), 6);
  EXPECT_FALSE(layout.element_at(5 * 4));  // the dummy of the odd last pair
}

// The worked examples of local.h and image.h.
TEST(LocalLayout, ExamplesOfTheHeaders) {
  const auto at = [](const Layout& layout, std::vector<std::int64_t> index) {
    return layout.local_address(index);
  };
  const std::int64_t npu2 = 2 * kFigure.npu_bytes;
  EXPECT_EQ(
      at(local_layout(kFigure, npu2, {2, 3, 4, 5}, {64, 32, 5, 1}, Dtype::kFp32), {1, 2, 3, 4}),
      (LocalAddress{0, 460}));
  EXPECT_EQ(at(packed_layout(kFigure, 0, {6, 5, 4, 5}, {64, 32, 5, 1}, Dtype::kInt8), {5, 4, 0, 1}),
            (LocalAddress{0, 389}));
  EXPECT_EQ(at(two_ic_layout(kFigure, 0, {3, 2, 1, 2}, {2, 2, 2, 1}, Dtype::kFp32), {1, 0, 0, 1}),
            (LocalAddress{0, 12}));
  EXPECT_EQ(at(matrix_layout(kFigure, 0, 2, 40, 6, Dtype::kFp32), {1, 39}), (LocalAddress{2, 396}));
  EXPECT_EQ(at(vector_layout({64, 262144, 64}, 0, 10, 4, Dtype::kFp16), {9}), (LocalAddress{2, 2}));
  EXPECT_EQ(
      at(grouped_ic_layout({64, 262144, 64}, 0, {66, 70, 2, 3}, Dtype::kInt8), {65, 65, 1, 2}),
      (LocalAddress{1, 1473}));
  const std::vector<std::int64_t> shape = {2, 5, 3, 2}, element = {1, 4, 1, 1};
  const Layout image = image_layout(ImageType::kInOutHeight, shape, Dtype::kFp16);
  EXPECT_EQ(image.image_address(element), (ImageAddress{4, 3, 0}));
  EXPECT_EQ(image.address(element), 176);
  static_assert(aligned_stride({4, 1024, 128}, 2, {2, 3, 4, 5}, 4) == Stride4{64, 32, 5, 1});
}

TEST(LocalLayout, MatrixFigureWithShortLastChannel) {
  const Layout layout = matrix_layout(kFigure, 0, 2, 40, 6, Dtype::kFp32);
  const auto cell = [&](std::int64_t row, std::int64_t col) {
    const std::int64_t index[] = {row, col};
    const LocalAddress at = layout.local_address(index);
    return std::pair(at.npu, at.offset / 4);
  };
  EXPECT_EQ(cell(0, 0), std::pair(std::int64_t{0}, std::int64_t{0}));
  EXPECT_EQ(cell(0, 24), std::pair(std::int64_t{0}, std::int64_t{32}));
  EXPECT_EQ(cell(1, 39), std::pair(std::int64_t{2}, std::int64_t{99}));
}

}  // namespace
}  // namespace tensorlane
