#include "tensorlane/device/overlapping_calls_test_support.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>

#include "tensorlane/base/parallel.h"
#include "tensorlane/device/session.h"
#include "tensorlane/ops/call_text.h"

namespace tensorlane {
namespace {

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

// Calls f(operand, offset in its memory, bytes).
template <class F>
void each_byte_run(const Command& command, const F& f) {
  for (const Operand& operand : command.operands()) {
    if (operand.space == Space::kStatic) continue;
    for (const ByteRun& run : operand.layout.byte_runs())
      f(operand, run.npu * command.chip->local.npu_bytes + run.offset,
        static_cast<std::size_t>(run.bytes));
  }
}

}  // namespace

OverlappingCalls::Picture OverlappingCalls::picture_of(const Command& command) const {
  Picture picture;
  each_byte_run(command, [&](const Operand& operand, std::int64_t at, std::size_t bytes) {
    const std::byte* const from = memory_.base(operand.space) + at;
    picture.insert(picture.end(), from, from + bytes);
  });
  return picture;
}

// Nothing where the data of a call ask for what is not there.
OverlappingCalls::Picture OverlappingCalls::result_of(const Command& command, const Picture& before,
                                                      bool fastest) {
  const std::byte* from = before.data();
  each_byte_run(command, [&](const Operand& operand, std::int64_t at, std::size_t bytes) {
    std::memcpy(memory_.base(operand.space) + at, from, bytes);
    from += bytes;
  });
  try {
    execute({command, memory_.bases()},
            fastest ? ImplementationChoice::kFastest : ImplementationChoice::kReference);
  } catch (const UserError&) {
    return {};
  }
  return picture_of(command);
}

// Moves a result of a call onto a source. False where no legal call comes of it.
bool OverlappingCalls::overlap_operands(const Op& op, std::vector<Arg>& args, Command& command) {
  decode(op, args, chip_, false, command);
  std::vector<const Operand*> written, read;
  for (const Operand& operand : command.operands()) {
    if (operand.space != Space::kLocal || !operand.spec->address.empty()) continue;
    if (operand.writes()) written.push_back(&operand);
    if (operand.role == Role::kIn) read.push_back(&operand);
  }
  if (written.empty() || read.empty()) return false;
  const Operand& to = *written[random_() % written.size()];
  const Operand& from = *read[random_() % read.size()];
  constexpr std::array<std::int64_t, 8> kSteps = {0, 0, 64, 128, 256, 384, 512, 1024};
  const std::int64_t step = kSteps[random_() % kSteps.size()];
  const auto at = static_cast<std::size_t>(op.param(to.spec->param));
  args[at].field[0] = static_cast<std::int64_t>(from.address) + step;
  try {
    decode(op, args, chip_, false, command);
  } catch (const IllegalCall&) {
    return false;
  }
  return command.overlap() != Overlap::kNone;
}

bool OverlappingCalls::compare(const Op& op, int draws) {
  for (int k = 0; k < draws; ++k) {
    std::optional<std::vector<Arg>> args = draw_(op, random_);
    Command command;
    if (!args || !overlap_operands(op, *args, command)) continue;
    for (const Operand& operand : command.operands()) {
      if (operand.space != Space::kStatic) fill_(operand, memory_.base(operand.space), random_);
    }
    const Picture before = picture_of(command);
    const Picture want = result_of(command, before, false);
    const auto expect_the_same = [&](const std::string& how) {
      EXPECT_TRUE(result_of(command, before, true) == want)
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
    return true;
  }
  return false;
}

}  // namespace tensorlane
