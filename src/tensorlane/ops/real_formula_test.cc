#include "tensorlane/ops/real_formula.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace tensorlane {
namespace {

constexpr std::array<std::string_view, 9> kNames = {"dst",   "src",    "src0", "src1", "C",
                                                    "alpha", "rshift", "bias", "shift"};

// The value where every name has the number beside it.
double value_of(std::string_view doc, std::initializer_list<double> numbers) {
  const auto formula = RealFormula::parse(doc, kNames);
  if (!formula) return std::nan("");
  std::vector<double> held(numbers);
  std::vector<const double*> values;
  for (const double& each : held) values.push_back(&each);
  EXPECT_EQ(values.size(), formula->names().size()) << doc;
  double result = 0;
  formula->evaluate(values, {&result, 1});
  return result;
}

TEST(RealFormula, IsEvaluatedAsItReads) {
  EXPECT_EQ(value_of("dst = src0 + src1", {2, 3}), 5);
  EXPECT_EQ(value_of("dst = dst + src0 * src1", {1, 2, 3}), 7);
  EXPECT_EQ(value_of("dst = src0 - src1 - C", {10, 3, 2}), 5);
  EXPECT_EQ(value_of("dst = 1 / sqrt(src)", {4}), 0.5);
  EXPECT_EQ(value_of("dst = 1 / (1 + e ^ -src)", {0}), 0.5);
  EXPECT_DOUBLE_EQ(value_of("dst = e ^ src - 1", {2}), std::exp(2.0) - 1);
  EXPECT_EQ(value_of("dst = src > 0 ? src : alpha * src", {-2, 0.5}), -1);
  EXPECT_EQ(value_of("dst = src > 0 ? src : alpha * src", {2, 0.5}), 2);
  EXPECT_EQ(value_of("dst = |src0 - src1|", {2, 5}), 3);
  EXPECT_EQ(value_of("dst = (src0 + src1) >> rshift", {6, 2, 2}), 2);
  EXPECT_EQ(value_of("dst = shift(src0 * src1)", {6, 2, -2}), 3);
  EXPECT_EQ(value_of("dst = src + bias[c]", {1, 2}), 3);
  EXPECT_EQ(value_of("dst = src + bias", {1, 2}), 3);
  EXPECT_EQ(value_of("dst[i, j] = src0[i] * src1[j]", {3, 4}), 12);
  EXPECT_EQ(value_of("dst = (src0 * src1) >> rshift", {3, 4, 1}), 6);
  EXPECT_EQ(value_of("dst = int32(src)", {7}), 7);
  EXPECT_EQ(value_of("dst = src0 != src1 ? C : 0", {7, 6, 3}), 3);
  EXPECT_EQ(value_of("dst = src0 != src1 ? C : 0", {7, 7, 3}), 0);
  EXPECT_EQ(value_of("dst = (src + C) ^ 2", {1, 2}), 9);
  EXPECT_EQ(value_of("dst = limit(alpha * src + C, 0..1)", {2, 3, 4}), 1);
  EXPECT_EQ(value_of("dst = src * limit(src / 6 + 1 / 2, 0..1)", {12}), 12);
  EXPECT_EQ(value_of("dst = saturate(round(src * alpha + C))", {3, 2, 1}), 7);
  EXPECT_EQ(value_of("dst = min(src0, src1)", {3, 2}), 2);
}

TEST(RealFormula, ProseIsNoFormula) {
  for (const char* text : {"",
                           "Matrix product",
                           "dst",
                           "dst =",
                           "dst = ",
                           "dst = what",
                           "dst = src0 &  src1",
                           "dst = 1 where src > 0, 0 where it is 0, -1 elsewhere",
                           "dst = sum of src^k / k! for k = 0 .. num_series",
                           "dst = src0 shifted by src1: left",
                           "dst = neither of src0, src1 is greater ? src0 : src1",
                           "dst = high byte of src",
                           "dst = (src",
                           "dst = src +",
                           "dst = src ? 1",
                           "dst0 = max(src0, src1)",
                           "dst = table[src]",
                           "dst = src0 + src1 ",
                           "dst = src0, rounded",
                           "dst = bits of src0 and src1 are equal ? 1 : 0",
                           "dst = 5"})
    EXPECT_FALSE(RealFormula::parse(text, kNames)) << text;
}

TEST(RealFormula, LongArraysAreEvaluatedWhole) {
  const auto formula = RealFormula::parse("dst = src0 * src1 + C", kNames);
  ASSERT_TRUE(formula);
  for (const std::size_t size : {1, 255, 256, 257, 1000}) {
    std::vector<double> a(size), b(size), c(size), result(size);
    for (std::size_t i = 0; i < size; ++i) {
      a[i] = static_cast<double>(i);
      b[i] = 3;
      c[i] = 0.5;
    }
    const std::array<const double*, 3> values = {a.data(), b.data(), c.data()};
    formula->evaluate(values, result);
    for (std::size_t i = 0; i < size; ++i) EXPECT_EQ(result[i], 3 * static_cast<double>(i) + 0.5);
  }
}

}  // namespace
}  // namespace tensorlane
