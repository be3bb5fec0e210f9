// Every 8-bit float with constants of every kind, by vectors of every instruction set, as the
// operations of fp32_arithmetic.h on the same numbers have it.
#include "tensorlane/compute/rows/byte_float_rows.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "tensorlane/base/fp_environment.h"
#include "tensorlane/compute/fp32_arithmetic.h"
#include "tensorlane/compute/rows/widened_rows.h"

namespace tensorlane {
namespace {

constexpr std::size_t kBytes = 256;

float of(ByteFloatFormula formula, float a, float c) {
  if (formula == ByteFloatFormula::kAdd) return fp32::add(a, c);
  return formula == ByteFloatFormula::kMultiply ? fp32::mul(a, c) : fp32::sub(c, a);
}

void compare(ByteFloatFormula formula, Dtype dst, Dtype src, float constant) {
  std::array<std::uint8_t, kBytes> bytes;
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
  const auto* const from = reinterpret_cast<const std::byte*>(bytes.data());
  std::array<float, kBytes> numbers, results;
  load_row<float>(src)(from, 1, kBytes, numbers.data());
  for (std::size_t i = 0; i < kBytes; ++i) results[i] = of(formula, numbers[i], constant);
  const std::int64_t width = dtype_bytes(dst);
  std::vector<std::byte> want(kBytes * static_cast<std::size_t>(width)), got(want.size());
  store_row<float>(dst)(want.data(), width, kBytes, results.data());
  Row row{};
  row.dst = got.data();
  row.dst_step = width;
  row.src[0] = from;
  row.src_step[0] = 1;
  row.count = kBytes;
  byte_float_row(formula, dst, src)(row, constant);
  for (std::size_t i = 0; i < kBytes; ++i) {
    const auto at = static_cast<std::ptrdiff_t>(i) * width;
    ASSERT_TRUE(std::equal(want.begin() + at, want.begin() + at + width, got.begin() + at))
        << dtype_name(dst) << " of " << dtype_name(src) << ' ' << i << " and " << constant;
  }
}

TEST(ByteFloatRows, GiveTheBitsOfNumbers) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    const ChipFloatScope flush;  // where rows are computed
    for (const Dtype src : {Dtype::kFp8E4M3, Dtype::kFp8E5M2}) {
      for (const Dtype dst : {Dtype::kFp32, Dtype::kFp16, Dtype::kBf16}) {
        for (const ByteFloatFormula formula :
             {ByteFloatFormula::kAdd, ByteFloatFormula::kSubtractFrom,
              ByteFloatFormula::kMultiply}) {
          for (const float constant :
               {0.0F, -0.0F, 1.0F, -2.75F, 1e-3F, 3e38F, 1e-38F, 1e-40F, kInfinity, -kInfinity})
            ASSERT_NO_FATAL_FAILURE(compare(formula, dst, src, constant));
        }
      }
    }
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

TEST(ByteFloatRows, LeaveResultsOfEightBitsToTables) {
  EXPECT_EQ(byte_float_row(ByteFloatFormula::kAdd, Dtype::kFp8E5M2, Dtype::kFp8E5M2), nullptr);
}

}  // namespace
}  // namespace tensorlane
