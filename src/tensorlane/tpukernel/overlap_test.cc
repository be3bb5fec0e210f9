// Calls whose results lie on their sources, in place or partly: every implementation that takes one
// gives the reference's bits, whatever threads do when.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "tensorlane/base/parallel.h"
#include "tensorlane/device/memory.h"
#include "tensorlane/device/session.h"
#include "tensorlane/ops/call_text.h"
#include "tensorlane/tpukernel/define.h"
#include "tensorlane/tpukernel/random_call_test_support.h"

namespace tensorlane::tpukernel {
namespace {

constexpr int kOverlappingCalls = 1, kDraws = 8;  // per function

// Loops that may go to threads do so however small they are.
class SmallWorkOnThreads {
 public:
  SmallWorkOnThreads() { parallel_trial.smaller = 30; }
  ~SmallWorkOnThreads() {
    parallel_trial.smaller = 0;
    parallel_trial.order = 0;
    limit_threads(before_);
  }
  SmallWorkOnThreads(const SmallWorkOnThreads&) = delete;
  SmallWorkOnThreads& operator=(const SmallWorkOnThreads&) = delete;

 private:
  int before_ = most_threads();
};

template <class F>
void each_byte_run(const Command& command, const F& f) {
  for (const Operand& operand : command.operands()) {
    if (operand.space == Space::kStatic) continue;
    for (const ByteRun& run : operand.layout.byte_runs())
      f(operand, run.npu * command.chip->local.npu_bytes + run.offset,
        static_cast<std::size_t>(run.bytes));
  }
}

// The bytes of all operands, one after the other.
using Picture = std::vector<std::byte>;
Picture picture_of(const Command& command, const DeviceMemory& memory) {
  Picture picture;
  each_byte_run(command, [&](const Operand& operand, std::int64_t at, std::size_t bytes) {
    const std::byte* const from = memory.base(operand.space) + at;
    picture.insert(picture.end(), from, from + bytes);
  });
  return picture;
}
void restore(const Command& command, const Picture& picture, DeviceMemory& memory) {
  const std::byte* from = picture.data();
  each_byte_run(command, [&](const Operand& operand, std::int64_t at, std::size_t bytes) {
    std::memcpy(memory.base(operand.space) + at, from, bytes);
    from += bytes;
  });
}

// What a call leaves; nothing where its data ask for what is not there.
Picture result_of(const Command& command, const Picture& before, DeviceMemory& memory,
                  ImplementationChoice choice) {
  restore(command, before, memory);
  try {
    execute({command, memory.bases()}, choice);
  } catch (const UserError&) {
    return {};
  }
  return picture_of(command, memory);
}

// Moves a result of a legal call onto one of its sources. False where no legal call comes out.
bool overlap_operands(const Op& op, std::vector<Arg>& args, Command& command, Random& random) {
  decode(op, args, bm1684x(), false, command);
  std::vector<const Operand*> written, read;
  for (const Operand& operand : command.operands()) {
    if (operand.space != Space::kLocal || !operand.spec->address.empty()) continue;
    if (operand.writes()) written.push_back(&operand);
    if (operand.role == Role::kIn) read.push_back(&operand);
  }
  if (written.empty() || read.empty()) return false;
  const Operand& to = *written[random() % written.size()];
  const Operand& from = *read[random() % read.size()];
  constexpr std::array<std::int64_t, 8> kSteps = {0, 0, 64, 128, 192, 256, 512, 1024};
  const std::int64_t step = kSteps[random() % kSteps.size()];
  const auto at = static_cast<std::size_t>(op.param(to.spec->param));
  args[at].field[0] = static_cast<std::int64_t>(from.address) + step;
  try {
    decode(op, args, bm1684x(), false, command);
  } catch (const IllegalCall&) {
    return false;
  }
  return command.overlap() != Overlap::kNone;
}

// The calls of a function that did overlap.
int compare_overlapping_calls(const Op& op, DeviceMemory& memory) {
  Random random(4711);
  int compared = 0;
  for (int k = 0; k < kDraws && compared < kOverlappingCalls; ++k) {
    std::optional<std::vector<Arg>> args = random_call(op, random);
    Command command;
    if (!args || !overlap_operands(op, *args, command, random)) continue;
    for (const Operand& operand : command.operands()) {
      if (operand.space != Space::kStatic)
        fill_randomly(operand, memory.base(operand.space), random);
    }
    const Picture before = picture_of(command, memory);
    const Picture want = result_of(command, before, memory, ImplementationChoice::kReference);
    const auto expect_the_same = [&](const std::string& how) {
      EXPECT_EQ(result_of(command, before, memory, ImplementationChoice::kFastest) == want, true)
          << op.name() << ", " << overlap_name(command.overlap()) << ", " << how << "\n"
          << call_text(op, *args);
    };
    const SmallWorkOnThreads small;
    for (const int threads : {1, 2, 3, 4, 8}) {
      limit_threads(threads);
      expect_the_same(fmt::format("{} threads", threads));
    }
    for (const int order : {1, 2, 3}) {
      parallel_trial.order = static_cast<std::uint64_t>(order);
      expect_the_same(fmt::format("order {}", order));
    }
    ++compared;
  }
  return compared;
}

TEST(Overlapping, OperandsGiveTheReferencesBitsOnAnyThreads) {
  DeviceMemory memory(bm1684x());
  int functions = 0;
  for (const Op* op : ops().all()) {
    if (op->spec().absence != Absence::kNone || op->spec().implementations.size() < 2) continue;
    functions += compare_overlapping_calls(*op, memory) > 0 ? 1 : 0;
  }
  EXPECT_GT(functions, 100);
}

}  // namespace
}  // namespace tensorlane::tpukernel
