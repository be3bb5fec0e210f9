// Results that lie on sources, for every function of every interface: exactly, where what comes out
// is what the entry says, and in any way, where every implementation gives the reference's bits
// whatever threads do when.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tensorlane/differential/call_generator.h"
#include "tensorlane/differential/functions_test_support.h"
#include "tensorlane/differential/trial.h"
#include "tensorlane/ops/call_text.h"
#include "tensorlane/trail/in_place_test_support.h"

namespace tensorlane::differential {
namespace {

std::vector<Function> computing() {
  return functions_where([](const Op& op) { return op.engine() == Engine::kBdc; });
}

class ResultsOnSources : public testing::TestWithParam<Function> {
 protected:
  const Op& op() const { return *GetParam().op; }
  const Chip& chip() const { return GetParam().front_end->chip; }

  // Whether some result in place of a source was another one than elsewhere.
  bool other_in_place(const OperandSpec& source) {
    constexpr int kCalls = 60;
    bool other = false;
    CallGenerator generator(*GetParam().front_end, op());
    CallMemory memory(chip());
    Random random(97);
    for (int k = 0; k < kCalls; ++k) {
      const std::optional<Call> call = generator.next({.apart = true}, random);
      Command apart, in_place;
      if (!call || !decode_legal(*call, apart) || apart.find(source.param) == nullptr) continue;
      const auto moved = trail::on_source(op(), call->args, apart, source);
      if (!moved) continue;
      if (!decode_legal({call->front_end, call->op, *moved}, in_place)) {
        other = other || source.in_place == InPlace::kRefused;
        continue;  // or strides are refused where they are the source's
      }
      // A source that is broadcast cannot be overwritten exactly.
      if (!apart.operands()[0].layout.injective() || !in_place.operands()[0].layout.injective() ||
          apart.overlap() != Overlap::kNone || !memory.take(apart))
        continue;
      const CallData data = draw_data(apart, random);
      try {
        const trail::InPlaceOutcome outcome = trail::in_place_outcome(
            apart, in_place, source, memory.reference(), [&] { memory.fill(apart, data); });
        EXPECT_EQ(outcome.violation, "") << call_text(op(), *moved);
        other = other || outcome.other;
      } catch (const UserError&) {  // an index that is not there
      }
    }
    return other;
  }
};

// The calls decide the types of these, yet their results are always wider than the sources.
bool always_widens(const Op& op) {
  return op.name() == "okk_bdc_int8_to_fp32" ||
         op.name() == "okk_bdc_fixed_point_packed_16bit_mul_8bit";
}

TEST_P(ResultsOnSources, InPlaceAreWhatTheEntrySays) {
  if (!always_widens(op())) {
    EXPECT_EQ(trail::missing_in_place_rule(op()), "");
  }
  for (const OperandSpec& source : op().spec().operands) {
    if (source.in_place == InPlace::kUnsaid) continue;
    const bool other = source.in_place == InPlace::kOther || source.in_place == InPlace::kRefused;
    EXPECT_EQ(other_in_place(source), other) << source.param;
  }
}

TEST_P(ResultsOnSources, AreTheReferencesOnAnyThreads) {
  constexpr int kDraws = 400, kEnough = 4;
  if (op().spec().implementations.size() < 2) return;
  CallGenerator generator(*GetParam().front_end, op());
  Trial trial(chip());
  Random random(4711);
  int found = 0;
  for (int k = 0; k < kDraws && found < kEnough; ++k) {
    const std::optional<Call> call = generator.next({}, random);
    Command command;
    if (!call || !decode_legal(*call, command) || command.overlap() == Overlap::kNone) continue;
    const Case one{*call, draw_data(command, random)};
    if (!trial.begin(one) || !trial.refusal().empty()) continue;
    ++found;
    std::vector<Way> ways;
    for (const int threads : {1, 2, 3, 4, 8})
      ways.push_back({.implementation = kDispatched, .threads = threads});
    for (const std::uint64_t order : {1, 2, 3})
      ways.push_back({.implementation = kDispatched, .threads = 4, .order = order});
    for (const Way& way : ways) {
      EXPECT_EQ(trial.run(way).difference, "")
          << call_text(op(), call->args) << "\n"
          << overlap_name(command.overlap()) << ", " << way.text();
    }
  }
  const bool has_source = std::ranges::any_of(op().spec().operands, [](const OperandSpec& operand) {
    return operand.role == Role::kIn && operand.memory == MemoryKind::kLocal;
  });
  EXPECT_TRUE(found > 0 || !has_source) << "no call overlaps";
}

INSTANTIATE_TEST_SUITE_P(, ResultsOnSources, testing::ValuesIn(computing()),
                         [](const auto& info) { return std::string(info.param.op->name()); });

}  // namespace
}  // namespace tensorlane::differential
