#include "tensorlane/recording/command_list.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include "tensorlane/base/error.h"
#include "tensorlane/clock/core_schedules.h"
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

// All of a call that its time may depend on: of system memory which of them, not where, and of an
// address in local memory the NPU at which the tensor starts.
using KindKey = std::vector<std::int64_t>;
KindKey key_of(const RecordedCall& call, const Chip& chip, bool in_region) {
  KindKey key = {static_cast<std::int64_t>(in_region)};
  const auto params = call.op->params();
  for (std::size_t k = 0; k < call.args.size(); ++k) {
    const Arg& arg = call.args[k];
    key.push_back(static_cast<std::int64_t>(arg.is_null));
    switch (arg_type(params[k].type).kind) {
      case ArgKind::kSystemAddress: {
        const std::optional<Chip::Place> place = chip.find(arg.value());
        key.push_back(place ? static_cast<std::int64_t>(place->space) : -1);
        break;
      }
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
  cores_ = reader.cores();
  std::map<std::pair<const Op*, KindKey>, std::int32_t> known;
  std::vector<char> in_region(static_cast<std::size_t>(cores_));
  std::size_t core = 0;
  while (const auto call = reader.next()) {
    if (call->op == nullptr) {
      if (call->core) core = static_cast<std::size_t>(*call->core);
      steps_.push_back(kOthers - static_cast<std::int32_t>(others_.size()));
      others_.push_back({static_cast<int>(core), call->message});
      continue;
    }
    ++calls_;
    const Op& op = *call->op;
    char& open = in_region[core];
    if (op.engine() == Engine::kNone) {
      const std::string_view name = op.name().substr(chip.api.prefix.size());
      const bool starts = name == "parallel_start";
      if (starts || name == "parallel_end") {
        if ((open != 0) == starts) {
          if (starts)
            user_error("{}: call {}: {} inside a parallel region", path, calls_, op.name());
          user_error("{}: call {}: {} outside a parallel region", path, calls_, op.name());
        }
        steps_.push_back(starts ? kRegionBegin : kRegionEnd);
        open = static_cast<char>(starts);
      } else if (name == "poll") {
        steps_.push_back(kPoll);
      } else if (name == "hau_poll") {
        steps_.push_back(kHauPoll);
      }
      continue;
    }
    const auto [at, is_new] = known.try_emplace({&op, key_of(*call, chip, open != 0)},
                                                static_cast<std::int32_t>(kinds_.size()));
    if (is_new) {
      Kind kind;
      try {
        decode(op, call->args, chip, open != 0, kind.command);
      } catch (const IllegalCall& error) {
        user_error("{}: call {}: {}", path, calls_, one_line(error.what()));
      }
      if (is_dma(op.engine())) kind.move = transfer(kind.command);
      kinds_.push_back(std::move(kind));
    }
    steps_.push_back(at->second);
  }
  drop_last_polls();
}

// What the processor of a core waits for at the end it waits for once, after the last turn.
void CommandList::drop_last_polls() {
  const auto is_other = [](std::int32_t step) { return step <= kOthers; };
  std::vector<int> core_of(steps_.size());
  int core = 0;
  for (std::size_t k = 0; k < steps_.size(); ++k) {
    if (is_other(steps_[k])) core = others_[static_cast<std::size_t>(kOthers - steps_[k])].core;
    core_of[k] = core;
  }
  std::vector<char> works(static_cast<std::size_t>(cores_));
  std::vector<std::int32_t> kept;
  for (std::size_t k = steps_.size(); k-- > 0;) {
    char& later = works[static_cast<std::size_t>(core_of[k])];
    if (steps_[k] == kPoll && later == 0) continue;
    const bool goes_on =
        is_other(steps_[k]) && !others_[static_cast<std::size_t>(kOthers - steps_[k])].message;
    if (!goes_on) later = 1;
    kept.push_back(steps_[k]);
  }
  steps_.assign(kept.rbegin(), kept.rend());
}

// Hands the list over, turn by turn.
struct CommandList::Turns {
  const CommandList& list;
  const TimingParameters& parameters;  // of each core
  const std::vector<CommandTime>& times;
  bool high;  // what is unknown costs as much as it may
  CoreSchedules cores{list.cores_, parameters.region_us, parameters.message_us};

  void turn() {
    cores.select(0);
    for (const std::int32_t step : list.steps_) {
      if (step <= kOthers) {
        follow(list.others_[static_cast<std::size_t>(kOthers - step)]);
      } else if (step < 0) {
        follow(static_cast<Sync>(step));
      } else {
        const auto at = static_cast<std::size_t>(step);
        const CommandTime& time = times[at];
        cores.core().command(list.kinds_[at].command.engine(),
                             high ? time.duration_high_us : time.duration_us,
                             high ? time.issue_high_us : time.issue_us);
      }
    }
  }

 private:
  void follow(Sync sync) {
    switch (sync) {
      case kRegionBegin:
        return cores.core().region_begin();
      case kRegionEnd:
        return cores.core().region_end();
      case kPoll:
        return cores.core().poll();
      case kHauPoll:
        return cores.core().poll(Engine::kHau);
      case kOthers:
        return;
    }
  }
  void follow(const Other& other) {
    if (!other.message) return cores.select(other.core);
    const MessageEvent& event = *other.message;
    const bool most = high && !parameters.issue_known();
    const double issue = most ? parameters.issue_high_us : parameters.issue_us;
    switch (event.kind) {
      case MessageEvent::Kind::kSend:
        return cores.send(event.engine, event.slot, issue);
      case MessageEvent::Kind::kWait:
        return cores.wait(event.engine, event.slot, issue);
      case MessageEvent::Kind::kJoin:
        return cores.core().join();
    }
  }
};

std::vector<const Op*> CommandList::timed_by_cycles() const {
  std::vector<const Op*> functions;
  for (const Kind& kind : kinds_) {
    const Op* const op = kind.command.op;
    if (!is_dma(op->engine()) && std::ranges::find(functions, op) == functions.end())
      functions.push_back(op);
  }
  return functions;
}

Estimate CommandList::estimate(const TimingParameters& given, std::int64_t repeat,
                               const Op* longer) const {
  Estimate result;
  const TimingParameters parameters = shared_by(given, cores_);
  std::vector<CommandTime> times;
  times.reserve(kinds_.size());
  for (const Kind& kind : kinds_) {
    CommandTime& time = times.emplace_back(command_time(kind.command, kind.move, parameters));
    if (kind.command.op != longer) continue;
    const double more_us = (time.duration_us - time.start_us) / 10;
    time.duration_us += more_us;
    time.duration_high_us += more_us;
  }
  const std::int64_t timed = std::min(repeat, kTurns);
  const auto rest = static_cast<double>(repeat - timed);
  const auto total = [&](bool high) {
    Turns turns{.list = *this, .parameters = parameters, .times = times, .high = high};
    double before = 0;
    for (std::int64_t k = 0; k < timed; ++k) {
      before = turns.cores.total();
      turns.turn();
    }
    return turns.cores.total() + rest * (turns.cores.total() - before);
  };
  result.calls = calls_ * repeat;
  result.kernel_us = total(false);
  result.kernel_high_us = kernel_known(parameters) ? result.kernel_us : total(true);
  for (const std::int32_t step : steps_) {
    if (step < 0) continue;
    const auto at = static_cast<std::size_t>(step);
    EngineLoad& load = result.load(kinds_[at].command.engine());
    load.commands += repeat;
    load.busy_us += times[at].duration_us;
  }
  for (const Engine engine : {Engine::kGdma, Engine::kBdc, Engine::kHau, Engine::kSdma})
    result.load(engine).busy_us *= static_cast<double>(repeat) / cores_;
  if (calls_ > 0) {
    result.host_us = host_time_us(result.kernel_us, parameters, cores_);
    result.host_high_us = host_time_at_most_us(result.kernel_high_us, parameters, cores_);
  }
  return result;
}

}  // namespace tensorlane
