// Finding things: functions by what people call them, help by any way to ask for it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "command_test_support.h"
#include "op_example.h"
#include "ops_search.h"
#include "tensorlane/chip/chip.h"
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
      {"reshape", "bm1684", "okk_gdma_32bit_cpy_S2S"},
      {"双曲正切", "bm1684", "okk_bdc_tanh"},
      {"空洞卷积", "bm1684", "okk_bdc_conv2d"},
      {"异或", "bm1684", "okk_bdc_32bit_xor"},
      {"注意力", "bm1684x", "tpu_bdc_fp_mm"},
      {"matrix multiply", "bm1684", "okk_bdc_matmul"},
      {"matrix multiply", "bm1684x", "tpu_bdc_fp_mm"},
      {"instance norm", "bm1684x", "tpu_bdc_fp_scale_bias"},
      {"global average pool", "bm1684", "okk_bdc_avg_pool2d"},
      {"average pooling", "bm1684x", "tpu_bdc_fp_avg_pool2d"},
      {"sum of the rows", "bm1684", "okk_bdc_avg_pool2d"},
      {"rope", "bm1684x", "tpu_bdc_fp_mul"},
      {"fully connected", "bm1684", "okk_bdc_matmul"},
      {"Top K", "bm1684x", "tpu_hau_sort_natural_index"},
      {"旋转位置编码", "bm1684", "okk_bdc_mul"},
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

TEST(OpsSearch, WordsThatBelongTogetherAreOneAndFillersNone) {
  const auto terms = [](std::vector<std::string> words) { return terms_of(words); };
  using Terms = std::vector<std::string>;
  EXPECT_EQ(terms({"Matrix", "multiply"}), Terms{"matrix-multiply"});
  EXPECT_EQ(terms({"the sum of fp16"}), (Terms{"sum", "fp16"}));
  EXPECT_EQ(terms({"max", "pool"}), (Terms{"max", "pool"}));
  EXPECT_EQ(terms({"of"}), Terms{"of"});
}

TEST(OpsSearch, ChineseIsTakenApartWhereTheWholeIsUnknown) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(known_pieces("全局平均池化"), (Words{"平均", "池化"}));
  EXPECT_EQ(known_pieces("求最大值"), Words{"最大值"});
  EXPECT_EQ(known_pieces("矩阵乘法加偏置"), (Words{"矩阵乘法", "加", "偏置"}));
  EXPECT_EQ(known_pieces("multpily"), Words{"multpily"});
  EXPECT_EQ(known_pieces("蛋糕"), Words{"蛋糕"});
  EXPECT_THAT(run_line("ops 全局平均池化").out, HasSubstr("avg_pool2d"));
  EXPECT_THAT(run_line("ops 按行收集").out, HasSubstr("gather"));
  EXPECT_EQ(run_line("ops 蛋糕").status, 2);
  EXPECT_THAT(run_line("ops rope").out, HasSubstr("examples/learn/rope"));
}

TEST(OpsSearch, WhereNoneAnswersToAllThoseThatAnswerToMost) {
  const Result most = run_line("ops conv2d nonzero");
  EXPECT_EQ(most.status, 0);
  EXPECT_THAT(most.out, HasSubstr("no function answers to all of these words"));
  // A person is shown what was meant, a program is told.
  const Result meant = run_line("ops matrix multpily");
  EXPECT_EQ(meant.status, 0);
  EXPECT_THAT(meant.out, HasSubstr("no function knows 'multpily'; these are for 'multiply'"));
  const Result wrong = run_line("ops --json matrix multpily");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("has 'multpily' in its name"));
  EXPECT_THAT(wrong.err, HasSubstr("did you mean 'multiply'?"));
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
  EXPECT_THAT(run_line("ops convulotion").out, HasSubstr("these are for 'convolution'"));
  EXPECT_THAT(run_line("ops sort nonsensical").out, HasSubstr("these are for the other words"));
  EXPECT_EQ(run_line("ops nonsensical").status, 2);
  const Result nothing = run_line("ops --json convulotion");
  EXPECT_EQ(nothing.status, 2);
  EXPECT_THAT(nothing.err, HasSubstr("did you mean 'convolution'?"));
}

TEST(OpsCall, SaysWhatACallTakes) {
  const Result conv = run_line(
      "ops okk_bdc_conv2d --with input_shape=1,64,56,56 output_c=64 kernel_h=3 kernel_w=3 "
      "kernel_stride=9,9,3,1");
  EXPECT_EQ(conv.status, 0) << conv.err;
  EXPECT_THAT(conv.out, HasSubstr("1,64,54,54"));
  EXPECT_THAT(conv.out, HasSubstr("hold\nmodelled"));
  const Result add =
      run_line("ops tpu_bdc_fp_add --with shape=1,64,28,28 dtype=fp16 src1_addr=65536");
  EXPECT_EQ(add.status, 0) << add.err;
  EXPECT_THAT(add.out, HasSubstr("1568 bytes per NPU at 0x10000"));
  const auto refused = [](const std::string& line) { return run_line("ops " + line).err; };
  EXPECT_THAT(refused("okk_bdc_add --with C=1"), HasSubstr("no parameter 'C'"));
  EXPECT_THAT(refused("okk_bdc_conv2d --with output_c=3"),
              HasSubstr("needs input_shape, kernel_h"));
  EXPECT_THAT(refused("okk_bdc_add --with shape=1,5000,1,1"), HasSubstr("shape.c = 5000"));
  EXPECT_THAT(refused("tpu_bdc_fp_add --with shape=1,1,1,1 dtype=fp33"),
              HasSubstr("unknown dtype"));
  EXPECT_THAT(refused("gdma --with shape=1,1,1,1"), HasSubstr("one function, named in full"));
}

TEST(OpExample, EveryFunctionThatIsImplementedHasOne) {
  for (const Chip* chip : all_chips()) {
    for (const Op* op : front_end_of(*chip).ops().all())
      EXPECT_EQ(example_of_call(*chip, *op).empty(), op->spec().absence != Absence::kNone)
          << op->name();
  }
  EXPECT_EQ(example_of_call(bm1684(), *front_end_of(bm1684()).ops().find("okk_set_id_node")),
            "unsigned node[16] = {0};\nokk_set_id_node(node);");
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
