// The answers to `tensorlane why`, on small kernels: every value of a chain is computed again here.
#include "tensorlane/observe/why_tool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "tensorlane/base/temporary_folder_test_support.h"
#include "tensorlane/device/kernel_runner.h"
#include "tensorlane/json/json.h"
#include "tensorlane/observe/why/question.h"
#include "tensorlane/okk/define.h"

namespace tensorlane::observe {
namespace {

using testing::HasSubstr;

// Where the tensors of a test lie, as its kernel knows them.
struct Args {
  std::uint64_t input = 0, weight = 0, output = 0;
};
Args args;

// A device with three buffers; copies in and out are those of a host.
class Why : public testing::Test {
 protected:
  using Kernel = void (*)(const void*);

  std::vector<float> input_ = floats(4096, 0.25F), weight_ = floats(4096, -0.5F);
  RegionOrder order_;
  std::function<void(Device&)> before_ = [](Device&) {};

  static std::vector<float> floats(std::size_t count, float step) {
    std::vector<float> values(count);
    for (std::size_t k = 0; k < count; ++k)
      values[k] = step * static_cast<float>(static_cast<int>(k * 7 % 31) - 15);
    return values;
  }

  // Runs the kernels, one launch each, reads the output, and asks.
  Json ask(why::Question question, const std::vector<Kernel>& kernels) {
    const TemporaryFolder folder;
    const std::string report = folder / "report.jsonl";
    setenv("TENSORLANE_REPORT", report.c_str(), 1);
    {
      Device device(bm1684());
      device.set_region_order(order_);
      answer_why(device, why::json(question).dump(), [](const std::string&) {});
      args.input = device.allocate(16384, {"bm_malloc", nullptr}).value();
      args.weight = device.allocate(16384).value();
      args.output = device.allocate(16384).value();
      copy(device, args.input, input_);
      copy(device, args.weight, weight_);
      before_(device);
      for (const Kernel kernel : kernels) {
        device.submit("kernel",
                      [=](Session& session) { return run_kernel(session, kernel, &args); });
        device.drain();
      }
      const std::byte* const from =
          device.host_access(HostAccess::kRead, args.output, 16384, 0, {"bm_memcpy_d2s", nullptr});
      output_.resize(4096);
      std::memcpy(output_.data(), from, 16384);
    }
    std::ifstream file(report);
    std::string line, last;
    while (std::getline(file, line)) last = line;
    return Json::parse(last);
  }
  static void copy(Device& device, std::uint64_t address, const std::vector<float>& values) {
    const std::size_t bytes = values.size() * sizeof(float);
    std::memcpy(
        device.host_access(HostAccess::kWrite, address, bytes, 0, {"bm_memcpy_s2d", nullptr}),
        values.data(), bytes);
  }
  // Of element `at` of the output, which lies dense in global memory.
  Json ask_output(std::int64_t at, const std::vector<Kernel>& kernels,
                  why::Question question = {}) {
    question.place = fmt::format("{:#x}", 0x105108000 + at * 4);
    Json answer = ask(question, kernels);
    EXPECT_EQ(args.output, 0x105108000U) << "the addresses of the allocator";
    return answer;
  }

  std::vector<float> output_;  // as the host read it
};

const Json& step(const Json& answer, int id) {
  for (const Json& each : answer["steps"]) {
    if (each["id"].get<int>() == id) return each;
  }
  static const Json none;
  ADD_FAILURE() << "no step " << id << " in " << answer.dump(1);
  return none;
}

const Json& source(const Json& step, std::string_view operand) {
  for (const Json& each : step["sources"]) {
    if (each["operand"].text() == operand) return each;
  }
  static const Json none;
  ADD_FAILURE() << "no source " << operand;
  return none;
}

int followed(const Json& source) {
  return source["writers"][0]["step"].get<int>();
}

float value(const Json& of) {
  return std::stof(of["value"].text());
}

constexpr dim4 kShape = {2, 5, 3, 4};

void load_add_store(const void*) {
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, args.input, &kShape, nullptr, nullptr);
  okk_bdc_add_C(4096, 0, 1.5F, &kShape, nullptr, nullptr);
  okk_gdma_32bit_cpy_L2S(args.output, 4096, &kShape, nullptr, nullptr);
  okk_poll();
}

TEST_F(Why, GoesFromTheReadBackToTheWrite) {
  const std::int64_t at = ((1 * 5 + 3) * 3 + 2) * 4 + 1;
  const Json answer = ask_output(at, {load_add_store});
  const auto n = static_cast<std::size_t>(at);
  EXPECT_EQ(answer["when"].text(), "when the host read it for the last time");
  EXPECT_EQ(answer["read"]["offset"].get<int>(), at * 4);
  const Json& store = step(answer, 0);
  EXPECT_EQ(store["call"].text(), "okk_gdma_32bit_cpy_L2S");
  EXPECT_EQ(store["element"].text(), "[1,3,2,1]");
  EXPECT_EQ(value(store), output_[n]);
  const Json& add = step(answer, followed(source(store, "src_addr")));
  EXPECT_EQ(add["call"].text(), "okk_bdc_add_C");
  EXPECT_THAT(add["statement"].text(), HasSubstr("1.5f"));
  EXPECT_EQ(add["element"].text(), "[1,3,2,1]");
  EXPECT_EQ(add["place"].text(), "NPU 3 offset 0x10a4");
  EXPECT_EQ(value(add), output_[n]);
  EXPECT_EQ(value(source(add, "src_addr")), input_[n]);
  const Json& load = step(answer, followed(source(add, "src_addr")));
  EXPECT_EQ(value(load), input_[n]);
  const Json& host = step(answer, followed(source(load, "src_addr")));
  EXPECT_EQ(host["kind"].text(), "host");
  EXPECT_EQ(host["call"].text(), "bm_memcpy_s2d");
  EXPECT_EQ(host["offset"].get<int>(), at * 4);
  EXPECT_EQ(host["allocation"]["bytes"].get<int>(), 16384);
  EXPECT_EQ(answer["steps"].size(), 4U);
}

void add_in_place(const void*) {
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, args.input, &kShape, nullptr, nullptr);
  okk_bdc_add_C(0, 0, 1.0F, &kShape, nullptr, nullptr);
  okk_bdc_mul_C(0, 0, 3.0F, &kShape, nullptr, nullptr);
  okk_gdma_32bit_cpy_L2S(args.output, 0, &kShape, nullptr, nullptr);
  okk_gdma_32bit_cpy_S2L(0, args.weight, &kShape, nullptr, nullptr);  // the place is used again
  okk_poll();
}

TEST_F(Why, SeesValuesThatWereComputedInPlaceAndOverwritten) {
  const Json answer = ask_output(7, {add_in_place});
  const Json& mul = step(answer, followed(source(step(answer, 0), "src_addr")));
  EXPECT_EQ(mul["call"].text(), "okk_bdc_mul_C");
  EXPECT_EQ(value(mul), (input_[7] + 1) * 3);
  EXPECT_EQ(value(source(mul, "src_addr")), input_[7] + 1);
  const Json& add = step(answer, followed(source(mul, "src_addr")));
  EXPECT_EQ(add["call"].text(), "okk_bdc_add_C");
  EXPECT_EQ(value(source(add, "src_addr")), input_[7]);
}

constexpr dim4 kImage = {1, 6, 8, 8};
constexpr int kOutputs = 5;

void convolve(const void*) {
  const dim4 weights = {3, kOutputs, 3, 3};       // pairs of input channels
  const dim4 stride = {9 * 2, 1, 3 * 2, 2};       // in words
  const dim4 weight_rows = {1, kOutputs, 1, 54};  // as they lie: 6 channels of 3 x 3
  const dim4 output = {1, kOutputs, 4, 4};
  const Padding padding = {1, 1, 1, 1};
  const dim2 step = {2, 2};
  static_cast<void>(weights);
  dim4 kernel_stride = stride;
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, args.input, &kImage, nullptr, nullptr);
  const dim4 compact = {54, 54, 54, 1};
  okk_gdma_32bit_cpy_S2L(8192, args.weight, &weight_rows, &compact, nullptr);
  kernel_stride = {18, 54, 6, 2};
  okk_bdc_conv2d(16384, 0, 8192, 0, &kImage, kOutputs, 3, 3, nullptr, &kernel_stride, false, false,
                 &padding, &step, nullptr);
  okk_gdma_32bit_cpy_L2S(args.output, 16384, &output, nullptr, nullptr);
  okk_poll();
}

TEST_F(Why, ShowsTheLargestTermsOfASum) {
  // Output channel 2, row 0, column 3: its windows reach one row and no column of padding.
  const Json answer = ask_output((2 * 4 + 0) * 4 + 3, {convolve});
  const Json& conv = step(answer, followed(source(step(answer, 0), "src_addr")));
  ASSERT_EQ(conv["call"].text(), "okk_bdc_conv2d");
  const Json& input = source(conv, "input_addr");
  EXPECT_EQ(input["element"].text(), "[0,0..5,0..1,5..7]");
  EXPECT_EQ(input["elements"].get<int>(), 6 * 2 * 3);
  EXPECT_EQ(source(conv, "weight_addr")["element"].text(), "[0..5,2,0..2,0..2]");
  const Json& terms = conv["terms"];
  EXPECT_EQ(terms["count"].get<int>(), 36) << "padding is no term";
  // The sum is the result, so the factors are paired as the convolution pairs them.
  EXPECT_NEAR(std::stod(terms["sum"].text()), value(conv), 1e-4 * std::abs(value(conv)) + 1e-5);
  double before = INFINITY;
  for (const Json& term : terms["largest"]) {
    ASSERT_EQ(term["factors"].size(), 2U);
    const double product = value(term["factors"][0]) * value(term["factors"][1]);
    EXPECT_NEAR(std::stod(term["value"].text()), product, 1e-6 * std::abs(product));
    EXPECT_LE(std::abs(product), before);
    before = std::abs(product);
  }
  // The followed elements are those of the largest term.
  EXPECT_EQ(input["writers"][0]["element"].text(),
            terms["largest"][0]["factors"][0]["element"].text());
  EXPECT_EQ(step(answer, followed(source(conv, "weight_addr")))["call"].text(),
            "okk_gdma_32bit_cpy_S2L");
}

void stale_tile(const void*) {
  const dim4 half = {1, 5, 3, 4};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, args.input, &half, nullptr, nullptr);
  okk_gdma_32bit_cpy_L2S(args.output, 0, &half, nullptr, nullptr);
  okk_gdma_32bit_cpy_L2S(args.output + 240, 0, &half, nullptr, nullptr);  // not loaded anew
  okk_poll();
}

TEST_F(Why, NamesTheLoadOfAStaleTile) {
  const Json answer = ask_output(60 + 11, {stale_tile});
  const Json& load = step(answer, followed(source(step(answer, 0), "src_addr")));
  EXPECT_EQ(load["call"].text(), "okk_gdma_32bit_cpy_S2L");
  EXPECT_EQ(load["launch"]["command"].get<int>(), 0);
  EXPECT_EQ(step(answer, followed(source(load, "src_addr")))["offset"].get<int>(), 11 * 4);
}

void store_part(const void*) {
  const dim4 part = {1, 2, 1, 8};
  okk_initialize();
  okk_gdma_32bit_cpy_L2S(args.output, 4096, &part, nullptr, nullptr);
  okk_poll();
}

TEST_F(Why, SaysWhereNobodyWrote) {
  const Json answer = ask_output(4000, {load_add_store});
  EXPECT_EQ(step(answer, 0)["kind"].text(), "nobody");
  EXPECT_TRUE(answer["asked"].get<bool>()) << "the host read it";
  const Json part = ask_output(9, {store_part});
  EXPECT_EQ(step(part, followed(source(step(part, 0), "src_addr")))["kind"].text(), "nobody");
}

TEST_F(Why, LooksAcrossLaunches) {
  const Json answer = ask_output(9, {load_add_store, store_part});
  const Json& store = step(answer, 0);
  EXPECT_EQ(store["launch"]["number"].get<int>(), 1);
  const Json& add = step(answer, followed(source(store, "src_addr")));
  EXPECT_EQ(add["call"].text(), "okk_bdc_add_C");
  EXPECT_EQ(add["launch"]["number"].get<int>(), 0);
}

TEST_F(Why, AnswersForTheMomentThatIsAsked) {
  why::Question first;
  first.launch = 0;
  EXPECT_EQ(
      step(ask_output(9, {load_add_store, store_part}, first), 0)["launch"]["number"].get<int>(),
      0);
  why::Question end;
  end.at_end = true;
  EXPECT_EQ(ask_output(9, {load_add_store}, end)["when"].text(), "at the end of the program");
  why::Question late;
  late.read = 3;
  EXPECT_EQ(ask_output(9, {load_add_store}, late)["error"].text(), "the host read only 1 time");
  late.read.reset();
  late.launch = 2;
  EXPECT_EQ(ask_output(9, {load_add_store}, late)["error"].text(), "there was only 1 launch");
}

TEST_F(Why, FollowsCopiesInsideTheDevice) {
  // Every fourth element of the input is replaced by every second one of the weights.
  before_ = [](Device& device) {
    device.host_copy({.from = args.weight,
                      .to = args.input,
                      .item_bytes = 4,
                      .count = 8,
                      .from_step = 8,
                      .to_step = 16},
                     {"bm_memcpy_d2d_stride", nullptr});
  };
  const Json answer = ask_output(3 * 4, {load_add_store});
  const Json& add = step(answer, followed(source(step(answer, 0), "src_addr")));
  EXPECT_EQ(value(add), weight_[3 * 2] + 1.5F);
  const Json& load = step(answer, followed(source(add, "src_addr")));
  const Json& copy = step(answer, followed(source(load, "src_addr")));
  EXPECT_EQ(copy["call"].text(), "bm_memcpy_d2d_stride");
  const Json& host = step(answer, copy["copied_from"]["step"].get<int>());
  EXPECT_EQ(host["call"].text(), "bm_memcpy_s2d");
  EXPECT_EQ(host["offset"].get<int>(), 3 * 8);
  // What lies between the items is not the copy's.
  const Json other = ask_output(3 * 4 + 1, {load_add_store});
  const Json& other_load =
      step(other,
           followed(source(step(other, followed(source(step(other, 0), "src_addr"))), "src_addr")));
  EXPECT_EQ(step(other, followed(source(other_load, "src_addr")))["call"].text(), "bm_memcpy_s2d");
}

void overlapped(const void*) {
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, args.input, &kShape, nullptr, nullptr);
  okk_parallel_start();
  okk_gdma_32bit_cpy_S2L(0, args.weight, &kShape, nullptr, nullptr);  // a race
  okk_bdc_add_C(4096, 0, 0.0F, &kShape, nullptr, nullptr);
  okk_parallel_end();
  okk_gdma_32bit_cpy_L2S(args.output, 4096, &kShape, nullptr, nullptr);
  okk_poll();
}

TEST_F(Why, FollowsTheOrderInWhichCopiesTakeEffect) {
  for (const auto& [kind, command] :
       {std::pair{RegionOrder::Kind::kEarly, 1}, {RegionOrder::Kind::kLate, 0}}) {
    order_ = {kind, 1};
    const Json answer = ask_output(5, {overlapped});
    const Json& add = step(answer, followed(source(step(answer, 0), "src_addr")));
    const Json& load = step(answer, followed(source(add, "src_addr")));
    EXPECT_EQ(load["launch"]["command"].get<int>(), command);
    EXPECT_EQ(value(load), (command == 1 ? weight_ : input_)[5]);
  }
}

// What a history too small leaves open, the next run answers: the chain is the same.
TEST_F(Why, RunsAgainWhereThePastIsTooLarge) {
  const Json whole = ask_output(7, {add_in_place});
  why::Question question;
  question.memory_bytes = 1;
  std::vector<Json> steps;
  int runs = 0;
  for (bool open = true; open && runs < 10; ++runs) {
    const Json answer = ask_output(7, {add_in_place}, question);
    EXPECT_EQ(answer["fingerprint"], whole["fingerprint"]);
    question.open.clear();
    for (const Json& each : answer["steps"]) {
      const int id = each["id"].get<int>();
      question.next_id = std::max(question.next_id, id + 1);
      if (each["kind"].text() != "open") {
        steps.push_back(each);
        continue;
      }
      question.open.push_back({id,
                               each["depth"].get<int>(),
                               each["event"].get<trail::Writer>(),
                               each["read_by"].get<trail::Writer>(),
                               {static_cast<Space>(each["memory"].get<int>()),
                                each["offset"].get<std::uint64_t>(), each["bit"].get<int>()}});
    }
    open = !question.open.empty();
  }
  EXPECT_GT(runs, 1);
  ASSERT_EQ(steps.size(), whole["steps"].size());
  for (std::size_t k = 0; k < steps.size(); ++k) EXPECT_EQ(steps[k], whole["steps"][k]);
}

TEST_F(Why, DepthAndWidthAreBounded) {
  why::Question question;
  question.limits.depth = 1;
  const Json shallow = ask_output(9, {load_add_store}, question);
  EXPECT_EQ(shallow["steps"].size(), 2U);
  EXPECT_THAT(step(shallow, 1)["notes"][0].text(), HasSubstr("--depth 1"));
  question.limits = {.width = 1};
  const Json narrow = ask_output(9, {convolve}, question);
  EXPECT_FALSE(source(step(narrow, 1), "weight_addr")["writers"][0].contains("step"));
}

TEST_F(Why, RefusesPlacesThatAreNone) {
  why::Question question;
  question.place = "0x10";
  EXPECT_THAT(ask(question, {})["error"].text(), HasSubstr("is in no memory of bm1684"));
  question.place = "64:0";
  EXPECT_THAT(ask(question, {})["error"].text(), HasSubstr("has NPUs 0 to 63"));
  question.place.clear();
  question.name = "output";
  EXPECT_THAT(ask(question, {})["error"].text(), HasSubstr("compile it with -g"));
}

}  // namespace
}  // namespace tensorlane::observe
