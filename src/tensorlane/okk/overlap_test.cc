// Results on their sources, for every function of BDC.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstring>

#include "tensorlane/device/overlapping_calls_test_support.h"
#include "tensorlane/okk/define.h"
#include "tensorlane/okk/random_call_test_support.h"

namespace tensorlane::okk {
namespace {

std::optional<std::vector<Arg>> draw(const Op& op, OverlappingCalls::Random& random) {
  constexpr int kSize = 50;
  const RandomCall call = random_call(op, bm1684())(rc::Random(random()), kSize).value();
  return call.legal ? std::optional(call.args) : std::nullopt;
}

void fill(const Operand& operand, std::byte* memory, OverlappingCalls::Random& random) {
  const std::uint32_t seed = random();
  std::uint64_t index = 0;
  for (const ByteRun& run : operand.layout.byte_runs()) {
    std::byte* const at = memory + run.npu * bm1684().local.npu_bytes + run.offset;
    for (std::int64_t i = 0; i < run.bytes; i += 4) {
      const std::uint32_t word = random_word(DataKind::kModerate, seed, index++);
      std::memcpy(at + i, &word,
                  static_cast<std::size_t>(std::min<std::int64_t>(4, run.bytes - i)));
    }
  }
}

TEST(Overlapping, OperandsGiveTheReferencesBitsOnAnyThreads) {
  OverlappingCalls calls(bm1684(), draw, fill);
  int functions = 0;
  for (const Op* op : op_list()) {
    if (op->engine() == Engine::kBdc) functions += calls.compare(*op, 100) ? 1 : 0;
  }
  EXPECT_GT(functions, 80);
}

}  // namespace
}  // namespace tensorlane::okk
