#include "tensorlane/recording/command_list.h"

#include <map>
#include <optional>
#include <string_view>

#include "tensorlane/base/error.h"
#include "tensorlane/clock/schedule.h"
#include "tensorlane/ops/engines.h"
#include "tensorlane/recording/recording.h"

namespace tensorlane {
namespace {

// Turns of a loop that are timed one by one.
constexpr std::int64_t kTurns = 4;

// Messages of illegal calls have a line per fact.
std::string one_line(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\n') {
      result += text[at];
      continue;
    }
    result += "; ";
    while (at + 1 < text.size() && text[at + 1] == ' ') ++at;
  }
  return result;
}

// All of a call that its time may depend on: not where in system memory it reads and writes, and of
// an address in local memory the NPU at which the tensor starts.
using KindKey = std::vector<std::int64_t>;
KindKey key_of(const RecordedCall& call, const Chip& chip, bool in_region) {
  KindKey key = {static_cast<std::int64_t>(in_region)};
  const auto params = call.op->params();
  for (std::size_t k = 0; k < call.args.size(); ++k) {
    const Arg& arg = call.args[k];
    key.push_back(static_cast<std::int64_t>(arg.is_null));
    switch (arg_type(params[k].type).kind) {
      case ArgKind::kSystemAddress:
        break;
      case ArgKind::kLocalAddress:
        key.push_back(arg.value() / chip.local.npu_bytes);
        break;
      default:
        key.insert(key.end(), arg.field.begin(), arg.field.end());
    }
  }
  return key;
}

}  // namespace

CommandList::CommandList(const std::string& path, const Chip& chip) : chip_(&chip) {
  RecordingReader reader(path, &chip);
  std::map<std::pair<const Op*, KindKey>, std::int32_t> known;
  bool in_region = false;
  while (const auto call = reader.next()) {
    ++calls_;
    const Op& op = *call->op;
    if (op.engine() == Engine::kNone) {
      const std::string_view name = op.name().substr(chip.api.prefix.size());
      const bool starts = name == "parallel_start";
      if (starts || name == "parallel_end") {
        if (in_region == starts) {
          if (starts)
            user_error("{}: call {}: {} inside a parallel region", path, calls_, op.name());
          user_error("{}: call {}: {} outside a parallel region", path, calls_, op.name());
        }
        steps_.push_back(starts ? kRegionBegin : kRegionEnd);
        in_region = starts;
      } else if (name == "poll") {
        steps_.push_back(kPoll);
      } else if (name == "hau_poll") {
        steps_.push_back(kHauPoll);
      }
      continue;
    }
    const auto [at, is_new] = known.try_emplace({&op, key_of(*call, chip, in_region)},
                                                static_cast<std::int32_t>(kinds_.size()));
    if (is_new) {
      Kind kind;
      try {
        decode(op, call->args, chip, in_region, kind.command);
      } catch (const IllegalCall& error) {
        user_error("{}: call {}: {}", path, calls_, one_line(error.what()));
      }
      if (is_dma(op.engine())) kind.move = transfer(kind.command);
      kinds_.push_back(std::move(kind));
    }
    steps_.push_back(at->second);
  }
  // What the processor waits for at the end it waits for once, after the last turn.
  while (!steps_.empty() && steps_.back() == kPoll) steps_.pop_back();
}

Estimate CommandList::estimate(const TimingParameters& parameters, std::int64_t repeat) const {
  Estimate result;
  std::vector<CommandTime> times;
  times.reserve(kinds_.size());
  for (const Kind& kind : kinds_)
    times.push_back(command_time(kind.command, kind.move, parameters));
  Schedule schedule(parameters.region_us), high(parameters.region_us);
  const bool two = !kernel_known(parameters);
  const auto turn = [&] {
    for (const std::int32_t step : steps_) {
      const auto both = [&](const auto& act) {
        act(schedule);
        if (two) act(high);
      };
      switch (step) {
        case kRegionBegin:
          both([](Schedule& each) { each.region_begin(); });
          continue;
        case kRegionEnd:
          both([](Schedule& each) { each.region_end(); });
          continue;
        case kPoll:
          both([](Schedule& each) { each.poll(); });
          continue;
        case kHauPoll:
          both([](Schedule& each) { each.poll(Engine::kHau); });
          continue;
        default:
          break;
      }
      const auto at = static_cast<std::size_t>(step);
      const Engine engine = kinds_[at].command.engine();
      const CommandTime& time = times[at];
      schedule.command(engine, time.duration_us, time.issue_us);
      if (two) high.command(engine, time.duration_high_us, time.issue_high_us);
      EngineLoad& load = result.load(engine);
      ++load.commands;
      load.busy_us += time.duration_us;
    }
  };
  double before = 0, before_high = 0;
  const std::int64_t timed = std::min(repeat, kTurns);
  for (std::int64_t k = 0; k < timed; ++k) {
    before = schedule.total();
    before_high = high.total();
    turn();
  }
  const auto rest = static_cast<double>(repeat - timed);
  const double of_each = static_cast<double>(repeat) / static_cast<double>(timed);
  result.calls = calls_ * repeat;
  result.kernel_us = schedule.total() + rest * (schedule.total() - before);
  result.kernel_high_us =
      two ? high.total() + rest * (high.total() - before_high) : result.kernel_us;
  for (const Engine engine : {Engine::kGdma, Engine::kBdc, Engine::kHau, Engine::kSdma}) {
    EngineLoad& load = result.load(engine);
    load.commands = load.commands / timed * repeat;
    load.busy_us *= of_each;
  }
  if (calls_ > 0) {
    result.host_us = host_time_us(result.kernel_us, parameters);
    result.host_high_us = host_time_at_most_us(result.kernel_high_us, parameters);
  }
  return result;
}

}  // namespace tensorlane
