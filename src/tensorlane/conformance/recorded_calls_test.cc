// The recorded calls of the vendor's model, by both implementations of each function, the fastest
// on one thread and on several.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "tensorlane/base/parallel.h"
#include "tensorlane/conformance/case_runner.h"
#include "tensorlane/conformance/cases.h"
#include "tensorlane/conformance/result_text.h"
#include "tensorlane/front_ends/front_ends.h"
#include "tensorlane/ops/evidence.h"

namespace tensorlane::conformance {
namespace {

struct Way {
  ImplementationChoice choice;
  int threads;
};

class RecordedCalls : public testing::TestWithParam<Way> {
 protected:
  RecordedCalls() : most_threads_(most_threads()) { limit_threads(GetParam().threads); }
  ~RecordedCalls() override { limit_threads(most_threads_); }

  static Result run(const std::string& folder, const Chip& chip) {
    CaseReader recording(TENSORLANE_TESTDATA "/" + folder);
    RunOptions options;
    options.choice = GetParam().choice;
    return run_cases(recording, chip, options);
  }

 private:
  int most_threads_;
};

TEST_P(RecordedCalls, OfOkkHoldBitForBit) {
  const Result result = run("okk", bm1684());
  EXPECT_EQ(result.total.all(), 2388);
  EXPECT_EQ(result.functions.size(), 117U);
  EXPECT_EQ(result.total.quirk, 30);
  EXPECT_TRUE(result.failures.empty()) << failures_text(result);
}

TEST_P(RecordedCalls, OfTpuKernelHold) {
  const Result result = run("tpukernel", bm1684x());
  EXPECT_EQ(result.total.all(), 9450);
  EXPECT_EQ(result.functions.size(), 278U);
  EXPECT_EQ(result.total.quirk, 92);
  EXPECT_EQ(result.exceptions.size(), 92U);
  EXPECT_TRUE(result.failures.empty()) << failures_text(result);
}

TEST_P(RecordedCalls, OfTheTpuKernelModelOf2024Hold) {
  const Result result = run("tpukernel_2024", bm1684x());
  EXPECT_EQ(result.total.all(), 1420);
  EXPECT_EQ(result.total.quirk, 0);
  EXPECT_TRUE(result.failures.empty()) << failures_text(result);
}

TEST_P(RecordedCalls, OfTheBm1688Hold) {
  const Result result = run("bm1688", find_chip("bm1688"));
  EXPECT_EQ(result.total.all(), 1823);
  EXPECT_EQ(result.total.quirk, 36);
  EXPECT_TRUE(result.failures.empty()) << failures_text(result);
}

// The named ones are few: see docs/fidelity.md.
TEST_P(RecordedCalls, OfTpuKernelAtTheEdgesHold) {
  const Result result = run("tpukernel_edges", bm1684x());
  EXPECT_EQ(result.total.all(), 3582);
  EXPECT_EQ(result.functions.size(), 334U);
  EXPECT_EQ(result.total.quirk, 24);
  EXPECT_TRUE(result.failures.empty()) << failures_text(result);
}

TEST_P(RecordedCalls, OfOkkAtTheEdgesHold) {
  const Result result = run("okk_edges", bm1684());
  EXPECT_EQ(result.total.all(), 1555);
  EXPECT_EQ(result.functions.size(), 93U);
  EXPECT_EQ(result.total.quirk, 11);
  EXPECT_TRUE(result.failures.empty()) << failures_text(result);
}

// Recordings are all here held to, so a recorded function is exact to the model, and no other is.
TEST(Claims, OfExactnessFollowTheRecordedCalls) {
  std::set<std::string, std::less<>> recorded;
  for (const auto& folder : std::filesystem::directory_iterator(TENSORLANE_TESTDATA)) {
    if (!exists(folder.path() / "cases.jsonl.gz") || folder.path().filename() == "bm1688") continue;
    CaseReader recording(folder.path().string());
    for (RecordedCase one; recording.next(one);) recorded.insert(one.call.function);
  }
  EXPECT_GT(recorded.size(), 400U);
  for (const FrontEnd* front_end : all_front_ends()) {
    for (const Op* op : front_end->ops().all()) {
      const Numerics claim = op->spec().numerics;
      if (op->spec().absence != Absence::kNone || claim == Numerics::kNoData) continue;
      EXPECT_EQ(claim == Numerics::kExactToModel, recorded.contains(op->name())) << op->name();
    }
  }
}

// And those of the BM1688 the evidence of its table.
TEST(Claims, OfTheBm1688FollowItsRecordedCalls) {
  const Chip& chip = find_chip("bm1688");
  std::set<std::string, std::less<>> holds, other;
  CaseReader recording(TENSORLANE_TESTDATA "/bm1688");
  for (RecordedCase one; recording.next(one);)
    (one.exception.empty() ? holds : other).insert(one.call.function);
  EXPECT_GT(holds.size(), 250U);
  for (const Op* op : front_end_of(chip).ops().all()) {
    const std::vector<TypedEvidence> evidence = evidence_of(*op, chip);
    if (evidence.empty()) continue;
    const bool claimed = evidence.front().evidence == Evidence::kModel;
    EXPECT_EQ(claimed, holds.contains(op->name()) && !other.contains(op->name())) << op->name();
  }
}

// A function of any float type is the model's in those types that were recorded.
TEST(Claims, OfTheBm1688AreOfTheRecordedTypes) {
  const Chip& chip = find_chip("bm1688");
  const FrontEnd& front_end = front_end_of(chip);
  std::map<std::string, std::set<Dtype>, std::less<>> recorded;
  CaseReader recording(TENSORLANE_TESTDATA "/bm1688");
  for (RecordedCase one; recording.next(one);) {
    for (const Json& arg : one.call.args) {
      if (arg.at("name") == Json("dtype"))
        recorded[one.call.function].insert(
            front_end.argument("data_type_t", arg.at("value").get<std::int64_t>(), 0).dtype());
    }
  }
  int functions = 0, some = 0;
  for (const Op* op : front_end.ops().all()) {
    const std::vector<TypedEvidence> evidence = evidence_of(*op, chip);
    const bool any_float = std::ranges::any_of(op->limits(), [&](const Limit& limit) {
      return limit.rule(chip) == "dtype in {DT_FP32, DT_FP16, DT_BFP16}";
    });
    if (!any_float || evidence.empty() || evidence.front().evidence != Evidence::kModel) continue;
    ++functions;
    std::set<Dtype> claimed(evidence.front().dtypes.begin(), evidence.front().dtypes.end());
    if (claimed.empty()) claimed = {Dtype::kFp32, Dtype::kFp16, Dtype::kBf16};
    some += claimed.size() < 3 ? 1 : 0;
    EXPECT_EQ(recorded[std::string(op->name())], claimed) << op->name();
  }
  EXPECT_GT(functions, 30);
  EXPECT_EQ(some, 12);
}

INSTANTIATE_TEST_SUITE_P(, RecordedCalls,
                         testing::Values(Way{ImplementationChoice::kFastest, 1},
                                         Way{ImplementationChoice::kFastest, 4},
                                         Way{ImplementationChoice::kReference, 1}),
                         [](const auto& info) {
                           const std::string name =
                               info.param.choice == ImplementationChoice::kFastest ? "Fastest"
                                                                                   : "Reference";
                           return info.param.threads == 1 ? name : name + "OnThreads";
                         });

}  // namespace
}  // namespace tensorlane::conformance
