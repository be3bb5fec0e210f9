#include "tensorlane/compute/rows/formula_words.h"

#include <gtest/gtest.h>

namespace tensorlane {
namespace {

TEST(FormulaWords, AreTheFormulaOfTheNames) {
  EXPECT_EQ(formula_words<TypedRow::kSubtractFrom>("src", "C"), "C - src");
  EXPECT_EQ(formula_words<TypedRow::kNegate>("src"), "0 - src");
  EXPECT_EQ(formula_words<TypedRow::kSquaredDifference>("src", "bias[c]"), "(src - bias[c]) ^ 2");
  EXPECT_EQ(formula_words<TypedRow::kMultiplyAdd>("dst", "src0", "src1"), "src0 * src1 + dst");
  EXPECT_EQ(formula_words<TypedRow::kMinimum>("src", "C"), "src >= C ? C : src");
  EXPECT_EQ(formula_words<TypedRow::kComplement>("src"), "~src");
  EXPECT_EQ(formula_doc<TypedRow::kAdd>("dst[i, j]", "src0[i]", "src1[j]").formula,
            "dst[i, j] = src0[i] + src1[j]");
}

TEST(FormulaWords, WhatDoesNotHoldIsTheOtherRelation) {
  EXPECT_EQ(formula_words<TypedRow::kGreaterEqual>("a", "b", "c", "d"), "a >= b ? c : d");
  EXPECT_EQ(formula_words<TypedRow::kLess>("a", "b", "c", "d"), "a < b ? c : d");
  EXPECT_EQ(formula_words<TypedRow::kLessEqual>("a", "b", "c", "d"), "a <= b ? c : d");
  EXPECT_EQ(formula_words<TypedRow::kNotEqual>("a", "b", "c", "0"), "a != b ? c : 0");
}

// What binds less than its place gets parentheses, the right operand of its own kind too.
TEST(FormulaWords, ReadAsTheyAreComputed) {
  using A = FormulaWords;
  const Wording a{"a"}, b{"b"}, c{"c"};
  EXPECT_EQ(A::sub(a, A::sub(b, c)).text, "a - (b - c)");
  EXPECT_EQ(A::sub(A::sub(a, b), c).text, "a - b - c");
  EXPECT_EQ(A::mul(A::add(a, b), c).text, "(a + b) * c");
  EXPECT_EQ(A::add(A::select(A::greater(a, b), a, b), c).text, "(a > b ? a : b) + c");
  EXPECT_EQ(A::div(A::set(1), A::rsqrt(a)).text, "1 / (1 / sqrt(a))");
}

}  // namespace
}  // namespace tensorlane
