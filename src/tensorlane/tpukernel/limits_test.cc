// Every limit of the list is enforced: see ops/limits_test_support.h.
#include "tensorlane/ops/limits_test_support.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "tensorlane/device/computed_alike_test_support.h"
#include "tensorlane/tpukernel/define.h"
#include "tensorlane/tpukernel/random_call_test_support.h"

namespace tensorlane::tpukernel {
namespace {

std::vector<Arg> whole_values(std::string_view type) {
  std::vector<Arg> values;
  if (type == "data_type_t") {
    for (const data_type_t code : {DT_FP32, DT_FP16, DT_BFP16, DT_INT32, DT_UINT32, DT_INT16,
                                   DT_UINT16, DT_INT8, DT_UINT8, DT_INT4, DT_FP8E4M3}) {
      values.push_back(encode(code));
    }
  } else if (type == "const variable_t*") {
    values.push_back(encode(static_cast<const variable_t*>(nullptr)));
    for (const var_type_t kind : {TENSOR, SCALAR, VECTOR}) {
      for (const unsigned address : {0U, 32U, 40000U, 3U * 262144U, 64U * 262144U}) {
        const variable_t value{.type = kind, .context = {.addr = address}};
        values.push_back(encode(&value));
      }
    }
  } else if (type == "const dim4*") {
    const dim4 cube{3, 3, 3, 3};
    values = {encode(static_cast<const dim4*>(nullptr)), encode(&cube)};
  } else if (type == "const dim2*") {
    const dim2 square{1, 1};
    values = {encode(static_cast<const dim2*>(nullptr)), encode(&square)};
  } else if (type == "const padding_t*") {
    const padding_t none{0, 0, 0, 0};
    values = {encode(static_cast<const padding_t*>(nullptr)), encode(&none)};
  }
  return values;
}

class Limits : public testing::TestWithParam<const Op*> {};

LimitsLaw law() {
  static ComputedAlike runs(bm1684x());
  return {bm1684x(),
          [random = Random(54321)](const Op& op) mutable { return random_call(op, random); },
          whole_values, [](const Command& command) { runs.expect(command); }};
}

TEST_P(Limits, EveryOneIsEnforcedByItself) {
  expect_every_limit_enforced(*GetParam(), law());
}

TEST_P(Limits, HoldOfACallThatComesAgain) {
  expect_repeated_calls_decoded_alike(*GetParam(), law());
}

TEST_P(Limits, ACallThatComesAgainIsComputedAlike) {
  expect_repeated_calls_computed_alike(*GetParam(), law());
}

INSTANTIATE_TEST_SUITE_P(, Limits, testing::ValuesIn(functions_with_an_engine(ops().all())),
                         [](const auto& info) { return std::string(info.param->name()); });

// An address that a call may have where an EU row has 16 bytes; the BM1684X has 64.
TEST(EuRow, AlignsAddressesAsTheChipHasIt) {
  Chip narrow = bm1684x();
  narrow.eu_bytes = narrow.local.align_bytes = 16;
  int aligned = 0;
  for (const Op* op : ops().all()) {
    std::vector<Arg> args(op->params().size());
    for (Arg& arg : args) {
      arg.field[0] = 16;
      arg.has_value = true;
    }
    for (const Limit& limit : op->limits()) {
      EXPECT_EQ(limit.rule().find("% 64"), std::string::npos) << op->name();
      if (!limit.rule().ends_with("_addr % tpu_eu_num(DT_INT8) == 0") ||
          limit.rule().find("=>") != std::string::npos) {
        continue;
      }
      ++aligned;
      EXPECT_FALSE(limit.is_broken({args, &narrow, false})) << op->name() << ' ' << limit.rule();
      const std::optional<Violation> wide = limit.check({args, &bm1684x(), false});
      ASSERT_TRUE(wide) << op->name() << ' ' << limit.rule();
      EXPECT_TRUE(wide->rule.ends_with("_addr % 64 == 0")) << wide->rule;
    }
  }
  EXPECT_GT(aligned, 200);
}

}  // namespace
}  // namespace tensorlane::tpukernel
