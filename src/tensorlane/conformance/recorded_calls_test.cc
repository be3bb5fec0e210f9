// The recorded calls of the vendor's model, by both implementations of each function.
#include <gtest/gtest.h>

#include "tensorlane/conformance/case_runner.h"
#include "tensorlane/conformance/cases.h"
#include "tensorlane/conformance/result_text.h"

namespace tensorlane::conformance {
namespace {

class RecordedCalls : public testing::TestWithParam<ImplementationChoice> {};

TEST_P(RecordedCalls, OfOkkHoldBitForBit) {
  CaseReader recording(TENSORLANE_TESTDATA "/okk");
  RunOptions options;
  options.choice = GetParam();
  const Result result = run_cases(recording, bm1684(), options);
  EXPECT_EQ(result.total.all(), 2388);
  EXPECT_EQ(result.functions.size(), 117U);
  EXPECT_EQ(result.total.quirk, 30);
  EXPECT_TRUE(result.failures.empty()) << failures_text(result);
}

TEST_P(RecordedCalls, OfTpuKernelHold) {
  CaseReader recording(TENSORLANE_TESTDATA "/tpukernel");
  RunOptions options;
  options.choice = GetParam();
  const Result result = run_cases(recording, bm1684x(), options);
  EXPECT_EQ(result.total.all(), 9450);
  EXPECT_EQ(result.functions.size(), 278U);
  EXPECT_EQ(result.total.quirk, 92);
  EXPECT_EQ(result.exceptions.size(), 92U);
  EXPECT_TRUE(result.failures.empty()) << failures_text(result);
}

TEST_P(RecordedCalls, OfTheTpuKernelModelOf2024Hold) {
  CaseReader recording(TENSORLANE_TESTDATA "/tpukernel_2024");
  RunOptions options;
  options.choice = GetParam();
  const Result result = run_cases(recording, bm1684x(), options);
  EXPECT_EQ(result.total.all(), 1420);
  EXPECT_EQ(result.total.quirk, 1);
  EXPECT_TRUE(result.failures.empty()) << failures_text(result);
}

INSTANTIATE_TEST_SUITE_P(, RecordedCalls,
                         testing::Values(ImplementationChoice::kFastest,
                                         ImplementationChoice::kReference),
                         [](const auto& info) {
                           return info.param == ImplementationChoice::kFastest ? "Fastest"
                                                                               : "Reference";
                         });

}  // namespace
}  // namespace tensorlane::conformance
