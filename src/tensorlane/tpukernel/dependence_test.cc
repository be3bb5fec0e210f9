// Every function on random legal calls: the elements of its results that depend on undefined ones
// are those that the entry says.
#include <gtest/gtest.h>

#include "tensorlane/device/memory.h"
#include "tensorlane/ops/call_text.h"
#include "tensorlane/tpukernel/define.h"
#include "tensorlane/tpukernel/random_call_test_support.h"
#include "tensorlane/trail/dependence_test_support.h"

namespace tensorlane::tpukernel {
namespace {

constexpr int kCalls = 12;  // per function

DeviceMemory& memory() {
  static DeviceMemory memory(bm1684x());
  return memory;
}

// What is wrong with a call on random data; see check::dependence_violation.
std::string violation(const Command& command, Random& random) {
  const auto fill = [&](Random& from) {
    for (const Operand& operand : command.operands()) {
      if (operand.space != Space::kStatic)
        fill_randomly(operand, memory().base(operand.space), from);
    }
  };
  const auto picks_of = [](Random& from) {
    return [&from](std::int64_t n) {
      return static_cast<std::int64_t>(from() % static_cast<std::uint64_t>(n));
    };
  };
  Random same = random;
  fill(same);
  const std::string origin = trail::origin_violation(command, memory(), picks_of(same));
  if (!origin.empty()) return origin;
  same = random;
  fill(same);
  const std::string decided = trail::decision_violation(command, memory(), picks_of(same));
  if (!decided.empty()) return decided;
  fill(random);
  return trail::dependence_violation(command, memory(), picks_of(random));
}

class Dependences : public testing::TestWithParam<const Op*> {};

TEST_P(Dependences, AreThoseOfTheEntry) {
  const Op& op = *GetParam();
  ASSERT_EQ(trail::misnamed_window(op), "");
  EXPECT_EQ(trail::unstated_combination(op), "");
  // Sorts and suppressions: every element of the result depends on all.
  EXPECT_TRUE(!trail::judged_whole(op) || op.engine() == Engine::kHau);
  Random random(4321);
  for (int k = 0; k < kCalls; ++k) {
    const std::optional<std::vector<Arg>> args = random_call(op, random);
    ASSERT_TRUE(args) << "no legal call came out";
    Command command;
    decode(op, *args, bm1684x(), false, command);
    const std::string found = violation(command, random);
    ASSERT_TRUE(found.empty()) << call_text(op, *args) << "\n" << found;
  }
}

class FixedResults : public testing::TestWithParam<const Op*> {};

TEST_P(FixedResults, DependOnNoSource) {
  const Op& op = *GetParam();
  Random random(4321);
  int tried = 0;
  for (int k = 0; k < kCalls; ++k) {
    std::optional<std::vector<Arg>> args = random_call(op, random);
    ASSERT_TRUE(args) << "no legal call came out";
    trail::fix_results(op, *args);
    Command command;
    decode(op, *args, bm1684x(), false, command);
    if (!op.spec().fixed_if(command)) continue;
    ++tried;
    const std::string found = violation(command, random);
    ASSERT_TRUE(found.empty()) << call_text(op, *args) << "\n" << found;
  }
  EXPECT_GT(tried, 0);
}

std::vector<const Op*> engine_functions() {
  std::vector<const Op*> list;
  for (const Op* op : ops().all()) {
    if (op->spec().absence == Absence::kNone && op->engine() != Engine::kNone) list.push_back(op);
  }
  return list;
}

INSTANTIATE_TEST_SUITE_P(, Dependences, testing::ValuesIn(engine_functions()),
                         [](const auto& info) { return std::string(info.param->name()); });

std::vector<const Op*> with_fixed_results() {
  std::vector<const Op*> list;
  for (const Op* op : ops().all()) {
    if (op->spec().fixed_if) list.push_back(op);
  }
  return list;
}

INSTANTIATE_TEST_SUITE_P(, FixedResults, testing::ValuesIn(with_fixed_results()),
                         [](const auto& info) { return std::string(info.param->name()); });

}  // namespace
}  // namespace tensorlane::tpukernel
