// Every function by its fastest implementation and by its reference, on random legal calls: memory
// must be the same afterwards, byte for byte.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <hwy/targets.h>
#include <rapidcheck.h>

#include <cstring>

#include "tensorlane/device/memory.h"
#include "tensorlane/device/session.h"
#include "tensorlane/okk/define.h"
#include "tensorlane/okk/random_call_test_support.h"

namespace tensorlane::okk {
namespace {

// Two devices whose memories are equal before each call.
struct Twins {
  const Chip& chip = bm1684();
  DeviceMemory fast{chip};
  DeviceMemory reference{chip};

  static Twins& instance() {
    static Twins twins;
    return twins;
  }

  // Every place an operand may reach: the slots of each NPU and of global memory.
  template <class F>
  void each_part(F f) {
    for (int npu = 0; npu < chip.local.npus; ++npu)
      f(Space::kLocal, npu * chip.local.npu_bytes, kSlots * kLocalSlotBytes);
    f(Space::kGlobal, std::int64_t{0}, kSlots * kSystemSlotBytes);
  }

  void make_equal() {
    each_part([&](Space space, std::int64_t begin, std::int64_t bytes) {
      std::memcpy(reference.base(space) + begin, fast.base(space) + begin,
                  static_cast<std::size_t>(bytes));
    });
  }

  // Where the first difference lies; empty when there is none. `any_nan`: two NaNs are equal.
  std::string difference(bool any_nan) {
    std::string text;
    each_part([&](Space space, std::int64_t begin, std::int64_t bytes) {
      const std::byte* a = fast.base(space) + begin;
      const std::byte* b = reference.base(space) + begin;
      if (!text.empty() || std::memcmp(a, b, static_cast<std::size_t>(bytes)) == 0) return;
      for (std::int64_t at = 0; at < bytes && text.empty(); at += 4) {
        std::uint32_t got = 0, want = 0;
        std::memcpy(&got, a + at, 4);
        std::memcpy(&want, b + at, 4);
        if (got == want || (any_nan && is_nan(got) && is_nan(want))) continue;
        text = fmt::format("{} {:#x}: {:#010x}, by the reference {:#010x}", space_name(space),
                           begin + at, got, want);
      }
      make_equal();
    });
    return text;
  }

  static bool is_nan(std::uint32_t bits) { return (bits & 0x7fffffffu) > 0x7f800000u; }

  // No byte of local memory outside the slots may have changed; the pattern there is zero.
  bool clean_outside() {
    const std::size_t begin = kSlots * kLocalSlotBytes;
    const std::vector<std::byte> zero(static_cast<std::size_t>(chip.local.npu_bytes) - begin);
    for (int npu = 0; npu < chip.local.npus; ++npu) {
      const std::byte* at = fast.base(Space::kLocal) + npu * chip.local.npu_bytes + begin;
      if (std::memcmp(at, zero.data(), zero.size()) != 0) return false;
    }
    return true;
  }
};

void fill(Twins& twins, const Command& command, const RandomCall& call) {
  for (std::size_t k = 0; k < command.operands().size(); ++k) {
    const Operand& operand = command.operands()[k];
    std::uint64_t index = 0;
    for (const ByteRun& run : operand.layout.byte_runs()) {
      const std::int64_t begin = run.npu * twins.chip.local.npu_bytes + run.offset;
      std::byte* const a = twins.fast.base(operand.space) + begin;
      for (std::int64_t i = 0; i < run.bytes; i += 4) {
        const std::uint32_t word =
            random_word(call.data[k], call.seed + static_cast<std::uint32_t>(k), index++);
        std::memcpy(a + i, &word,
                    static_cast<std::size_t>(std::min<std::int64_t>(4, run.bytes - i)));
      }
      std::memcpy(twins.reference.base(operand.space) + begin, a,
                  static_cast<std::size_t>(run.bytes));
    }
  }
}

// Sums of many terms: which NaN comes out depends on the order of operands that the chip does not
// promise, and the recordings leave it open as well.
bool any_nan(std::string_view function) {
  return function == "okk_bdc_conv2d" || function == "okk_bdc_depthwise2d" ||
         function == "okk_bdc_avg_pool2d" || function == "okk_bdc_matmul";
}

class Differential : public testing::TestWithParam<const Op*> {};

// The number of legal calls tried; failures are reported by RapidCheck.
int compare_random_calls(const Op& op) {
  Twins& twins = Twins::instance();
  twins.make_equal();
  int legal = 0;
  const bool held = rc::check(std::string(op.name()), [&] {
    const RandomCall call = *random_call(op, twins.chip);
    RC_PRE(call.legal);
    Command command;
    decode(op, call.args, twins.chip, false, command);
    fill(twins, command, call);
    execute({command, twins.fast.bases()}, ImplementationChoice::kFastest);
    execute({command, twins.reference.bases()}, ImplementationChoice::kReference);
    ++legal;
    const std::string difference = twins.difference(any_nan(op.name()));
    if (!difference.empty()) RC_FAIL(difference);
  });
  EXPECT_TRUE(held) << op.name();
  EXPECT_TRUE(twins.clean_outside()) << op.name();
  return legal;
}

TEST_P(Differential, FastestIsReference) {
  EXPECT_GE(compare_random_calls(*GetParam()), 50);
}

// Rows of every vector instruction set this processor has, not only of the best one.
TEST(VectorTargets, EveryOneGivesTheReferencesBits) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    for (const Op* op : op_list()) {
      const bool elementwise = op->engine() == Engine::kBdc && op->spec().group != "bdc-nn";
      if (elementwise && op->spec().implementations.front().name == "simd") {
        compare_random_calls(*op);
      }
    }
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

std::vector<const Op*> engine_functions() {
  std::vector<const Op*> ops;
  for (const Op* op : op_list()) {
    if (op->engine() != Engine::kNone) ops.push_back(op);
  }
  return ops;
}

INSTANTIATE_TEST_SUITE_P(, Differential, testing::ValuesIn(engine_functions()),
                         [](const auto& info) { return std::string(info.param->name()); });

}  // namespace
}  // namespace tensorlane::okk
