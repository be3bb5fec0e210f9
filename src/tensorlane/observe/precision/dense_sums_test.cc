#include "tensorlane/observe/precision/dense_sums.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tensorlane/base/every_target_test_support.h"

namespace tensorlane::precision {
namespace {

// Sums one after the other, of factors that stand where right_place says.
void add_plainly(const DenseSums& dense, std::vector<double>& sums) {
  for (std::int64_t row = 0; row < dense.rows; ++row) {
    for (std::int64_t column = 0; column < dense.columns; ++column) {
      double& sum = sums[static_cast<std::size_t>(row * dense.columns + column)];
      for (std::int64_t step = 0; step < dense.steps; ++step)
        sum += dense.left[row * dense.steps + step] * dense.right[dense.right_place(step, column)];
    }
  }
}

TEST(DenseSums, AreTheSameBitsForAllShapes) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> any(-4, 4);
  const auto numbers = [&](std::int64_t count) {
    std::vector<double> made(static_cast<std::size_t>(count));
    for (double& each : made) each = any(random);
    return made;
  };
  const auto hold = [&](std::int64_t rows, std::int64_t steps, std::int64_t columns) {
    const std::vector<double> left = numbers(rows * steps), right = numbers(columns * steps);
    std::vector<double> sums = numbers(rows * columns), want = sums;
    const DenseSums dense{left.data(), right.data(), sums.data(), rows, steps, columns};
    add_plainly(dense, want);
    add_products(dense);
    ASSERT_EQ(sums, want) << rows << " rows, " << steps << " steps, " << columns << " columns";
  };
  targets_test::for_every_target([&] {
    for (std::int64_t rows = 1; rows <= 9; ++rows) {
      for (std::int64_t columns = 1; columns <= 70; ++columns)
        hold(rows, (rows * columns) % 5 + 1, columns);
    }
    // Shared among threads: tasks of some rows and columns, the last ones smaller.
    for (const std::int64_t columns : {513, 1100}) hold(67, 40, columns);
  });
}

TEST(DenseSums, EveryFactorHasAPlaceOfItsOwn) {
  for (std::int64_t columns = 1; columns <= 50; ++columns) {
    const DenseSums dense{.steps = 3, .columns = columns};
    std::vector<int> taken(static_cast<std::size_t>(3 * columns));
    for (std::int64_t step = 0; step < 3; ++step) {
      for (std::int64_t column = 0; column < columns; ++column)
        ++taken.at(static_cast<std::size_t>(dense.right_place(step, column)));
    }
    EXPECT_EQ(taken, std::vector<int>(taken.size(), 1)) << columns;
  }
}

}  // namespace
}  // namespace tensorlane::precision
