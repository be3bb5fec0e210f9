// Brief functions over rows of their type give the bits of the functions on arrays of fp32, rounded
// to the type.
#include "tensorlane/compute/rows/brief_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "tensorlane/base/every_target_test_support.h"
#include "tensorlane/compute/rows/widened_rows.h"

namespace tensorlane {
namespace {

using special::Function;
using special::RootRule;

using targets_test::on_every_target;

// Elements of a type: of 16 bits all of them, else all upper halves and some that end anyhow.
std::vector<std::byte> elements(Dtype dtype, unsigned seed) {
  std::mt19937 random{seed};
  std::vector<std::uint32_t> bits;
  for (std::uint32_t upper = 0; upper < 65536; ++upper) {
    if (dtype_bits(dtype) == 16) {
      bits.push_back(upper);
    } else {
      bits.push_back(upper << 16U);
      bits.push_back(static_cast<std::uint32_t>(random()));
    }
  }
  if (seed != 0) std::shuffle(bits.begin(), bits.end(), random);
  const auto width = static_cast<std::size_t>(dtype_bytes(dtype));
  std::vector<std::byte> all(bits.size() * width);
  for (std::size_t i = 0; i < bits.size(); ++i) std::memcpy(&all[i * width], &bits[i], width);
  return all;
}

struct Operands {
  Dtype dtype;
  std::vector<std::byte> x, y;
  std::size_t count() const { return x.size() / static_cast<std::size_t>(dtype_bytes(dtype)); }
};

std::vector<std::byte> by_reference(const Function& function, const Operands& operands,
                                    const special::Constants& constants) {
  const std::size_t count = operands.count();
  const std::int64_t bytes = dtype_bytes(operands.dtype);
  std::vector<float> x(count), y(count), result(count);
  std::vector<std::byte> stored(operands.x.size());
  for (std::size_t at = 0; at < count; at += kWideChunk) {
    const std::size_t part = std::min<std::size_t>(kWideChunk, count - at);
    const std::size_t byte = at * static_cast<std::size_t>(bytes);
    const LoadRow<float> load = load_row<float>(operands.dtype);
    load(&operands.x[byte], bytes, part, &x[at]);
    load(&operands.y[byte], bytes, part, &y[at]);
    function.reference({&x[at], &y[at], &result[at], part}, constants);
    store_row<float>(operands.dtype)(&stored[byte], bytes, part, &result[at]);
  }
  return stored;
}

void compare(const Function& function, const Operands& operands,
             const special::Constants& constants) {
  const std::vector<std::byte> want = by_reference(function, operands, constants);
  std::vector<std::byte> got(want.size());
  const std::int64_t bytes = dtype_bytes(operands.dtype);
  Row row{};
  row.dst = got.data();
  row.dst_step = bytes;
  row.src = {operands.x.data(), operands.y.data()};
  row.src_step = {bytes, bytes};
  row.count = static_cast<std::int64_t>(operands.count());
  brief_row(function.vector, operands.dtype)(row, constants);
  const auto width = static_cast<std::size_t>(bytes);
  for (std::size_t i = 0; i < want.size(); i += width) {
    if (std::equal(&want[i], &want[i] + width, &got[i])) continue;
    std::uint32_t x = 0, y = 0, is = 0, should = 0;
    std::memcpy(&x, &operands.x[i], width);
    std::memcpy(&y, &operands.y[i], width);
    std::memcpy(&is, &got[i], width);
    std::memcpy(&should, &want[i], width);
    FAIL() << dtype_name(operands.dtype) << std::hex << " of " << x << " and " << y << ": " << is
           << " for " << should;
  }
}

constexpr Dtype kFloats[] = {Dtype::kFp32, Dtype::kFp16, Dtype::kBf16};

TEST(BriefRows, GiveTheBitsOfRoots) {
  for (const Dtype dtype : kFloats) {
    const Operands operands{dtype, elements(dtype, 1), elements(dtype, 0)};
    on_every_target([&] {
      for (const RootRule rule : {RootRule::kBare, RootRule::kChecked, RootRule::kCheckedTyped}) {
        for (const int steps : {special::kNewtonSteps, 1, 4}) {
          special::Constants constants;
          constants.steps = steps;
          ASSERT_NO_FATAL_FAILURE(compare(special::div(dtype, rule), operands, constants));
          for (const int corrections : {0, 1, 2, 3}) {
            constants.corrections = corrections;
            ASSERT_NO_FATAL_FAILURE(compare(special::reciprocal(dtype, rule), operands, constants));
          }
        }
      }
    });
  }
}

TEST(BriefRows, GiveTheBitsOfSoftsign) {
  const Operands operands{Dtype::kFp32, elements(Dtype::kFp32, 1), elements(Dtype::kFp32, 0)};
  on_every_target([&] {
    for (const special::Dialect dialect : {special::Dialect::kSeries, special::Dialect::kTables})
      ASSERT_NO_FATAL_FAILURE(compare(special::softsign(dialect), operands, {}));
  });
}

TEST(BriefRows, GiveTheBitsOfLinesForCurves) {
  for (const Dtype dtype : {Dtype::kFp16, Dtype::kBf16}) {
    const Operands operands{dtype, elements(dtype, 0), elements(dtype, 0)};
    on_every_target([&] {
      for (const float slope : {0.2F, 0.166015625F, -3.0F}) {
        special::Constants constants;
        constants.first = slope;
        constants.second = 0.5F;
        ASSERT_NO_FATAL_FAILURE(compare(special::hsigmoid(dtype), operands, constants));
      }
      ASSERT_NO_FATAL_FAILURE(compare(special::hswish(dtype), operands, {}));
    });
  }
}

TEST(BriefRows, LeaveLongFunctionsToOthers) {
  EXPECT_EQ(brief_row(special::exp(Dtype::kFp32).vector, Dtype::kFp32), nullptr);
  EXPECT_EQ(brief_row(special::div().reference, Dtype::kFp32), nullptr);
}

}  // namespace
}  // namespace tensorlane
