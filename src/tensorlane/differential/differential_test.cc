// Every implementation of every function beside its reference: see net.h. A sample of what the
// program `differential` does by the hour.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <string_view>

#include "tensorlane/differential/functions_test_support.h"
#include "tensorlane/differential/net.h"
#include "tensorlane/tensor/instruction_set.h"

namespace tensorlane::differential {
namespace {

// Of each function; ten times slower under sanitizers.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr std::int64_t kCalls = 20, kSought = 0;
#else
constexpr std::int64_t kCalls = 100, kSought = 300;
#endif
// Calls of a form that an implementation admits, after which it must have taken some.
constexpr std::int64_t kEnough = 12;

// The same calls in every run; TENSORLANE_SEED draws others.
std::uint64_t seed() {
  const char* const text = std::getenv("TENSORLANE_SEED");
  return text == nullptr ? 1 : std::strtoull(text, nullptr, 10);
}

std::vector<Function> functions() {
  return functions_where([](const Op& op) {
    return op.engine() != Engine::kNone && op.spec().implementations.size() > 1;
  });
}

// Words of packed elements are a path of vectors alone, which the plain set is without.
bool is_left_out(const ImplementationFigures& implementation) {
  return implementation.name == "words" && instruction_set_limit() == "scalar";
}

class Differential : public testing::TestWithParam<Function> {};

// Those words are for few of the types and shifts of a function, which has many.
std::int64_t calls_for(const Op& op) {
  return op.spec().implementations.front().name == "words" ? 4 * kCalls : kCalls;
}

TEST_P(Differential, EveryImplementationIsTheReference) {
  const auto [front_end, op] = GetParam();
  const std::int64_t calls = calls_for(*op);
  const FunctionFigures figures =
      Net(*front_end).run(*op, {.seed = seed(), .calls = calls, .sought = kSought});
  for (const std::string& difference : figures.differences) ADD_FAILURE() << difference;
  if (!figures.differences.empty()) return;
  EXPECT_LE(figures.none, calls / 4) << "the generator finds few legal calls";
  for (const ImplementationFigures& each : figures.implementations) {
    if (is_left_out(each)) continue;
    EXPECT_GT(each.taken, 0) << each.name << " met no call that it takes";
    for (const std::string& form : each.never_taken(kEnough)) {
      ADD_FAILURE() << each.name << " says that it takes " << form << ", and took none";
    }
  }
}

// The interface of a chip, as if that were the one its list was made for.
FrontEnd front_end_on(const Chip& chip) {
  const FrontEnd& own = front_end_of(chip);
  return {.api = own.api,
          .chip = chip,
          .registration = own.registration,
          .symbols = own.symbols,
          .layouts = own.layouts,
          .ops = own.ops,
          .tier = own.tier,
          .argument = own.argument,
          .recorded_memory = own.recorded_memory,
          .reference_page = own.reference_page,
          .report = own.report};
}

// That a chip has rules of its own puts no function at its reference.
void expect_taken(const Op& op, const FunctionFigures& figures) {
  for (const ImplementationFigures& each : figures.implementations)
    EXPECT_GT(each.taken, 0) << op.name() << ": " << each.name << " met no call that it takes";
}

// Functions that take 8-bit floats, with those and with all other types, on a chip that has them.
TEST(DifferentialOnTheBm1690, EveryImplementationIsTheReference) {
  const FrontEnd front_end = front_end_on(find_chip("bm1690"));
  Net net(front_end);
  int functions = 0;
  for (const Op* op : front_end.ops().all()) {
    const bool takes_fp8 = std::ranges::any_of(op->limits(), [](const Limit& limit) {
      return limit.rule().find("DT_FP8E4M3") != std::string::npos;
    });
    if (!takes_fp8 || op->spec().absence != Absence::kNone || op->engine() == Engine::kNone ||
        op->spec().implementations.size() < 2)
      continue;
    ++functions;
    // Of the types of a call two in eleven are such floats.
    const bool of_fp8_alone = op->name().starts_with("tpu_bdc_fp8_");
    const FunctionFigures figures =
        net.run(*op, {.seed = seed(), .calls = of_fp8_alone ? kCalls : kCalls / 2});
    for (const std::string& difference : figures.differences) ADD_FAILURE() << difference;
    EXPECT_LE(figures.none, kCalls / 8) << op->name() << ": the generator finds few legal calls";
    expect_taken(*op, figures);
  }
  EXPECT_GT(functions, 80);
}

// What has rules of its own on other chips of the interface: special functions, divisions,
// products, windows, quantisation and rounding, on the one with the most of them.
TEST(DifferentialOnTheBm1688, EveryImplementationIsTheReference) {
  const FrontEnd front_end = front_end_on(find_chip("bm1688"));
  const FrontEnd& own = front_end;
  Net net(front_end);
  int functions = 0;
  for (const Op* op : own.ops().all()) {
    const std::string_view group = op->spec().group;
    const bool wanted =
        group == "bdc-special" || group == "bdc-nn" || group == "bdc-quant" || group == "bdc-cast";
    if (!wanted || op->spec().absence != Absence::kNone || op->spec().implementations.size() < 2)
      continue;
    ++functions;
    const FunctionFigures figures = net.run(*op, {.seed = seed(), .calls = kCalls / 5});
    for (const std::string& difference : figures.differences) ADD_FAILURE() << difference;
    // Denormal numbers that are zeros before they are rounded by their sign, and sums of bytes that
    // saturate, are not what vectors compute: there the reference does.
    constexpr std::array<std::string_view, 3> kAtTheReference = {
        "tpu_bdc_fp_floor", "tpu_bdc_fp_ceil", "tpu_bdc_int8_roi_avg_pool2d"};
    if (std::ranges::find(kAtTheReference, op->name()) == kAtTheReference.end()) {
      expect_taken(*op, figures);
    } else {
      EXPECT_EQ(figures.implementations.front().taken, 0) << op->name();
    }
  }
  EXPECT_GT(functions, 60);
}

INSTANTIATE_TEST_SUITE_P(, Differential, testing::ValuesIn(functions()),
                         [](const auto& info) { return std::string(info.param.op->name()); });

}  // namespace
}  // namespace tensorlane::differential
