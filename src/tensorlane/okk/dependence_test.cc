// Every function on random legal calls: the elements of its results that depend on undefined ones
// are those that the entry says.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "tensorlane/device/memory.h"
#include "tensorlane/okk/define.h"
#include "tensorlane/okk/random_call_test_support.h"
#include "tensorlane/trail/dependence_test_support.h"
#include "tensorlane/trail/footprint.h"

namespace tensorlane::okk {
namespace {

bool overlapping(const Command& command) {
  const auto bytes = [&](const Operand& operand) {
    return trail::footprint(operand.layout,
                            operand.space == Space::kLocal ? command.chip->local.npu_bytes : 0);
  };
  for (const Operand& a : command.operands()) {
    if (a.writes() && !a.layout.nested()) return true;  // with itself
    for (const Operand& b : command.operands()) {
      const bool one_source = !a.writes() && !b.writes() && a.layout == b.layout;
      if (&a < &b && a.space == b.space && !one_source && trail::overlap(bytes(a), bytes(b)))
        return true;
    }
  }
  return false;
}

DeviceMemory& memory() {
  static DeviceMemory memory(bm1684());
  return memory;
}

void fill(const Command& command, const RandomCall& call) {
  for (std::size_t k = 0; k < command.operands().size(); ++k) {
    const Operand& operand = command.operands()[k];
    std::uint64_t index = 0;
    for (const ByteRun& run : operand.layout.byte_runs()) {
      std::byte* const at =
          memory().base(operand.space) + run.npu * bm1684().local.npu_bytes + run.offset;
      for (std::int64_t i = 0; i < run.bytes; i += 4) {
        const std::uint32_t word = random_word(call.data[k], call.seed, index++);
        std::memcpy(at + i, &word,
                    static_cast<std::size_t>(std::min<std::int64_t>(4, run.bytes - i)));
      }
    }
  }
}

class Dependences : public testing::TestWithParam<const Op*> {};

TEST_P(Dependences, AreThoseOfTheEntry) {
  const Op& op = *GetParam();
  ASSERT_EQ(trail::misnamed_window(op), "");
  EXPECT_FALSE(trail::judged_whole(op));
  EXPECT_EQ(trail::unstated_combination(op), "");
  std::mt19937 random(4321);
  const auto pick = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  };
  int tried = 0;
  const bool held = rc::check(std::string(op.name()), [&] {
    const RandomCall call = *random_call(op);
    RC_PRE(call.legal);
    Command command;
    decode(op, call.args, bm1684(), false, command);
    RC_PRE(!overlapping(command));
    ++tried;
    fill(command, call);
    const std::string origin = trail::origin_violation(command, memory(), pick);
    if (!origin.empty()) RC_FAIL(origin);
    fill(command, call);
    const std::string found = trail::dependence_violation(command, memory(), pick);
    if (!found.empty()) RC_FAIL(found);
    fill(command, call);
    const std::string decided = trail::decision_violation(command, memory(), pick);
    if (!decided.empty()) RC_FAIL(decided);
  });
  EXPECT_TRUE(held) << op.name();
  EXPECT_GT(tried, 0) << op.name();
}

class FixedResults : public testing::TestWithParam<const Op*> {};

TEST_P(FixedResults, DependOnNoSource) {
  const Op& op = *GetParam();
  std::mt19937 random(4321);
  const auto pick = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  };
  int tried = 0;
  const bool held = rc::check(std::string(op.name()), [&] {
    RandomCall call = *random_call(op);
    RC_PRE(call.legal);
    trail::fix_results(op, call.args);
    Command command;
    decode(op, call.args, bm1684(), false, command);
    RC_PRE(op.spec().fixed_if(command) && !overlapping(command));
    ++tried;
    fill(command, call);
    const std::string found = trail::dependence_violation(command, memory(), pick);
    if (!found.empty()) RC_FAIL(found);
  });
  EXPECT_TRUE(held) << op.name();
  EXPECT_GT(tried, 0) << op.name();
}

std::vector<const Op*> engine_functions() {
  std::vector<const Op*> list;
  for (const Op* op : op_list()) {
    if (op->engine() != Engine::kNone) list.push_back(op);
  }
  return list;
}

INSTANTIATE_TEST_SUITE_P(, Dependences, testing::ValuesIn(engine_functions()),
                         [](const auto& info) { return std::string(info.param->name()); });

std::vector<const Op*> with_fixed_results() {
  std::vector<const Op*> list;
  for (const Op* op : op_list()) {
    if (op->spec().fixed_if) list.push_back(op);
  }
  return list;
}

INSTANTIATE_TEST_SUITE_P(, FixedResults, testing::ValuesIn(with_fixed_results()),
                         [](const auto& info) { return std::string(info.param->name()); });

}  // namespace
}  // namespace tensorlane::okk
