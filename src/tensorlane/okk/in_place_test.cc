// Every function on random legal calls with its result on a source: what comes out is what the
// entry says.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstring>

#include "tensorlane/device/memory.h"
#include "tensorlane/observe/check/in_place_test_support.h"
#include "tensorlane/okk/define.h"
#include "tensorlane/okk/random_call_test_support.h"
#include "tensorlane/ops/call_text.h"

namespace tensorlane::okk {
namespace {

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

class InPlaceResults : public testing::TestWithParam<const Op*> {
 protected:
  // Whether some result was another one than elsewhere.
  static bool run(const Op& op, const OperandSpec& source) {
    bool other = false;
    const bool held = rc::check(std::string(op.name()), [&] {
      const RandomCall call = *random_call(op, bm1684());
      RC_PRE(call.legal);
      Command apart, in_place;
      decode(op, call.args, bm1684(), false, apart);
      if (apart.find(source.param) == nullptr) return;
      const auto moved = check::on_source(op, call.args, apart, source);
      if (!moved) return;
      try {
        decode(op, *moved, bm1684(), false, in_place);
      } catch (const IllegalCall&) {
        other = other || source.in_place == InPlace::kRefused;
        return;
      }
      if (!apart.operands()[0].layout.injective() || !in_place.operands()[0].layout.injective() ||
          apart.overlap() != Overlap::kNone)
        return;
      const check::InPlaceOutcome outcome =
          check::in_place_outcome(apart, in_place, source, memory(), [&] { fill(apart, call); });
      if (!outcome.violation.empty()) RC_FAIL(outcome.violation);
      other = other || outcome.other;
    });
    EXPECT_TRUE(held) << op.name() << " " << source.param;
    return other;
  }
};

TEST_P(InPlaceResults, AreWhatTheEntrySays) {
  const Op& op = *GetParam();
  // The calls decide the types of these two, yet their results are always wider than the sources.
  if (op.name() != "okk_bdc_int8_to_fp32" &&
      op.name() != "okk_bdc_fixed_point_packed_16bit_mul_8bit") {
    EXPECT_EQ(check::missing_in_place_rule(op), "");
  }
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
}  // namespace tensorlane::okk
