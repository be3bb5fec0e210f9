#include "tensorlane/differential/trial.h"

#include <fmt/format.h>

#include "tensorlane/base/error.h"
#include "tensorlane/base/fp_environment.h"
#include "tensorlane/ops/dispatch.h"
#include "tensorlane/ops/repeated_calls.h"

namespace tensorlane::differential {
namespace {

// False where an implementation declines; what it says of the data goes to `refusal`.
template <class Run>
bool said(const Run& run, std::string& refusal) {
  const ChipFloatScope chip_float;
  try {
    return run();
  } catch (const UserError& error) {
    refusal = error.what();
    return true;
  }
}

const std::vector<Implementation>& list_of(const Command& command) {
  return command.op->spec().implementations;
}

// Runs one of a list or, as a launch does, the first that takes the call.
bool compute(const Command& command, std::size_t index, DeviceMemory& memory,
             std::string& refusal) {
  const Invocation invocation{command, memory.bases()};
  return said(
      [&] {
        if (index == kDispatched) return run_first(list_of(command), invocation);
        return run_one(list_of(command), index, invocation);
      },
      refusal);
}

// One that declines, and then the reference.
void compute_by_two(const Command& command, std::size_t index, DeviceMemory& memory,
                    std::string& refusal) {
  const std::vector<Implementation> two = {list_of(command)[index], list_of(command).back()};
  said([&] { return run_first(two, {command, memory.bases()}); }, refusal);
}

}  // namespace

bool takes_overlap(const Command& command, std::size_t index) {
  return index == kDispatched || may_run(command.op->spec().implementations, index, {command, {}});
}

std::string Trial::reference(const Command& command) {
  std::string refusal;
  const std::size_t last = command.op->spec().implementations.size() - 1;
  if (!compute(command, last, memory_.reference(), refusal))
    internal_error_at(__FILE__, __LINE__,
                      fmt::format("the reference of {} declined", command.op->name()));
  return refusal;
}

bool Trial::begin(const Case& next) {
  case_ = &next;
  if (!decode_legal(next.call, command_) || !memory_.take(command_)) return false;
  memory_.fill(command_, next.data);
  refusal_ = reference(command_);
  return true;
}

Verdict Trial::compared(const Command& command, const Way& way,
                        const std::string& expected_refusal) {
  std::string refusal;
  bool taken = false;
  run_in(way, [&] { taken = compute(command, way.implementation, memory_.trial(), refusal); });
  if (!taken) {
    // The reference comes after it, with the same sources set aside. What it left in results must
    // not show.
    if (memory_.is_unchanged()) return {Outcome::kDeclined};
    memory_.restore_trial();
    refusal.clear();
    run_in(way, [&] { compute_by_two(command, way.implementation, memory_.trial(), refusal); });
    const std::string difference = refusal.empty() ? memory_.difference(command) : std::string();
    if (refusal == expected_refusal && difference.empty()) return {Outcome::kDeclined};
    return {Outcome::kDifferent, "declined after it had written: " + difference};
  }
  if (refusal != expected_refusal) {
    return {Outcome::kDifferent,
            fmt::format("{}, by the reference: {}", refusal.empty() ? "computed" : refusal,
                        expected_refusal.empty() ? "computed" : expected_refusal)};
  }
  if (!refusal.empty()) return {};  // what was written before is nobody's
  std::string difference = memory_.difference(command);
  if (difference.empty()) return {};
  return {Outcome::kDifferent, std::move(difference)};
}

Verdict Trial::run(const Way& way) {
  if (!takes_overlap(command_, way.implementation)) return {Outcome::kDeclined};
  return way.comes_again ? run_again(way) : run_alone(way);
}

Verdict Trial::run_alone(const Way& way) {
  memory_.restore_trial();
  command_.known = {};
  return compared(command_, way, refusal_);
}

// From one place in a kernel: the call several times with other data each time, another call in
// between, and the call once more with the data of the case.
Verdict Trial::run_again(const Way& way) {
  constexpr int kTimes = 3;
  RepeatedCalls repeated;
  std::vector<Violation> tolerated;
  Verdict verdict;
  const auto once = [&](const Call& call, const CallData& data) {
    const Command& command =
        repeated.decode(*call.op, call.args, call.front_end->chip, false, {}, this, tolerated);
    // The reference knows of no call before.
    Command alone;
    if (!decode_legal(call, alone) || !memory_.take(alone)) return;
    memory_.fill(alone, data);
    const std::string refusal = reference(alone);
    if (verdict.outcome != Outcome::kDifferent && takes_overlap(alone, way.implementation))
      verdict = compared(command, way, refusal);
  };
  CallData data = case_->data;
  for (int time = 0; time < kTimes; ++time) {
    ++data.seed;
    once(case_->call, data);
  }
  if (case_->between) once(*case_->between, data);
  once(case_->call, case_->data);
  if (!memory_.take(command_)) return verdict;
  memory_.fill(command_, case_->data);  // for the ways that follow
  refusal_ = reference(command_);
  return verdict;
}

}  // namespace tensorlane::differential
