// Chains, suspects and their text, of kernels that run here.
#include "tensorlane/observe/why/chain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tensorlane/device/device.h"
#include "tensorlane/device/kernel_runner.h"
#include "tensorlane/observe/why/chain_text.h"
#include "tensorlane/observe/why/past.h"
#include "tensorlane/observe/why/suspects.h"
#include "tensorlane/okk/define.h"

namespace tensorlane::why {
namespace {

using testing::HasSubstr;

constexpr dim4 kRow = {1, 1, 1, 4};
constexpr std::size_t kBytes = 4 * 256;

struct Args {
  std::uint64_t input, output;
};

// With its history at hand.
class OpenPast : public Past {
 public:
  using Past::Past;
  Json suspects(const Json& steps, std::span<const Target> targets) {
    return suspects_of(steps, targets, history_, allocations_, memory_, chip_, history_.next());
  }
};

class Chains : public testing::Test {
 protected:
  Chains() : device_(bm1684()) {
    auto owned = std::make_unique<OpenPast>(device_.chip(), device_.memory(), 64 << 20);
    past_ = owned.get();
    device_.add_observer(std::move(owned));
    args_ = {device_.allocate(kBytes).value(), device_.allocate(kBytes).value()};
  }

  void run(void (*kernel)(const void*), const std::vector<float>& input) {
    std::vector<float> all(kBytes / sizeof(float));
    std::ranges::copy(input, all.begin());
    std::memcpy(device_.host_access(HostAccess::kWrite, args_.input, kBytes), all.data(), kBytes);
    device_.submit("kernel",
                   [=, this](Session& session) { return run_kernel(session, kernel, &args_); });
    device_.drain();
  }
  // Of element `number` of the output.
  Json steps(std::uint64_t number, const ChainLimits& limits = {}) {
    const std::uint64_t begin = device_.chip().region(Space::kGlobal).begin;
    return past_->steps({Space::kGlobal, args_.output - begin + 4 * number},
                        past_->history().next(), limits);
  }
  // Element `number` of the output, which should be another.
  Target target(std::uint64_t number, double expected, bool wrong = true) const {
    const std::uint64_t begin = device_.chip().region(Space::kGlobal).begin;
    return {{Space::kGlobal, args_.output - begin + 4 * number}, Dtype::kFp32, expected, wrong};
  }
  // What the likeliest suspect is, where these values should be others.
  std::string explanation(const std::vector<Target>& targets) {
    const Json found = past_->suspects(steps(0), targets);
    if (found.empty() || found[0].value("weak", false)) return "";
    return text_of(found[0]);
  }
  static std::string text_of(const Json& suspect) {
    return suspect["call"].text() + ": " + suspect["text"].text();
  }
  // What nothing confirms, the likeliest first.
  std::vector<std::string> unconfirmed() {
    std::vector<std::string> all;
    for (const Json& each : past_->suspects(steps(0), {})) {
      EXPECT_TRUE(each.value("weak", false)) << text_of(each);
      all.push_back(text_of(each));
    }
    return all;
  }
  // The step of a function, null where there is none.
  static const Json* step_of(const Json& steps, const std::string& function) {
    for (const Json& step : steps) {
      if (step.value("call", "") == function) return &step;
    }
    return nullptr;
  }
  static std::vector<std::string> parts(const Json& step) {
    std::vector<std::string> all;
    for (const Json& source : step["sources"])
      all.push_back(source["operand"].text() + source["element"].text() + " " +
                    source["part"].text());
    return all;
  }

  Device device_;
  OpenPast* past_;
  Args args_;
};

void largest(const void* args) {
  const Args& a = *static_cast<const Args*>(args);
  const dim4 one = {1, 1, 1, 1};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a.input, &kRow, nullptr, nullptr);
  okk_bdc_max_pool2d(128, 0, &kRow, 1, 4, nullptr, nullptr);
  okk_gdma_32bit_cpy_L2S(a.output, 128, &one, nullptr, nullptr);
  okk_poll();
}

TEST_F(Chains, AMaximumFollowsTheElementThatDecided) {
  run(largest, {-5, 1, 2, 0.5F});
  const Json all = steps(0);
  const Json* const step = step_of(all, "okk_bdc_max_pool2d");
  ASSERT_NE(step, nullptr);
  EXPECT_THAT(parts(*step),
              testing::ElementsAre("input_addr[0,0,0,2] value", "input_addr[0,0,0,0..3] compared"));
  EXPECT_EQ((*step)["sources"][0]["value"].text(), "2");
  EXPECT_EQ((*step)["chosen"]["by"].text(), "maximum");
  EXPECT_EQ((*step)["chosen"]["of"].get<int>(), 4);
  EXPECT_FALSE(step->contains("terms"));
  EXPECT_EQ(all.end()[-1]["kind"].text(), "host");
  EXPECT_EQ(all.end()[-1]["offset"].get<int>(), 8);
}

void clipped(const void* args) {
  const Args& a = *static_cast<const Args*>(args);
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a.input, &kRow, nullptr, nullptr);
  okk_bdc_min_C(128, 0, 1, &kRow, nullptr, nullptr);
  okk_gdma_32bit_cpy_L2S(a.output, 128, &kRow, nullptr, nullptr);
  okk_poll();
}

TEST_F(Chains, AMinimumSaysWhereAConstantDecided) {
  run(clipped, {-5, 3, 2, 0.5F});
  const Json small = steps(0), large = steps(1);
  const Json* const taken = step_of(small, "okk_bdc_min_C");
  const Json* const constant = step_of(large, "okk_bdc_min_C");
  ASSERT_TRUE(taken != nullptr && constant != nullptr);
  EXPECT_FALSE((*taken)["chosen"]["constant"].get<bool>());
  EXPECT_TRUE((*constant)["chosen"]["constant"].get<bool>());
  EXPECT_THAT(parts(*constant), testing::ElementsAre("src_addr[0,0,0,1] value"));
  EXPECT_EQ((*constant)["constants"]["C"].text(), "1.0f");
}

void smaller_of_two(const void* args) {
  const Args& a = *static_cast<const Args*>(args);
  const dim4 half = {1, 1, 1, 2};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a.input, &kRow, nullptr, nullptr);
  okk_bdc_min(128, 0, 8, &half, nullptr, nullptr, nullptr);
  okk_gdma_32bit_cpy_L2S(a.output, 128, &half, nullptr, nullptr);
  okk_poll();
}

TEST_F(Chains, OfTwoTensorsTheOtherIsOnlyCompared) {
  run(smaller_of_two, {1, 2, 3, -4});
  const Json first = steps(0), second = steps(1);
  EXPECT_THAT(parts(*step_of(first, "okk_bdc_min")),
              testing::ElementsAre("src0_addr[0,0,0,0] value", "src1_addr[0,0,0,0] compared"));
  EXPECT_THAT(parts(*step_of(second, "okk_bdc_min")),
              testing::ElementsAre("src1_addr[0,0,0,1] value", "src0_addr[0,0,0,1] compared"));
}

// Doubled, then each element divided by the first.
void by_the_first(const void* args) {
  const Args& a = *static_cast<const Args*>(args);
  const dim4 spread = {4, 4, 4, 0};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a.input, &kRow, nullptr, nullptr);
  okk_bdc_mul_C(128, 0, 2, &kRow, nullptr, nullptr);
  okk_bdc_div(256, 128, 128, &kRow, nullptr, nullptr, &spread);
  okk_gdma_32bit_cpy_L2S(a.output, 256, &kRow, nullptr, nullptr);
  okk_poll();
}

TEST_F(Chains, ACommandWhoseElementsAreFollowedTwiceShowsBothAsItLeftThem) {
  run(by_the_first, {4, 1, 2, 12});
  std::vector<std::string> values;
  for (const Json& step : steps(3)) {
    if (step.value("call", "") == "okk_bdc_mul_C") values.push_back(step["value"].text());
  }
  EXPECT_THAT(values, testing::UnorderedElementsAre("24", "8"));
}

void average(const void* args) {
  const Args& a = *static_cast<const Args*>(args);
  const dim4 one = {1, 1, 1, 1};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a.input, &kRow, nullptr, nullptr);
  okk_bdc_avg_pool2d(128, 0, &kRow, 1, 4, nullptr, nullptr);
  okk_gdma_32bit_cpy_L2S(a.output, 128, &one, nullptr, nullptr);
  okk_poll();
}

TEST_F(Chains, AMeanHasTheTermsOfItsSum) {
  run(average, {-5, 1, 2, 0.5F});
  const Json all = steps(0);
  const Json* const step = step_of(all, "okk_bdc_avg_pool2d");
  ASSERT_NE(step, nullptr);
  EXPECT_EQ((*step)["terms"]["count"].get<int>(), 4);
  EXPECT_EQ((*step)["terms"]["sum"].text(), "-1.5");
  EXPECT_EQ((*step)["terms"]["largest"][0]["value"].text(), "-5");
  EXPECT_FALSE(step->contains("chosen"));
}

// 40 additions of what was loaded once.
void long_sum(const void* args) {
  const Args& a = *static_cast<const Args*>(args);
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a.input, &kRow, nullptr, nullptr);
  okk_bdc_mul_C(128, 0, 0, &kRow, nullptr, nullptr);
  for (int k = 0; k < 40; ++k) okk_bdc_add(128, 128, 0, &kRow, nullptr, nullptr, nullptr);
  okk_gdma_32bit_cpy_L2S(a.output, 128, &kRow, nullptr, nullptr);
  okk_poll();
}

std::size_t lines_in(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

TEST_F(Chains, TheTextIsBoundedAndSaysWhatItLeavesOut) {
  run(long_sum, {1, 2, 3, 4});
  Json answer = {{"place", "here"}, {"device", 0}, {"chip", "bm1684"}, {"when", "at the end"}};
  answer["steps"] = steps(0, {.depth = 60, .width = 2});
  const std::size_t count = answer["steps"].size();
  EXPECT_GT(count, 40U);
  const std::string shown = chain_text(answer, false), all = chain_text(answer, true);
  EXPECT_LT(lines_in(shown), 200U);
  EXPECT_GT(lines_in(all), lines_in(shown));
  EXPECT_THAT(shown, HasSubstr("steps more, with --all"));
  EXPECT_EQ(all.find("with --all"), std::string::npos);
  EXPECT_LE(lines_in(shown.substr(0, shown.find("\n\n"))), 10U);
}

TEST_F(Chains, AnElementThatIsAddedAgainAndAgainIsSuspicious) {
  run(long_sum, {1, 2, 3, 4});
  const Json found = past_->suspects(steps(0), {});
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0]["kind"].text(), "added twice");
  EXPECT_EQ(found[0]["call"].text(), "okk_bdc_add");
}

// input * 3 - input, where input * 2 - input was meant.
void other_factor(const void* args) {
  const Args& a = *static_cast<const Args*>(args);
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a.input, &kRow, nullptr, nullptr);
  okk_bdc_mul_C(128, 0, 3, &kRow, nullptr, nullptr);
  okk_bdc_sub(256, 128, 0, &kRow, nullptr, nullptr, nullptr);
  okk_gdma_32bit_cpy_L2S(a.output, 256, &kRow, nullptr, nullptr);
  okk_poll();
}

TEST_F(Chains, TheValueThatShouldBeExplainsTheConstantOrTheOrder) {
  run(other_factor, {1.25F, 2, 3, 4});
  const auto with = [&](double expected) { return explanation({target(0, expected)}); };
  EXPECT_THAT(unconfirmed(),
              testing::ElementsAre("okk_bdc_mul_C: no other line has C = 3",
                                   "okk_bdc_sub: its two sources would fit the other way round"));
  EXPECT_THAT(with(1.875), HasSubstr("okk_bdc_mul_C: with C = 2.5 in place of 3"));
  EXPECT_THAT(with(-2.5), HasSubstr("okk_bdc_sub: with src0_addr and src1_addr swapped"));
  EXPECT_THAT(with(5), HasSubstr("okk_bdc_sub: with okk_bdc_add it would be as expected"));
  EXPECT_EQ(with(2.5), "");  // what is there
}

// Rows of 16: what is left of the largest of each, times that.
void spread_first(const void* args) {
  const Args& a = *static_cast<const Args*>(args);
  const dim4 rows = {1, 2, 1, 16}, one = {1, 2, 1, 1};
  dim4 spread;
  okk_initialize();
  okk_128_byte_aligned_stride_for_32bit(&spread, 0, &one);
  spread.w = 0;
  okk_gdma_32bit_cpy_S2L(0, a.input, &rows, nullptr, nullptr);
  okk_bdc_max_pool2d(128, 0, &rows, 1, 16, nullptr, nullptr);
  okk_bdc_sub(256, 128, 0, &rows, nullptr, &spread, nullptr);
  okk_bdc_max(384, 0, 128, &rows, nullptr, nullptr, &spread);
  okk_bdc_mul(512, 256, 384, &rows, nullptr, nullptr, nullptr);
  okk_gdma_32bit_cpy_L2S(a.output, 512, &rows, nullptr, nullptr);
  okk_poll();
}

TEST_F(Chains, WhatNothingConfirmsIsWeak) {
  std::vector<float> rows(32);
  for (std::size_t k = 0; k < rows.size(); ++k) rows[k] = static_cast<float>(k % 16) + 1;
  run(spread_first, rows);
  EXPECT_THAT(unconfirmed(),
              testing::IsSupersetOf(
                  {HasSubstr("okk_bdc_max: all 32 elements of its result are 16, though"),
                   HasSubstr("okk_bdc_sub: its first source is spread over the second"),
                   HasSubstr("okk_bdc_max_pool2d: okk_bdc_avg_pool2d would fit as well")}));
  const Json answer = {{"steps", steps(0)}, {"suspects", past_->suspects(steps(0), {})},
                       {"place", "there"},  {"device", 0},
                       {"chip", "bm1684"},  {"when", "now"}};
  const std::string text = chain_text(answer, false);
  EXPECT_THAT(text, HasSubstr("nothing breaks a pattern; suspects that nothing confirms"));
  EXPECT_LE(std::ranges::count(text.substr(0, text.find("\n\n") + 1), '\n'), 10);
}

// Each row of four less its mean, divided by the root of the mean of the squares of that, and a
// tenth, which belongs before the root.
void tenth_too_late(const void* args) {
  const Args& a = *static_cast<const Args*>(args);
  const dim4 one = {1, 1, 1, 1}, spread = {0, 0, 0, 0};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a.input, &kRow, nullptr, nullptr);
  okk_bdc_avg_pool2d(128, 0, &kRow, 1, 4, nullptr, nullptr);
  okk_bdc_sub(256, 0, 128, &kRow, nullptr, nullptr, &spread);
  okk_bdc_mul(384, 256, 256, &kRow, nullptr, nullptr, nullptr);
  okk_bdc_avg_pool2d(512, 384, &kRow, 1, 4, nullptr, nullptr);
  okk_bdc_rsqrt(640, 512, &one);
  okk_bdc_add_C(640, 640, 0.1F, &one, nullptr, nullptr);
  okk_bdc_mul(768, 256, 640, &kRow, nullptr, nullptr, &spread);
  okk_gdma_32bit_cpy_L2S(a.output, 768, &kRow, nullptr, nullptr);
  okk_poll();
}

TEST_F(Chains, MistakesAreUndoneWithAllThatFollows) {
  run(tenth_too_late, {1, 2, 4, 9});
  // (x - 4) / sqrt(9.5 + 0.1)
  EXPECT_THAT(explanation({target(0, -0.968245837)}),
              HasSubstr("okk_bdc_add_C: with it before okk_bdc_rsqrt"));
  // (x - 4) * (1 / sqrt(9.5) + 0.25), at three elements
  EXPECT_THAT(explanation({target(0, -1.72332843), target(1, -1.14888562), target(3, 2.87221405)}),
              HasSubstr("okk_bdc_add_C: with C = 0.25 in place of 0.1 it would be as expected, at "
                        "all 3 elements compared"));
  // No one thing makes the first what it should be and leaves the last as it is.
  EXPECT_THAT(explanation({target(0, -0.968245837), target(3, 2.12221413, false)}),
              testing::Not(HasSubstr("it would be as expected")));
}

TEST_F(Chains, NothingChangesWhatMemoryHolds) {
  run(other_factor, {1.25F, 2, 3, 4});
  const std::uint64_t begin = device_.chip().region(Space::kGlobal).begin;
  const std::byte* const memory = device_.memory().base(Space::kGlobal) + (args_.output - begin);
  const std::vector<std::byte> before(memory, memory + kBytes);
  const Target wrong = target(0, 17);
  past_->suspects(steps(0), {&wrong, 1});
  EXPECT_TRUE(std::equal(before.begin(), before.end(), memory));
}

}  // namespace
}  // namespace tensorlane::why
