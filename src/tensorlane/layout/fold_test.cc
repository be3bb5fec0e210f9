// The law of fold: walking the boxes visits, for every operand at once, exactly the addresses that
// Layout::address gives, each element once.
#include "tensorlane/layout/fold.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tensorlane/layout/local.h"

namespace tensorlane {
namespace {

using Tuple = std::array<std::int64_t, 3>;

std::vector<Tuple> by_elements(std::span<const Layout* const> layouts) {
  std::vector<Tuple> result;
  Layout::Index index{};
  for (std::int64_t i = 0; i < layouts[0]->size(); ++i) {
    Tuple tuple{};
    for (std::size_t k = 0; k < layouts.size(); ++k) tuple[k] = layouts[k]->address(index);
    result.push_back(tuple);
    for (int d = layouts[0]->rank() - 1; d >= 0 && ++index[d] == layouts[0]->extent(d); --d)
      index[d] = 0;
  }
  return result;
}

std::vector<Tuple> by_boxes(std::span<const Layout* const> layouts, LoopOrder order) {
  std::vector<Tuple> result;
  for (const Box& box : fold(layouts, order)) {
    for (std::int64_t i = 0; i < box.size(); ++i) {
      Tuple tuple{};
      for (std::size_t k = 0; k < layouts.size(); ++k) {
        tuple[k] = box.base[k];
        std::int64_t rest = i;
        for (int d = box.rank - 1; d >= 0; --d) {
          tuple[k] += rest % box.loops[d].extent * box.loops[d].stride[k];
          rest /= box.loops[d].extent;
        }
      }
      result.push_back(tuple);
    }
  }
  return result;
}

void expect_same(std::span<const Layout* const> layouts) {
  std::vector<Tuple> expected = by_elements(layouts);
  std::vector<Tuple> actual = by_boxes(layouts, LoopOrder::kByAddress);
  std::sort(expected.begin(), expected.end());
  std::sort(actual.begin(), actual.end());
  ASSERT_EQ(actual, expected);
}

TEST(Fold, VisitsEveryElementOfEveryOperandOnce) {
  std::mt19937 random(3);
  const auto pick = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  const LocalMemory memory{8, 1 << 20, 128};
  for (int round = 0; round < 2000; ++round) {
    const Shape4 shape{pick(1, 5), pick(1, 30), pick(1, 4), pick(1, 6)};
    const auto any_local = [&] {
      const std::int64_t start = pick(0, 7);
      const std::int64_t address = start * memory.npu_bytes + 4 * pick(0, 9);
      switch (pick(0, 3)) {
        case 0:
          return local_layout(memory, address, shape, aligned_stride(memory, start, shape, 4),
                              Dtype::kFp32);
        case 1:
          return local_layout(memory, address, shape,
                              {pick(0, 999), pick(0, 99), pick(0, 9), pick(0, 3)}, Dtype::kFp32);
        case 2:
          return packed_layout(memory, address, shape,
                               aligned_stride(memory, start, packed_shape(shape, Dtype::kInt8), 4),
                               Dtype::kInt8);
        default:
          return system_layout(address, shape, continuous_stride(shape), Dtype::kFp32);
      }
    };
    const Layout a = any_local(), b = any_local(), c = any_local();
    const Layout* operands[] = {&a, &b, &c};
    expect_same(operands);
  }
}

TEST(Fold, MatricesWithShortLastChannels) {
  std::mt19937 random(4);
  const auto pick = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  const LocalMemory memory{8, 1 << 20, 128};
  for (int round = 0; round < 1000; ++round) {
    const int rows = pick(1, 4), cols = pick(1, 80);
    const auto any = [&] {
      if (pick(0, 2) == 0)
        return system_matrix_layout(pick(0, 50), rows, cols, pick(1, 90), Dtype::kFp32);
      return matrix_layout(memory, pick(0, 7) * memory.npu_bytes, rows, cols, pick(1, cols),
                           Dtype::kFp32);
    };
    const Layout a = any(), b = any();
    const Layout* operands[] = {&a, &b};
    expect_same(operands);
  }
}

TEST(Fold, LogicalOrderIsKept) {
  const LocalMemory memory{8, 1 << 20, 128};
  const Shape4 shape{2, 3, 4, 5};
  const Layout a = local_layout(memory, 0, shape, {0, 7, 0, 3}, Dtype::kFp32);
  const Layout* operands[] = {&a};
  EXPECT_EQ(by_boxes(operands, LoopOrder::kLogical), by_elements(operands));
}

TEST(Fold, MergesToTheFewestLoops) {
  const LocalMemory memory{64, 524288, 128};
  const Shape4 shape{4, 64, 8, 16};
  const Layout local =
      local_layout(memory, 0, shape, compact_stride(memory, 0, shape), Dtype::kFp32);
  const std::vector<Box> boxes = fold(local);
  ASSERT_EQ(boxes.size(), 1u);
  ASSERT_EQ(boxes[0].rank, 2);  // 64 NPUs x one dense run
  EXPECT_EQ(boxes[0].loops[0].extent, 64);
  EXPECT_EQ(boxes[0].loops[1].extent, 4 * 8 * 16);
  const Layout system = system_layout(0, shape, continuous_stride(shape), Dtype::kFp32);
  const std::vector<Box> dense = fold(system);
  ASSERT_EQ(dense.size(), 1u);
  EXPECT_EQ(dense[0].rank, 1);
}

// What is dense in the first operand need not be so in the others.
TEST(Fold, LoopsFuseOnlyWhereTheyDoForEveryOperand) {
  const Shape4 shape{2, 3, 4, 5};
  const Layout dense = system_layout(0, shape, continuous_stride(shape), Dtype::kFp32);
  const Layout apart = system_layout(0, shape, {100, 33, 7, 1}, Dtype::kFp32);
  EXPECT_EQ(fold({&dense, &dense})[0].rank, 1);
  EXPECT_EQ(fold({&dense, &apart})[0].rank, 4);
  EXPECT_EQ(fold({&apart, &dense})[0].rank, 4);
  const Layout* operands[] = {&dense, &dense, &apart};
  expect_same(operands);
}

TEST(Fold, WrappedChannelsGiveThreeBoxes) {
  const LocalMemory memory{64, 524288, 128};
  const Shape4 shape{1, 200, 2, 2};
  const Layout local = local_layout(memory, 5 * memory.npu_bytes, shape,
                                    aligned_stride(memory, 5, shape, 4), Dtype::kFp32);
  EXPECT_EQ(fold(local).size(), 3u);  // NPU 5..63, two full rows, NPU 0..12
}

}  // namespace
}  // namespace tensorlane
