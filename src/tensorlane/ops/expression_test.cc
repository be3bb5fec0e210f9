#include "tensorlane/ops/expression.h"

#include <gtest/gtest.h>

#include <limits>

#include "tensorlane/base/error.h"

namespace tensorlane {
namespace {

constexpr Param kParams[] = {{"local_addr_t", "dst_addr"}, {"local_addr_t", "src_addr"},
                             {"const dim4*", "shape"},     {"const dim2*", "stride"},
                             {"op_type_t", "op_type"},     {"int", "C"},
                             {"bool", "using_bias"}};
constexpr std::pair<std::string_view, std::int64_t> kConstants[] = {{"A", 1}, {"B", 7}};
constexpr Definition kDefinitions[] = {{"out", "(shape.h - 3) / stride.h + 1"}};
constexpr Scope kScope{kParams, kDefinitions, kConstants};

struct Call {
  std::array<Arg, 7> args{};
  Call() {
    args[2].field = {2, 70, 9, 5};
    args[3].field = {1, 1};
  }
  std::optional<std::int64_t> value(std::string_view text) const {
    return Expression(text, kScope).evaluate({args, &bm1684(), false});
  }
  bool holds(std::string_view text) const {
    return !Limit(text, kScope).check({args, &bm1684(), false});
  }
};

TEST(Expression, Arithmetic) {
  Call call;
  EXPECT_EQ(call.value("1 + 2 * 3 - -4"), 11);
  EXPECT_EQ(call.value("(1 + 2) * 0x10"), 48);
  EXPECT_EQ(call.value("ceil_div(shape.c, 64) + align(shape.h, 4)"), 14);
  EXPECT_EQ(call.value("min(shape.n, 128) - max(3, 4)"), -2);
  EXPECT_EQ(call.value("okk_npu_num() * 2"), 128);
  EXPECT_EQ(call.value("tpu_eu_num(DT_INT8)"), 128);
  call.args[2].field[2] =
      1;  // floor, not truncation: a window larger than the input gives no output
  call.args[3].field = {4, 1};
  EXPECT_EQ(call.value("out"), 0);
  call.args[3].field = {0, 1};
  EXPECT_EQ(call.value("out"), std::nullopt);
}

TEST(Expression, WhatIsTooLargeIsTheLargestOrTheLeastNumber) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max(), kLeast = -kMost - 1;
  Call call;
  call.args[2].field = {kMost, kMost, kLeast, -1};
  EXPECT_EQ(call.value("shape.n + shape.c"), kMost);
  EXPECT_EQ(call.value("shape.h - 1"), kLeast);
  EXPECT_EQ(call.value("-shape.h"), kMost);
  EXPECT_EQ(call.value("shape.n * shape.c"), kMost);
  EXPECT_EQ(call.value("shape.n * shape.h"), kLeast);
  EXPECT_EQ(call.value("shape.h / shape.w"), kMost);
  EXPECT_EQ(call.value("align(shape.n, 64)"), kMost);
  EXPECT_FALSE(call.holds("1 <= shape.n * shape.c <= 4095"));
}

TEST(Limit, Forms) {
  Call call;
  EXPECT_TRUE(call.holds("1 <= shape.c <= 4095"));
  EXPECT_FALSE(call.holds("1 <= shape.c < 70"));
  EXPECT_FALSE(call.holds("shape.n != 2"));
  EXPECT_TRUE(call.holds("using_bias => shape.n == 5"));
  call.args[6].field[0] = 1;
  EXPECT_FALSE(call.holds("using_bias => shape.n == 5"));
  EXPECT_TRUE(call.holds("stride != NULL => stride.h == 1"));
  call.args[3].is_null = true;
  EXPECT_TRUE(call.holds("stride == NULL"));
  EXPECT_FALSE(call.holds("not_null(stride)"));
  EXPECT_FALSE(call.holds("op_type in {A, B}"));
  call.args[4].field[0] = 7;
  EXPECT_TRUE(call.holds("op_type in {A, B}"));
  EXPECT_FALSE(call.holds("distinct(dst_addr, src_addr)"));
  EXPECT_TRUE(call.holds("same_start_npu(dst_addr, src_addr)"));
  call.args[1].field[0] = 524288;
  EXPECT_FALSE(call.holds("same_start_npu(dst_addr, src_addr)"));
  EXPECT_TRUE(call.holds("start_npu(src_addr) == 1"));
  EXPECT_FALSE(call.holds("never"));
}

TEST(Limit, OnValuesIsARangeAndNotJudgedFromTheArguments) {
  Call call;
  const Limit limit("-5 <= values(src_addr) <= shape.c - 1", kScope);
  EXPECT_FALSE(limit.check({call.args, &bm1684(), false}));
  EXPECT_TRUE(limit.about_data());
  EXPECT_EQ(limit.values_of(), "src_addr");
  const auto range = limit.value_range({call.args, &bm1684(), false});
  ASSERT_TRUE(range);
  EXPECT_EQ(range->low, -5);
  EXPECT_EQ(range->high, 69);
  call.args[2].has_value = false;
  EXPECT_FALSE(limit.value_range({call.args, &bm1684(), false}));
  EXPECT_FALSE(Limit("shape.c <= 5", kScope).value_range({call.args, &bm1684(), false}));
}

TEST(Limit, ItsTagSaysWhatBecomesOfACallThatBreaksIt) {
  Call call;
  const auto breach = [&](std::string_view text) {
    const auto violation = Limit(text, kScope).check({call.args, &bm1684(), false});
    return violation ? violation->breach : Breach::kUnenforced;
  };
  EXPECT_EQ(breach("shape.c <= 5"), Breach::kRefused);
  EXPECT_EQ(breach("shape.c <= 5 [observed]"), Breach::kRefused);
  EXPECT_EQ(breach("shape.c <= 5 [doc; computed]"), Breach::kComputed);
  EXPECT_EQ(breach("shape.c <= 5 [doc; on request]"), Breach::kOnRequest);
  EXPECT_EQ(breach("never [observed; model of 2024]"), Breach::kNewerModel);
  const Limit tagged("shape.c <= 5 [observed; computed]", kScope);
  EXPECT_EQ(tagged.rule(), "shape.c <= 5");
  EXPECT_EQ(tagged.source(), "observed");
  EXPECT_EQ(tagged.breach(), Breach::kComputed);
}

TEST(Limit, ARangeOfNumbersFromZeroOrOneIsLenientAtItsUpperEndAlone) {
  Call call;
  const auto breach = [&](std::string_view text, std::int64_t value) {
    call.args[5].field[0] = value;
    return Limit(text, kScope).check({call.args, &bm1684(), false})->breach;
  };
  EXPECT_EQ(breach("1 <= C <= 15 [doc; on request]", 16), Breach::kOnRequest);
  EXPECT_EQ(breach("1 <= C <= 15 [doc; on request]", 0), Breach::kRefused);
  EXPECT_EQ(breach("0 <= C <= 15 [doc; computed]", -1), Breach::kRefused);
  EXPECT_EQ(breach("-16 <= C <= 16 [doc; computed]", -17), Breach::kComputed);
}

TEST(Limit, EveryLinkOfAChainAndEveryPremiseCounts) {
  Call call;
  EXPECT_TRUE(call.holds("1 <= shape.n < shape.w < shape.h == 9"));
  EXPECT_FALSE(call.holds("1 <= shape.n < shape.w < shape.h == 8"));
  EXPECT_FALSE(call.holds("5 > shape.n > 2"));
  EXPECT_TRUE(call.holds("shape.n == 2 => shape.w == 4 => shape.h == 0"));
  EXPECT_FALSE(call.holds("shape.n == 2 => shape.w == 5 => shape.h == 0"));
  // What cannot be judged, a field of a NULL pointer without a default, breaks nothing.
  call.args[3].is_null = true;
  call.args[3].has_value = false;
  EXPECT_TRUE(call.holds("stride.h == 1"));
  EXPECT_TRUE(call.holds("stride.h == 1 => shape.n == 0"));
  EXPECT_TRUE(call.holds("shape.n == 2 => stride.h == 7"));
}

TEST(Limit, FitsTheTypeOfTheOperand) {
  Call call;
  call.args[4].field = {0, 1, 0, 1, 0, 0};  // 8-bit, source 1 signed
  call.args[5].field[0] = 127;
  EXPECT_TRUE(call.holds("fits(C, op_type.src1)"));
  for (const auto& [value, fits] : {std::pair(-129, false), {-128, true}, {128, false}}) {
    call.args[5].field[0] = value;
    EXPECT_EQ(call.holds("fits(C, op_type.src1)"), fits) << value;
  }
  call.args[4].field = {0, 0, 0, 0, 0, 0};  // 16-bit unsigned
  for (const auto& [value, fits] :
       {std::pair(-1, false), {0, true}, {65535, true}, {65536, false}}) {
    call.args[5].field[0] = value;
    EXPECT_EQ(call.holds("fits(C, op_type.src1)"), fits) << value;
  }
}

TEST(Limit, ViolationNamesValuesRuleAndSource) {
  Call call;
  call.args[2].field[1] = 4096;
  const auto violation =
      Limit("1 <= shape.c <= 4095 [observed]", kScope).check({call.args, &bm1684(), false});
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->values, "shape.c = 4096");
  EXPECT_EQ(violation->rule, "1 <= shape.c <= 4095");
  EXPECT_EQ(violation->source, "observed");
}

TEST(Limit, ViolationShowsWhatStandsInAnExpression) {
  Call call;
  call.args[0].field[0] = 0x80002;
  const auto message = [&](std::string_view text) {
    const auto violation = Limit(text, kScope).check({call.args, &bm1684(), false});
    return violation ? violation->values : std::string();
  };
  EXPECT_EQ(message("dst_addr % 4 == 0"), "dst_addr % 4 = 2 (dst_addr = 0x80002)");
  EXPECT_EQ(
      message("same_start_npu(dst_addr, src_addr)"),
      "dst_addr starts at NPU 1 (2 bytes past the 524288 of NPU 0), src_addr starts at NPU 0");
  EXPECT_EQ(message("shape.h + 3 <= 5"), "shape.h + 3 = 12 (shape.h = 9)");
  const auto aligned =
      Limit("dst_addr % tpu_eu_num(DT_INT8) == 0", kScope).check({call.args, &bm1684(), false});
  ASSERT_TRUE(aligned);
  EXPECT_EQ(aligned->rule, "dst_addr % 128 == 0");  // as it is on this chip
  EXPECT_EQ(aligned->values, "dst_addr % 128 = 2 (dst_addr = 0x80002)");
  call.args[2].is_null = true;
  call.args[2].has_value = false;  // what is said of a NULL pointer is only that
  EXPECT_EQ(message("1 <= shape.c <= 4095"), "");
  EXPECT_EQ(message("not_null(shape)"), "shape is NULL");
}

TEST(Limit, ViolationNamesEnumerators) {
  constexpr Param kTypes[] = {{"data_type_t", "dtype"}, {"op_type_t", "op_type"}};
  constexpr std::pair<std::string_view, std::int64_t> kNames[] = {
      {"DT_INT8", 0}, {"DT_FP32", 5}, {"OP_ADD", 3}, {"OP_SUB", 5}};
  const Scope scope{kTypes, {}, kNames};
  std::array<Arg, 2> args{};
  args[0].field[0] = args[1].field[0] = 5;
  const auto message = [&](std::string_view text) {
    const auto violation = Limit(text, scope).check({args, &bm1684(), false});
    return violation ? violation->values : std::string();
  };
  EXPECT_EQ(message("dtype in {DT_INT8}"), "dtype = DT_FP32");
  EXPECT_EQ(message("op_type in {OP_ADD}"), "op_type = OP_SUB");
  EXPECT_EQ(message("dtype.is_float"), "dtype.is_float = 0 (dtype = DT_FP32)");
  args[0].field[0] = 77;
  EXPECT_EQ(message("dtype in {DT_INT8}"), "dtype = 77") << "no enumerator";
}

TEST(Expression, OurOwnMistakesAreInternalErrors) {
  EXPECT_THROW(Expression("shape.q", kScope), InternalError);
  EXPECT_THROW(Expression("1 +", kScope), InternalError);
  EXPECT_THROW(Limit("1 <= shape.c <= 3 junk", kScope), InternalError);
  EXPECT_THROW(Limit("1 <= shape.c <= 3 [doc; perhaps]", kScope), InternalError);
  EXPECT_THROW(Limit("1 <= values(src_adr) <= 3", kScope), InternalError);
  EXPECT_THROW(Limit("1 <= values(src_addr) + 1 <= 3", kScope), InternalError);
  EXPECT_THROW(Limit("values(src_addr) <= 3", kScope), InternalError);
}

}  // namespace
}  // namespace tensorlane
