#include "tensorlane/observe/precision/precision.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "tensorlane/base/parallel.h"
#include "tensorlane/device/device.h"
#include "tensorlane/device/kernel_runner.h"
#include "tensorlane/observe/precision/precision_report.h"
#include "tensorlane/okk/define.h"

namespace tensorlane::precision {
namespace {

constexpr dim4 kShape = {2, 70, 3, 5};  // more channels than NPUs
constexpr std::size_t kCount = 2 * 70 * 3 * 5;
constexpr int kTerms = 40;

struct Args {
  std::uint64_t input, output;
};

// output = kTerms * (input * 0.1), one addition after the other, on its way through a tensor with
// other strides.
void sum(const void* args) {
  const Args& a = *static_cast<const Args*>(args);
  const dim4 wide = {2000, 1000, 7, 1};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a.input, &kShape, nullptr, nullptr);
  okk_bdc_mul_C(0, 0, 0.1F, &kShape, nullptr, nullptr);
  okk_bdc_mul_C(1024, 0, 0.0F, &kShape, nullptr, nullptr);
  for (int k = 0; k < kTerms; ++k) okk_bdc_add(1024, 1024, 0, &kShape, nullptr, nullptr, nullptr);
  okk_bdc_32bit_cpy(4096, 1024, &kShape, &wide, nullptr);
  okk_gdma_32bit_cpy_L2S(a.output, 4096, &kShape, nullptr, &wide);
  okk_poll();
}

// 1e30 / (input * 1e-30), which no float holds, and input * 1e-30 * 1e-30, which is less than any.
void overflow(const void* args) {
  const Args& a = *static_cast<const Args*>(args);
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a.input, &kShape, nullptr, nullptr);
  okk_bdc_mul_C(0, 0, 1e-30F, &kShape, nullptr, nullptr);
  okk_bdc_mul_C(1024, 0, 1e-30F, &kShape, nullptr, nullptr);
  okk_bdc_C_div(0, 0, 1e30F, &kShape, nullptr, nullptr);
  okk_gdma_32bit_cpy_L2S(a.output, 1024, &kShape, nullptr, nullptr);
  okk_poll();
}

// (input + 1000) - 1000: the difference is exact, and what it hands on is large beside it.
void cancellation(const void* args) {
  const Args& a = *static_cast<const Args*>(args);
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a.input, &kShape, nullptr, nullptr);
  okk_bdc_add_C(0, 0, 1000, &kShape, nullptr, nullptr);
  okk_bdc_sub_C(1024, 0, 1000, &kShape, nullptr, nullptr);
  okk_gdma_32bit_cpy_L2S(a.output, 1024, &kShape, nullptr, nullptr);
  okk_poll();
}

class Watched : public testing::Test {
 protected:
  explicit Watched(Limits limits = {}) : device_(bm1684()) {
    auto owned = std::make_unique<Precision>(device_.chip(), device_.memory(), 0, nullptr,
                                             std::move(limits));
    precision_ = owned.get();
    device_.add_observer(std::move(owned));
    args_ = {device_.allocate(4 * kCount).value(), device_.allocate(4 * kCount).value()};
    std::mt19937 random(5);
    std::uniform_real_distribution<float> number(0.5F, 1.5F);
    for (float& value : input_) value = number(random);
    std::memcpy(device_.host_access(HostAccess::kWrite, args_.input, 4 * kCount), input_.data(),
                4 * kCount);
  }
  void run(void (*kernel)(const void*)) {
    device_.submit("kernel",
                   [=, this](Session& session) { return run_kernel(session, kernel, &args_); });
    device_.drain();
  }
  // What the host reads, at a place of its own each time.
  std::vector<float> read() {
    std::vector<float> output(kCount);
    const HostCaller caller{"read", reinterpret_cast<const void*>(++reads_)};
    std::memcpy(output.data(),
                device_.host_access(HostAccess::kRead, args_.output, 4 * kCount, 0, caller),
                4 * kCount);
    return output;
  }
  const ReadErrors* errors() const {
    const auto found = precision_->reads().find(reinterpret_cast<const void*>(reads_));
    return found == precision_->reads().end() ? nullptr : &found->second;
  }
  LineErrors line(std::string_view function) const {
    LineErrors sum;
    for (const LineErrors& each : precision_->lines()) {
      if (each.function == function) sum = each;
    }
    return sum;
  }

  Device device_;
  Precision* precision_ = nullptr;
  Args args_{};
  std::array<float, kCount> input_{};
  std::intptr_t reads_ = 0;
};

TEST_F(Watched, ErrorsAreThoseOfDoublePrecision) {
  run(sum);
  const std::vector<float> output = read();
  double squares = 0, values = 0, worst = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    const double real = kTerms * (static_cast<double>(input_[i]) * static_cast<double>(0.1F));
    squares += (output[i] - real) * (output[i] - real);
    values += real * real;
    worst = std::max(worst, std::abs(output[i] - real));
  }
  ASSERT_GT(squares, 0);
  const ReadErrors* const found = errors();
  ASSERT_NE(found, nullptr);
  EXPECT_NEAR(found->errors, squares, 1e-6 * squares);
  EXPECT_NEAR(std::abs(found->got - found->real), worst, 1e-6 * worst);
  // The additions cost more than the one multiplication, and every error handed on was entered.
  EXPECT_GT(line("okk_bdc_add").share, line("okk_bdc_mul_C").share);
  EXPECT_EQ(line("okk_bdc_add").calls, static_cast<std::uint64_t>(kTerms));
  EXPECT_GT(line("okk_bdc_add").handed_on, line("okk_bdc_add").entered);
  ASSERT_NE(found->line, trail::Blame::kNobody);
  EXPECT_EQ(precision_->lines()[found->line].function, "okk_bdc_add");
}

TEST_F(Watched, ALineThatAmplifiesIsShownThoughNothingEntersThere) {
  run(cancellation);
  read();
  EXPECT_EQ(line("okk_bdc_sub_C").entered, 0);
  const Json report = precision_json(precision_->lines(), precision_->reads(), 0);
  const auto amplifies = [&](const std::string& function) {
    for (const Json& each : report.at("lines")) {
      if (each.at("function").text() == function) return each.at("amplifies").get<double>();
    }
    return -1.0;
  };
  EXPECT_GT(amplifies("okk_bdc_sub_C"), 500);
  EXPECT_EQ(amplifies("okk_bdc_add_C"), 0);
  const std::string text = precision_text(report);
  EXPECT_NE(text.find("okk_bdc_sub_C"), std::string::npos) << text;
  EXPECT_NE(text.find("amplifies what arrives"), std::string::npos) << text;
}

TEST_F(Watched, WhatTheHostWritesIsRight) {
  run(sum);
  device_.host_access(HostAccess::kWrite, args_.output, 4 * kCount);
  read();
  EXPECT_EQ(errors(), nullptr);
}

TEST_F(Watched, ErrorsTravelWithCopiesOfTheHost) {
  run(sum);
  const auto other = device_.allocate(4 * kCount).value();
  device_.host_copy({.from = args_.output, .to = other, .item_bytes = 4 * kCount}, {});
  device_.host_access(HostAccess::kWrite, args_.output, 4 * kCount);
  args_.output = other;
  read();
  ASSERT_NE(errors(), nullptr);
  EXPECT_GT(errors()->errors, 0);
}

// Rows in a chance order and in pieces of chance length.
TEST_F(Watched, ErrorsDoNotDependOnHowThreadsShareTheWork) {
  struct Trial {
    Trial() { parallel_trial.smaller = 14, parallel_trial.order = 5; }
    ~Trial() { parallel_trial.smaller = 0, parallel_trial.order = 0; }
  };
  run(sum);
  read();
  const ReadErrors usual = *errors();
  const Trial trial;
  run(sum);
  read();
  EXPECT_GT(usual.errors, 0);
  EXPECT_EQ(errors()->errors, usual.errors);
  EXPECT_EQ(errors()->values, usual.values);
  EXPECT_EQ(errors()->address, usual.address);
  EXPECT_EQ(errors()->part, usual.part);
}

TEST_F(Watched, OverflowsAndDenormalsAreCounted) {
  run(overflow);
  read();
  EXPECT_EQ(line("okk_bdc_C_div").overflows, kCount);
  EXPECT_EQ(line("okk_bdc_mul_C").flushed, kCount);
}

// Halved until they fit: elements (0, 0, h, w) of the first two rows and columns.
class WatchedInPart : public Watched {
 protected:
  WatchedInPart() : Watched({.elements = 6}) {}
};

TEST_F(WatchedInPart, ErrorsOfThePartAreThoseOfDoublePrecision) {
  run(sum);
  const std::vector<float> output = read();
  const ReadErrors* const found = errors();
  ASSERT_NE(found, nullptr);
  ASSERT_GT(found->elements, 0U);
  EXPECT_LE(found->elements, 6U);
  EXPECT_LE(line("okk_bdc_add").elements, 6U * kTerms);
  double squares = 0;
  std::uint64_t wrong = 0;
  for (std::size_t h = 0; h < 2; ++h) {
    for (std::size_t w = 0; w < 2; ++w) {
      const std::size_t i = h * 5 + w;
      const double real = kTerms * (static_cast<double>(input_[i]) * static_cast<double>(0.1F));
      squares += (output[i] - real) * (output[i] - real);
      wrong += output[i] == real ? 0 : 1;
    }
  }
  EXPECT_EQ(found->elements, wrong);
  EXPECT_NEAR(found->errors, squares, 1e-6 * squares);
}

class WatchedAtOneFunction : public Watched {
 protected:
  WatchedAtOneFunction()
      : Watched(
            {.launch = [](const Launch& launch) { return launch.number < 2; },
             .command =
                 [](const Command& command) { return command.op->name() == "okk_bdc_mul_C"; }}) {}
};

TEST_F(WatchedAtOneFunction, NothingElseIsToldOfAndOtherLaunchesNeither) {
  run(sum);
  EXPECT_EQ(line("okk_bdc_mul_C").calls, 1U);
  EXPECT_EQ(line("okk_bdc_add").calls, 0U);
  read();
  EXPECT_EQ(errors(), nullptr);  // the additions start anew
  run(overflow);
  read();
  EXPECT_EQ(line("okk_bdc_mul_C").flushed, kCount);
  ASSERT_NE(errors(), nullptr);
  run(overflow);
  EXPECT_EQ(line("okk_bdc_mul_C").calls, 1U);
  read();
  EXPECT_EQ(errors(), nullptr);
}

}  // namespace
}  // namespace tensorlane::precision
