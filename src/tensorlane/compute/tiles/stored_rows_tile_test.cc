// Sums over rows as they are stored are those over widened rows, with every instruction set.
#include "tensorlane/compute/tiles/stored_rows_tile.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "tensorlane/base/fp_environment.h"
#include "tensorlane/compute/element_io.h"
#include "tensorlane/compute/tiles/any_type_window_tile.h"
#include "tensorlane/tensor/instruction_set.h"

namespace tensorlane {
namespace {

// `rows` rows of which the last may be short; elements lie side by side.
struct StoredRows {
  Dtype type;
  int columns;
  std::vector<std::uint16_t> elements;

  std::int64_t count() const { return static_cast<std::int64_t>(elements.size()); }
  const std::byte* bytes() const { return reinterpret_cast<const std::byte*>(elements.data()); }

  std::vector<float> widened_sums() const {
    const auto rows = static_cast<int>((count() + columns - 1) / columns);
    std::vector<float> numbers(static_cast<std::size_t>(rows) * columns + kWindowSlack);
    for (std::size_t i = 0; i < elements.size(); ++i) numbers[i] = bits_to_float(elements[i], type);
    std::vector<std::int32_t> starts;
    for (int row = 0; row < rows; ++row) starts.push_back(row * columns);
    std::vector<float> sums(static_cast<std::size_t>(columns) + kWindowSlack);
    sum_rounded_products({numbers.data(), starts.data(), rows, columns, sums.data()}, kNoStart,
                         type);
    sums.resize(static_cast<std::size_t>(columns));
    return sums;
  }
};

StoredRows draw_rows(std::mt19937& random, Dtype type, int columns, std::size_t count) {
  StoredRows rows{type, columns, std::vector<std::uint16_t>(count)};
  for (std::uint16_t& element : rows.elements) {
    float number = static_cast<float>(static_cast<int>(random() % 4096) - 2048) / 64.0F;
    if (random() % 16 == 0) number = random() % 2 == 0 ? -0.0F : 1e-39F;
    if (random() % 512 == 0) number = std::numeric_limits<float>::infinity();
    element = static_cast<std::uint16_t>(float_to_bits(number, type));
  }
  return rows;
}

std::vector<std::uint32_t> bits_of(const std::vector<float>& numbers) {
  std::vector<std::uint32_t> bits(numbers.size());
  std::memcpy(bits.data(), numbers.data(), numbers.size() * sizeof(float));
  return bits;
}

TEST(StoredRowsTile, GivesTheSumsOfWidenedRows) {
  std::mt19937 random(11);
  int taken = 0;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    const ChipFloatScope chip_float;
    for (const Dtype type : {Dtype::kFp16, Dtype::kBf16}) {
      for (const int columns : {8, 16, 32, 48, 64, 96, 128}) {
        for (const std::size_t count : {1U, 31U, 64U, 256U, 300U, 1000U, 1024U}) {
          const StoredRows rows = draw_rows(random, type, columns, count);
          std::vector<float> sums(static_cast<std::size_t>(columns));
          if (!sum_stored_rows(type, rows.bytes(), rows.count(), columns, sums.data())) continue;
          ++taken;
          ASSERT_EQ(bits_of(sums), bits_of(rows.widened_sums()))
              << dtype_name(type) << ", " << columns << " columns, " << count << " elements";
        }
      }
    }
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  EXPECT_EQ(taken > 0, instruction_set_limit() != "scalar");
}

TEST(StoredRowsTile, LeavesOtherTypesAndRowsOfPartsOfVectors) {
  const StoredRows rows{Dtype::kFp16, 7, std::vector<std::uint16_t>(70)};
  std::vector<float> sums(256);
  EXPECT_FALSE(sum_stored_rows(Dtype::kFp32, rows.bytes(), 35, 7, sums.data()));
  EXPECT_FALSE(sum_stored_rows(Dtype::kFp16, rows.bytes(), 70, 7, sums.data()));
}

}  // namespace
}  // namespace tensorlane
