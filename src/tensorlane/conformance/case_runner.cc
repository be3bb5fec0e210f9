#include "tensorlane/conformance/case_runner.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/conformance/accepted_bytes.h"
#include "tensorlane/conformance/case_args.h"
#include "tensorlane/conformance/case_comparison.h"
#include "tensorlane/conformance/machine_image.h"
#include "tensorlane/device/call.h"
#include "tensorlane/front_ends/front_ends.h"

namespace tensorlane::conformance {
namespace {

constexpr std::size_t kBatch = 128;
constexpr std::uint64_t kMargin = 256;  // bytes around a case's own that are compared with it

struct Outcome {
  bool quirk = false;
  std::string why;  // empty: as recorded
};

// A case of a batch; one that others depend on runs even where it is not wanted itself.
struct WaitingCase {
  RecordedCase recorded;
  std::size_t number = 0;
  bool wanted = false;
};

class CaseRunner {
 public:
  CaseRunner(CaseReader& recording, const Chip& chip, const RunOptions& options)
      : recording_(recording),
        front_end_(front_end_of(chip)),
        options_(options),
        memory_(chip),
        image_(chip, front_end_.recorded_memory, memory_),
        session_{.chip = chip,
                 .memory = memory_,
                 .observers = {},
                 .launch = {"conformance", 0, &chip},
                 .choice = options.choice},
        comparison_(recording, session_, image_) {}

  Result run();

 private:
  void run_batch();
  Outcome run_case(const RecordedCase& recorded);
  std::string call_and_compare(const RecordedCase& recorded, const Op& op);
  void set_up(const RecordedCase& recorded);
  void place_loads(const RecordedCase& recorded);
  void count(const WaitingCase& waiting, const Outcome& outcome);

  CaseReader& recording_;
  const FrontEnd& front_end_;
  const RunOptions& options_;
  DeviceMemory memory_;
  MachineImage image_;
  Session session_;
  CaseComparison comparison_;
  std::vector<WaitingCase> batch_;
  std::vector<BufferRange> touched_;  // by the case that runs
  bool dirty_ = false;                // a byte outside a case's own has changed
  Result result_;
};

Result CaseRunner::run() {
  RecordedCase recorded;
  for (std::size_t number = 0; recording_.next(recorded); ++number) {
    const bool wanted = recorded.id.find(options_.filter) != std::string::npos &&
                        number % options_.parts == options_.part;
    if (wanted || recorded.in_sequence) batch_.push_back({std::move(recorded), number, wanted});
    if (batch_.size() == kBatch) run_batch();
  }
  run_batch();
  return std::move(result_);
}

void CaseRunner::run_batch() {
  const bool in_parallel_region = session_.in_parallel_region;
  const std::int64_t regions = session_.regions;
  std::vector<Outcome> outcomes;
  dirty_ = false;
  for (const WaitingCase& waiting : batch_) {
    outcomes.push_back(run_case(waiting.recorded));
    if (dirty_) break;
  }
  if (dirty_ || image_.sweep()) {
    image_.restore_all();
    session_.in_parallel_region = in_parallel_region;
    session_.regions = regions;
    outcomes.clear();
    for (const WaitingCase& waiting : batch_) {
      outcomes.push_back(run_case(waiting.recorded));
      if (const auto place = image_.sweep()) {
        if (outcomes.back().why.empty()) outcomes.back().why = comparison_.stray_text(*place);
        image_.restore_all();
      }
    }
  }
  for (std::size_t k = 0; k < batch_.size(); ++k) count(batch_[k], outcomes[k]);
  batch_.clear();
  if (options_.progress) options_.progress();
}

Outcome CaseRunner::run_case(const RecordedCase& recorded) {
  const Op* const op = front_end_.ops().find(recorded.call.function);
  if (op == nullptr)
    return {false, tr("not implemented: the list of device functions has no such entry")};
  touched_.clear();
  for (const auto* operands : {&recorded.loads, &recorded.expects}) {
    for (const RecordedOperand& operand : *operands)
      touched_.insert(touched_.end(), operand.ranges.begin(), operand.ranges.end());
  }
  for (const BufferRange& range : touched_) {
    if (image_.equal_around(range, kMargin)) continue;
    dirty_ = true;  // an earlier case of the batch did it
    return {};
  }
  Outcome outcome{recorded.vendor_quirk, {}};
  try {
    outcome.why = call_and_compare(recorded, *op);
    if (recorded.refused && outcome.why.empty()) outcome.why = tr("the call is not refused");
  } catch (const UserError& error) {
    if (!recorded.refused) outcome.why = error.what();
  } catch (const std::exception& error) {
    outcome.why = error.what();
  }
  for (const BufferRange& range : touched_) image_.restore(range);
  if (!outcome.why.empty() && image_.sweep()) dirty_ = true;
  return outcome;
}

std::string CaseRunner::call_and_compare(const RecordedCase& recorded, const Op& op) {
  const CaseArgs args = decode_args(front_end_, op, recorded.call.args, image_.system_buffers());
  set_up(recorded);
  place_loads(recorded);
  const std::uint64_t commands = session_.commands;
  const std::int64_t returned = call_in_session(&session_, op, args.args, nullptr, session_.chip);
  if (!session_.in_parallel_region) session_.poll(nullptr);
  if (!recorded.vendor_quirk) {
    std::string why = comparison_.compare_operands(recorded);
    if (!why.empty()) return why;
  } else if (session_.commands != commands) {
    accept_written(session_, image_, touched_);
    if (!recorded.exception.empty()) accept_expected_places(session_, image_, recorded);
  }
  for (const BufferRange& range : touched_) {
    if (const auto place = image_.difference_around(range, kMargin))
      return comparison_.stray_text(*place);
  }
  return recorded.vendor_quirk ? std::string() : compare_values(recorded, op, args, returned);
}

void CaseRunner::set_up(const RecordedCase& recorded) {
  for (const CaseCall& call : recorded.setup) {
    const Op* const op = front_end_.ops().find(call.function);
    if (op == nullptr) user_error("{} of the setup is not implemented", call.function);
    const std::uint64_t commands = session_.commands;
    const CaseArgs args = decode_args(front_end_, *op, call.args, image_.system_buffers());
    call_in_session(&session_, *op, args.args, nullptr, session_.chip);
    session_.poll(nullptr);
    if (session_.commands != commands) accept_written(session_, image_, touched_);
  }
}

void CaseRunner::place_loads(const RecordedCase& recorded) {
  for (const RecordedOperand& operand : recorded.loads) {
    for (const BufferRange& range : operand.ranges) {
      const auto bytes = recording_.bytes(range);
      std::ranges::copy(bytes, image_.actual(range).begin());
      std::ranges::copy(bytes, image_.expected(range).begin());
    }
  }
}

void CaseRunner::count(const WaitingCase& waiting, const Outcome& outcome) {
  if (!waiting.wanted) return;
  const RecordedCase& recorded = waiting.recorded;
  const std::string& name = recorded.call.function;
  CaseResult one{.number = waiting.number,
                 .id = recorded.id,
                 .function = name,
                 .quirk = outcome.quirk,
                 .call = {},
                 .why = outcome.why,
                 .exception = recorded.exception};
  if (!one.why.empty()) one.call = call_text(name, recorded.call.args, session_.chip);
  add_case(result_, one);
  if (options_.each) options_.each(one);
}

}  // namespace

void add_case(Result& result, const CaseResult& one) {
  auto found = std::ranges::find(result.functions, one.function, &FunctionResult::name);
  if (found == result.functions.end())
    found = result.functions.insert(found, FunctionResult{one.function, {}});
  for (Counts* counts : {&found->counts, &result.total})
    ++(!one.why.empty() ? counts->failed : one.quirk ? counts->quirk : counts->passed);
  if (!one.exception.empty()) result.exceptions.push_back(one.id + ": " + one.exception);
  if (!one.why.empty()) result.failures.push_back({one.id, one.function, one.call, one.why});
}

Result run_cases(CaseReader& recording, const Chip& chip, const RunOptions& options) {
  return CaseRunner(recording, chip, options).run();
}

const FrontEnd& recorded_front_end(const std::string& folder) {
  RecordedCase first;
  if (CaseReader(folder).next(first)) {
    if (const FrontEnd* const found = front_end_of_function(first.call.function)) return *found;
  }
  user_error("'{}' calls no functions that TensorLane knows", folder);
}

}  // namespace tensorlane::conformance
