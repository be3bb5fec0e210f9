// Every function that has an engine can be measured: the generator finds calls of it, at every size
// and in every type, and they run.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "peer_choice.h"
#include "sources.h"
#include "tensorlane/device/memory.h"
#include "tensorlane/device/session.h"
#include "tensorlane/front_ends/front_ends.h"
#include "tensorlane/front_ends/legal_calls.h"

namespace tensorlane::bench {
namespace {

class Interface : public testing::TestWithParam<const FrontEnd*> {};
INSTANTIATE_TEST_SUITE_P(, Interface,
                         testing::ValuesIn(all_front_ends().begin(), all_front_ends().end()),
                         [](const auto& info) { return std::string(info.param->chip.name); });

// Bytes of a memory that the operands of a command take.
std::int64_t bytes_of(const Command& command) {
  std::int64_t bytes = 0;
  for (const Operand& operand : command.operands())
    bytes += operand.layout.size() * dtype_bits(operand.layout.dtype()) / 8;
  return bytes;
}

// Whether an argument of the function chooses one of several types.
bool chooses_types(const Op& op) {
  return std::ranges::any_of(op.limits(), [](const Limit& limit) {
    return limit.rule().starts_with("dtype in {") && limit.rule().find(',') != std::string::npos;
  });
}

TEST_P(Interface, EveryFunctionHasCallsOfEverySize) {
  const FrontEnd& front_end = *GetParam();
  EXPECT_GT(functions_with_engine(front_end).size(), 100U);
  for (const Op* op : functions_with_engine(front_end)) {
    SCOPED_TRACE(op->name());
    std::map<std::string, std::set<CallSize>> sizes;
    for (const OpCall& call : calls_of(front_end, *op)) {
      EXPECT_TRUE(sizes[call.types].insert(call.size).second) << call.types << " twice";
      Command command;
      EXPECT_NO_THROW(decode(*op, call.args, front_end.chip, false, command));
      EXPECT_LE(bytes_of(command), static_cast<std::int64_t>(front_end.chip.local_bytes()));
    }
    EXPECT_FALSE(sizes.empty());
    for (const auto& [types, found] : sizes)
      EXPECT_EQ(found.size(), std::size(kCallSizes)) << types;
    EXPECT_TRUE(!chooses_types(*op) || sizes.size() > 1);
    EXPECT_TRUE(example_of(front_end, *op));
  }
}

// Bytes of an NPU from the first operand to the last.
std::int64_t footprint(const Command& command) {
  std::int64_t end = 0;
  for (const Operand& operand : command.operands()) {
    if (operand.space == Space::kLocal) end = std::max(end, operand.layout.npu_offset_bounds().end);
  }
  return end;
}

// Element-wise functions fill local memory, but for those whose shapes are bounded.
TEST_P(Interface, FullIsFull) {
  const FrontEnd& front_end = *GetParam();
  int full = 0, calls = 0;
  for (const Op* op : functions_with_engine(front_end)) {
    if (op->spec().work != Work::kVector || op->engine() != Engine::kBdc) continue;
    for (const OpCall& call : calls_of(front_end, *op)) {
      if (call.size != CallSize::kFull) continue;
      Command command;
      decode(*op, call.args, front_end.chip, false, command);
      ++calls;
      full += footprint(command) > front_end.chip.local.npu_bytes / 2 ? 1 : 0;
    }
  }
  EXPECT_GT(full, calls * 4 / 5);
}

// One call of each kind of peer, small, in the first type: sources are what the commands can use.
TEST_P(Interface, OneCallOfEachKindRuns) {
  const FrontEnd& front_end = *GetParam();
  DeviceMemory memory(front_end.chip);
  Session session{front_end.chip, memory, {}, {}};
  std::set<PeerKind> kinds;
  for (const Op* op : functions_with_engine(front_end)) {
    if (!kinds.insert(choose_peer(*op).kind).second) continue;
    SCOPED_TRACE(op->name());
    for (const OpCall& call : calls_of(front_end, *op)) {
      if (call.size != CallSize::kSmall) continue;
      Command command;
      decode(*op, call.args, front_end.chip, false, command);
      fill_sources(command, memory.bases());
      EXPECT_NO_THROW(session.issue(*op, call.args, nullptr));
      break;
    }
  }
  EXPECT_GE(kinds.size(), 5U);
}

}  // namespace
}  // namespace tensorlane::bench
