#include "tensorlane/compare/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "tensorlane/base/error.h"

namespace tensorlane::compare {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");

TEST(Compare, AgreementIsReflexiveAndSymmetricForSpecialValues) {
  const Tolerance exact{};
  for (const double value : {0.0, -0.0, 1.5, kInfinity, -kInfinity, kNan})
    EXPECT_TRUE(agree(value, value, exact)) << value;
  const Tolerance wide{.absolute = 1e300, .relative = 1};
  EXPECT_FALSE(agree(kNan, 1, wide));
  EXPECT_FALSE(agree(1, kNan, wide));
  EXPECT_FALSE(agree(kInfinity, 1e300, wide));
  EXPECT_FALSE(agree(kInfinity, -kInfinity, wide));
  EXPECT_TRUE(agree(0.0, -0.0, exact));
}

TEST(Compare, UlpsAreNeighboursOfTheType) {
  for (const auto& [dtype, step] : {std::pair{Dtype::kFp32, std::ldexp(1.0, -23)},
                                    {Dtype::kFp16, std::ldexp(1.0, -10)},
                                    {Dtype::kBf16, std::ldexp(1.0, -7)},
                                    {Dtype::kInt8, 1.0}}) {
    const Tolerance two{.ulps = 2, .dtype = dtype};
    EXPECT_TRUE(agree(1 + 2 * step, 1, two)) << dtype_name(dtype);
    EXPECT_FALSE(agree(1 + 3 * step, 1, two)) << dtype_name(dtype);
  }
  // Denormals of fp16 are 2^-24 apart.
  const Tolerance one{.ulps = 1, .dtype = Dtype::kFp16};
  EXPECT_TRUE(agree(std::ldexp(1.0, -24), 0, one));
  EXPECT_FALSE(agree(std::ldexp(1.0, -23), 0, one));
}

TEST(Compare, TolerancesAreReadAsWritten) {
  const Tolerance plain = parse_tolerance("1e-3", Dtype::kFp32, 10);
  EXPECT_DOUBLE_EQ(plain.relative, 1e-3);
  EXPECT_DOUBLE_EQ(plain.absolute, 1e-2);
  const Tolerance parts = parse_tolerance("abs=0.5,ulp=2,rel=0.25", Dtype::kFp16, 10);
  EXPECT_DOUBLE_EQ(parts.absolute, 0.5);
  EXPECT_DOUBLE_EQ(parts.relative, 0.25);
  EXPECT_DOUBLE_EQ(parts.ulps, 2);
  for (const char* wrong : {"", "abc", "abs=", "-1", "1e-3,", "nan", "abs=1;rel=2", "1e-3x"})
    EXPECT_THROW(parse_tolerance(wrong, Dtype::kFp32, 1), UserError) << wrong;
}

TEST(Compare, CountsAreThoseOfTheElements) {
  std::mt19937 random(7);
  std::normal_distribution<double> number;
  for (int round = 0; round < 50; ++round) {
    const Shape shape{1 + round % 3, 1 + round % 7, 5, 3};
    std::vector<double> want(static_cast<std::size_t>(element_count(shape, "test")));
    for (double& value : want) value = number(random);
    std::vector<double> got = want;
    std::int64_t planted = 0, first = -1;
    double worst = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
      if (random() % 5 != 0) continue;
      const double by = 0.01 + std::abs(number(random));
      got[i] += by;
      if (planted++ == 0) first = static_cast<std::int64_t>(i);
      worst = std::max(worst, by);
    }
    const Comparison found = compare(got, want, shape, {.absolute = 1e-6});
    EXPECT_EQ(found.differing, planted);
    if (planted == 0) continue;
    EXPECT_EQ(found.first.at, first);
    EXPECT_NEAR(found.worst.got - found.worst.want, worst, 1e-9);
    std::int64_t binned = 0;
    for (const Bin& bin : found.histogram) binned += bin.count;
    EXPECT_EQ(binned, planted);
  }
}

TEST(Compare, EverySizeOfDifferenceHasItsBin) {
  std::vector<double> want(12, 0.0), got = want;
  for (std::size_t i = 0; i < got.size(); ++i) got[i] = std::pow(10.0, -static_cast<double>(i));
  got.back() = kInfinity;
  const Comparison found = compare(got, want, {12}, {});
  ASSERT_FALSE(found.histogram.empty());
  EXPECT_EQ(found.histogram.back().count, 1);
  EXPECT_TRUE(std::isinf(found.histogram.back().high));
  std::int64_t all = 0;
  for (const Bin& bin : found.histogram) all += bin.count;
  EXPECT_EQ(all, 12);
}

TEST(Compare, ShapesThatDoNotFitAreRefused) {
  const std::vector<double> six(6), five(5);
  EXPECT_THROW(compare(six, six, {7}, {}), UserError);
  EXPECT_THROW(compare(five, six, {6}, {}), UserError);
  EXPECT_EQ(compare(six, six, {2, 3}, {}).differing, 0);
  EXPECT_EQ(compare(std::span(five).first(1), std::span(six).first(1), {}, {}).differing, 0);
  EXPECT_EQ(compare({}, {}, {0, 4}, {}).differing, 0);
}

TEST(Compare, ElementsOfEveryTypeAreItsNumbers) {
  const auto bytes = [](auto... byte) {
    return std::vector<std::byte>{static_cast<std::byte>(byte)...};
  };
  EXPECT_EQ(elements_of(Dtype::kInt8, bytes(0xff, 0x7f), 2), (std::vector<double>{-1, 127}));
  EXPECT_EQ(elements_of(Dtype::kUint16, bytes(0x34, 0x12), 1), (std::vector<double>{0x1234}));
  EXPECT_EQ(elements_of(Dtype::kFp16, bytes(0x00, 0x3c, 0x00, 0xc0), 2),
            (std::vector<double>{1, -2}));
  EXPECT_EQ(elements_of(Dtype::kBf16, bytes(0x80, 0x3f), 1), (std::vector<double>{1}));
  EXPECT_EQ(elements_of(Dtype::kInt4, bytes(0xf1), 2), (std::vector<double>{1, -1}));
  EXPECT_EQ(elements_of(Dtype::kUint32, bytes(0, 0, 0, 0x80), 1),
            (std::vector<double>{2147483648.0}));
}

}  // namespace
}  // namespace tensorlane::compare
