// Every function on random legal calls with its result on a source: what comes out is what the
// entry says.
#include <gtest/gtest.h>

#include "tensorlane/device/memory.h"
#include "tensorlane/observe/check/in_place_test_support.h"
#include "tensorlane/ops/call_text.h"
#include "tensorlane/tpukernel/define.h"
#include "tensorlane/tpukernel/random_call_test_support.h"

namespace tensorlane::tpukernel {
namespace {

constexpr int kCalls = 40;  // per source, of which some have elements of one width

class InPlaceResults : public testing::TestWithParam<const Op*> {
 protected:
  static DeviceMemory& memory() {
    static DeviceMemory memory(bm1684x());
    return memory;
  }

  // Whether some result was another one than elsewhere.
  static bool run(const Op& op, const OperandSpec& source) {
    bool other = false;
    Random random(97);
    for (int k = 0; k < kCalls; ++k) {
      const std::optional<std::vector<Arg>> args = random_call(op, random);
      Command apart, in_place;
      decode(op, args.value(), bm1684x(), false, apart);
      if (apart.find(source.param) == nullptr) continue;
      const auto moved = check::on_source(op, *args, apart, source);
      if (!moved) continue;
      try {
        decode(op, *moved, bm1684x(), false, in_place);
      } catch (const IllegalCall& refused) {
        if (source.in_place != InPlace::kRefused)
          continue;  // of strides, where they are the source's
        other = true;
        continue;
      }
      if (!apart.operands()[0].layout.injective() || !in_place.operands()[0].layout.injective())
        continue;  // a source that is broadcast cannot be overwritten exactly
      try {
        const check::InPlaceOutcome outcome =
            check::in_place_outcome(apart, in_place, source, memory(), [&] {
              for (const Operand& operand : apart.operands()) {
                if (operand.space != Space::kStatic)
                  fill_randomly(operand, memory().base(operand.space), random);
              }
            });
        EXPECT_EQ(outcome.violation, "") << call_text(op, *moved);
        other = other || outcome.other;
      } catch (const UserError&) {  // an index that is not there
      }
    }
    return other;
  }
};

TEST_P(InPlaceResults, AreWhatTheEntrySays) {
  const Op& op = *GetParam();
  EXPECT_EQ(check::missing_in_place_rule(op), "");
  for (const OperandSpec& source : op.spec().operands) {
    if (source.in_place == InPlace::kUnsaid) continue;
    const bool other = source.in_place == InPlace::kOther || source.in_place == InPlace::kRefused;
    EXPECT_EQ(run(op, source), other) << source.param;
  }
}

std::vector<const Op*> computing() {
  std::vector<const Op*> list;
  for (const Op* op : ops().all()) {
    if (op->engine() == Engine::kBdc && op->spec().absence == Absence::kNone) list.push_back(op);
  }
  return list;
}

INSTANTIATE_TEST_SUITE_P(, InPlaceResults, testing::ValuesIn(computing()),
                         [](const auto& info) { return std::string(info.param->name()); });

}  // namespace
}  // namespace tensorlane::tpukernel
