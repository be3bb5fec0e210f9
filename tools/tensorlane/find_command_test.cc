// Finding things: functions by what people call them, help by any way to ask for it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "command_test_support.h"
#include "ops_search.h"
#include "tensorlane/front_ends/front_ends.h"

namespace tensorlane::cli {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

// The functions that the words find, of the chip or of whichever has some.
std::vector<std::string> found(const std::string& words, const std::string& chip = "") {
  const Result result =
      run_line("ops --json " + (chip.empty() ? "" : "--chip " + chip + " ") + words);
  std::vector<std::string> names;
  if (result.status != 0) return names;
  for (const auto& op : nlohmann::json::parse(result.out)) names.push_back(op["name"]);
  return names;
}

TEST(OpsSearch, FindsFunctionsByWhatPeopleCallThem) {
  const struct {
    const char *words, *chip, *function;
  } cases[] = {
      {"sum", "bm1684", "okk_bdc_avg_pool2d"},
      {"reduce", "bm1684x", "tpu_bdc_fp_hw_reduce_mean"},
      {"broadcast", "bm1684x", "tpu_bdc_npu_bcast"},
      {"transpose", "bm1684x", "tpu_gdma_cpy_nc_trans_S2L"},
      {"transpose", "bm1684", "okk_gdma_32bit_cpy_S2S"},
      {"softmax", "bm1684", "okk_bdc_exp"},
      {"gelu", "bm1684x", "tpu_bdc_fp32_gelu"},
      {"gelu", "bm1684", "okk_bdc_tanh"},
      {"gemm", "bm1684", "okk_bdc_matmul"},
      {"卷积", "bm1684", "okk_bdc_conv2d"},
      {"池化", "bm1684", "okk_bdc_max_pool2d"},
      {"乘积", "bm1684x", "tpu_bdc_fp_mm"},
      {"归约", "bm1684x", "tpu_bdc_fp_hw_reduce_mean"},
      {"转置", "bm1684x", "tpu_bdc_cw_trans"},
      {"广播", "bm1684x", "tpu_gdma_channel_bcast_S2L"},
      {"max pool", "bm1684", "okk_bdc_max_pool2d"},
      {"Newton steps", "bm1684", "okk_bdc_reciprocal"},
      {"topk", "bm1684x", "tpu_hau_sort_natural_index"},
  };
  for (const auto& one : cases)
    EXPECT_THAT(found(one.words, one.chip), Contains(one.function)) << one.words;
  EXPECT_THAT(found("exp", "bm1684x"), Not(Contains("tpu_bdc_relu")));
  EXPECT_THAT(found("logarithm", "bm1684x"), Not(Contains("tpu_bdc_logical_shift")));
}

TEST(OpsSearch, EveryWordOfTheTableFindsAFunctionOfSomeChip) {
  for (const std::string_view word : searchable_words()) {
    bool any = false;
    const std::vector<std::string> words = {std::string(word)};
    for (const FrontEnd* front_end : all_front_ends())
      any = any || !search_ops(front_end->ops().all(), words).empty();
    EXPECT_TRUE(any) << word;
  }
}

TEST(OpsSearch, WithoutAChipTheOneThatKnowsItBest) {
  EXPECT_THAT(run_line("ops erf").out, HasSubstr("functions of bm1684x (tpu_kernel.h)\n"));
  const Result gelu = run_line("ops gelu");
  EXPECT_THAT(gelu.out,
              HasSubstr("functions of bm1684x (tpu_kernel.h); 2 more with --chip bm1684"));
  EXPECT_THAT(gelu.out, HasSubstr("tpu_bdc_fp32_gelu"));
  EXPECT_THAT(run_line("ops softmax").out, HasSubstr("examples/okkernel/operators/softmax.c"));
}

TEST(OpsSearch, ANameIsShownInFullAndNothingIsSaid) {
  EXPECT_THAT(run_line("ops okk_bdc_add").out, HasSubstr("1 <= shape.c <= 4095"));
  const Result nothing = run_line("ops convulotion");
  EXPECT_EQ(nothing.status, 2);
  EXPECT_THAT(nothing.err, HasSubstr("did you mean 'convolution'?"));
}

TEST(Help, IsAVerbAndAnOption) {
  for (const std::string verb : {"run", "layout", "layout draw", "ops", "new", "help"})
    EXPECT_EQ(run_line("help " + verb).out, run_line(verb + " --help").out) << verb;
  EXPECT_EQ(run_line("help").out, run_line("--help").out);
  const Result wrong = run_line("help layout darw");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("'tensorlane layout' has no verb 'darw'; did you mean 'draw'?"));
}

TEST(ElementTypes, AreTakenByNumpysNames) {
  const std::string line = "layout describe --layout aligned --shape 1,2,3,4 --dtype ";
  EXPECT_EQ(run_line(line + "float32").out, run_line(line + "fp32").out);
  EXPECT_EQ(run_line(line + "<f2").out, run_line(line + "fp16").out);
  EXPECT_THAT(run_line(line + "float64").err, HasSubstr("exists on none of the chips"));
}

}  // namespace
}  // namespace tensorlane::cli
