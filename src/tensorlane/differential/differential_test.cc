// Every implementation of every function beside its reference: see net.h. A sample of what the
// program `differential` does by the hour.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "tensorlane/differential/functions_test_support.h"
#include "tensorlane/differential/net.h"

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

class Differential : public testing::TestWithParam<Function> {};

TEST_P(Differential, EveryImplementationIsTheReference) {
  const auto [front_end, op] = GetParam();
  const FunctionFigures figures =
      Net(*front_end).run(*op, {.seed = seed(), .calls = kCalls, .sought = kSought});
  for (const std::string& difference : figures.differences) ADD_FAILURE() << difference;
  if (!figures.differences.empty()) return;
  EXPECT_LE(figures.none, kCalls / 4) << "the generator finds few legal calls";
  for (const ImplementationFigures& each : figures.implementations) {
    EXPECT_GT(each.taken, 0) << each.name << " met no call that it takes";
    for (const std::string& form : each.never_taken(kEnough)) {
      ADD_FAILURE() << each.name << " says that it takes " << form << ", and took none";
    }
  }
}

// What has rules of its own on other chips of the interface: special functions, divisions,
// products, windows and quantisation, on the one with the most of them.
TEST(DifferentialOnTheBm1688, EveryImplementationIsTheReference) {
  const Chip& chip = find_chip("bm1688");
  const FrontEnd& own = front_end_of(chip);
  const FrontEnd front_end{.api = own.api,
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
  Net net(front_end);
  int functions = 0;
  for (const Op* op : own.ops().all()) {
    const std::string_view group = op->spec().group;
    const bool wanted = group == "bdc-special" || group == "bdc-nn" || group == "bdc-quant";
    if (!wanted || op->spec().absence != Absence::kNone || op->spec().implementations.size() < 2)
      continue;
    ++functions;
    const FunctionFigures figures = net.run(*op, {.seed = seed(), .calls = kCalls / 5});
    for (const std::string& difference : figures.differences) ADD_FAILURE() << difference;
  }
  EXPECT_GT(functions, 60);
}

INSTANTIATE_TEST_SUITE_P(, Differential, testing::ValuesIn(functions()),
                         [](const auto& info) { return std::string(info.param.op->name()); });

}  // namespace
}  // namespace tensorlane::differential
