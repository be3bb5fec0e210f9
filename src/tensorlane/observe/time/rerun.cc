#include "tensorlane/observe/time/rerun.h"

#include <algorithm>
#include <map>
#include <utility>

#include "tensorlane/observe/time/clock.h"

namespace tensorlane::observe {
namespace {

// Numbers of moves that are kept per command, on average; beyond that no order is changed.
constexpr std::size_t kMovesPerCommand = 16;

constexpr Remedies kOfMoves =
    remedy(kShortRuns) | remedy(kMisaligned) | remedy(kSmallTransfers) | remedy(kJoin);
constexpr Remedies kOfWork = remedy(kIdleNpus) | remedy(kIdleUnits) | remedy(kFewInputChannels) |
                             remedy(kSmallCommands) | remedy(kCheaper) | remedy(kJoin);

// What of the start of a move is left where it goes with `before` bytes of others.
double joined_start(const Transfer& move, std::int64_t before, const TimingParameters& parameters) {
  const auto share = [](std::int64_t bytes) {
    return std::min(1.0, static_cast<double>(bytes) / kSmallTransfer);
  };
  return parameters.small_transfer_us * (share(before + move.bytes) - share(before));
}

}  // namespace

void Rerun::clear() {
  commands_.clear();
  events_.clear();
  moves_.clear();
  claimed_.clear();
  claimed_room_.clear();
  parallel_.clear();
  group_ = 0;
  group_bytes_ = 0;
  processor_reads_ = unordered_ = false;
}

void Rerun::local_memory(std::int64_t npu_bytes, std::int64_t touched) {
  npu_bytes_ = npu_bytes;
  touched_ = touched;
}

bool Rerun::can_join(const TimedCommand& command, const trail::Dependent& after) const {
  if (commands_.empty() || events_.back().command < 0) return false;
  const RerunCommand& last = commands_.back();
  const auto in_group = [&](const std::vector<trail::CommandNumber>& numbers) {
    return !numbers.empty() && static_cast<std::size_t>(numbers.back()) >= group_;
  };
  return last.op == command.op && last.call_site == command.call_site && !in_group(after.data) &&
         !in_group(after.room);
}

void Rerun::add(const TimedCommand& command, const trail::Dependent& after,
                const TimingParameters& parameters) {
  region_us_ = parameters.region_us;
  RerunCommand next{.op = command.op,
                    .call_site = command.call_site,
                    .engine = command.op->engine(),
                    .in_region = command.region >= 0,
                    .joins = can_join(command, after),
                    .time = command.time,
                    .cheaper_us = command.cheaper_us,
                    .cheaper_issue_us = command.cheaper_issue_us,
                    .npus_used = command.npus_used,
                    .units_used = command.units_used,
                    .latency_share = command.latency_share,
                    .loaded = after.loaded,
                    .read = after.read};
  if (!next.joins) {
    group_ = commands_.size();
    group_bytes_ = 0;
  }
  if (next.engine == Engine::kGdma) {
    const double rest = command.time.duration_us - command.time.start_us;
    const bool runs = command.time.limited_by_runs,
               off = misalignment(command.transfer, parameters) > 1;
    next.wide_us = runs ? move_us(command.transfer, parameters, {.full_runs = true}) : rest;
    next.aligned_us = off ? move_us(command.transfer, parameters, {.aligned = true}) : rest;
    next.least_us = runs || off ? least_transfer_us(command.transfer, parameters) : rest;
    if (next.joins) next.joined_start_us = joined_start(command.transfer, group_bytes_, parameters);
    group_bytes_ += command.transfer.bytes;
  }
  const bool computes = next.engine == Engine::kBdc;
  const auto keep = [&](const std::vector<trail::CommandNumber>& numbers, trail::CommandNumber& bdc,
                        std::vector<bool>& claimed) {
    for (const trail::CommandNumber number : numbers) {
      const auto at = static_cast<std::size_t>(number);
      if (at >= commands_.size()) continue;
      const Engine engine = commands_[at].engine;
      if (engine == Engine::kBdc) bdc = number;
      if (engine != Engine::kGdma || (computes && claimed[at])) continue;
      if (computes) claimed[at] = true;
      moves_.push_back(number);
    }
  };
  next.moves = static_cast<std::uint32_t>(moves_.size());
  keep(after.data, next.data_bdc, claimed_);
  next.room_moves = static_cast<std::uint32_t>(moves_.size());
  keep(after.room, next.room_bdc, claimed_room_);
  next.moves_end = static_cast<std::uint32_t>(moves_.size());
  unordered_ = unordered_ || moves_.size() > kMovesPerCommand * (commands_.size() + 4096);
  if (unordered_) moves_.clear();
  events_.push_back({static_cast<trail::CommandNumber>(commands_.size()), {}, command.call_site});
  commands_.push_back(next);
  claimed_.push_back(false);
  claimed_room_.push_back(false);
}

void Rerun::sync(SyncEvent event, const void* call_site) {
  if (event == SyncEvent::kInitialize || full()) return;
  events_.push_back({-1, event, call_site});
}

std::span<const trail::CommandNumber> Rerun::moves(const RerunCommand& command, bool room) const {
  const auto begin = moves_.begin();
  return {begin + command.moves, begin + (room ? command.moves_end : command.room_moves)};
}

double Rerun::duration_us(const RerunCommand& command, Remedies without) const {
  const CommandTime& time = command.time;
  const bool gdma = command.engine == Engine::kGdma;
  const bool as_it_is = command.engine == Engine::kHau || command.engine == Engine::kSdma;
  if (as_it_is || (without & (gdma ? kOfMoves : kOfWork)) == 0) return time.duration_us;
  const auto has = [&](std::size_t cause) { return (without & remedy(cause)) != 0; };
  const bool joins = has(kJoin) && command.joins;
  double start = joins ? command.joined_start_us : time.start_us;
  double rest = time.duration_us - time.start_us;
  if (gdma) {
    if (has(kSmallTransfers)) start = 0;
    if (has(kShortRuns) || has(kMisaligned)) {
      rest = !has(kMisaligned) ? command.wide_us
             : has(kShortRuns) ? command.least_us
                               : command.aligned_us;
    }
    return start + rest;
  }
  if (has(kCheaper) && command.cheaper_us > 0) {
    start = 0;
    rest = command.cheaper_us;
  }
  if (has(kSmallCommands)) start = 0;
  if (has(kIdleNpus)) rest *= command.npus_used;
  if (has(kIdleUnits)) rest *= command.units_used;
  if (has(kFewInputChannels)) rest *= 1 - command.latency_share;
  return start + rest;
}

double Rerun::issue_us(const RerunCommand& command, Remedies without) const {
  if ((without & remedy(kIssue)) != 0) return 0;
  if (command.joins && (without & remedy(kJoin)) != 0) return 0;
  const bool cheaper = (without & remedy(kCheaper)) != 0 && command.cheaper_us > 0;
  return command.time.issue_us + (cheaper ? command.cheaper_issue_us : 0);
}

double Rerun::saved_us(const RerunCommand& command, Remedies without) const {
  return duration_us(command, 0) - duration_us(command, without) + issue_us(command, 0) -
         issue_us(command, without);
}

double Rerun::most_us(Remedies without) const {
  double us = 0;
  for (const RerunCommand& command : commands_) us += std::max(0.0, saved_us(command, without));
  if ((without & remedy(kIssue)) == 0 || region_us_ == 0) return us;
  const auto starts = [](const Event& event) {
    return event.command < 0 && event.sync == SyncEvent::kParallelStart;
  };
  return us + region_us_ * static_cast<double>(std::ranges::count_if(events_, starts));
}

double Rerun::both_us() const {
  double gdma = 0, bdc = 0;
  for (const RerunCommand& command : commands_) {
    if (command.engine == Engine::kGdma) gdma += command.time.duration_us;
    if (command.engine == Engine::kBdc) bdc += command.time.duration_us;
  }
  return std::min(gdma, bdc);
}

// The pipeline with the shortest regions that wins nearly as much as any.
const std::vector<Rerun::Event>& Rerun::in_parallel() const {
  if (!parallel_.empty()) return parallel_;
  if (unordered_) return parallel_ = events_;
  const double now = run_us(events_, 0, Free::kNothing, false);
  double most = 0;
  std::vector<std::pair<double, std::vector<Event>>> all;
  for (const int loads : {1, 2, 3, 4, 8}) {
    std::vector<Event> events = pipeline(*this, processor_reads_, loads);
    const double won = now - run_us(events, 0, Free::kNothing, false);
    most = std::max(most, won);
    all.emplace_back(won, std::move(events));
  }
  if (most <= 0) return parallel_ = events_;  // the kernel knows a better order
  constexpr double kNearly = 0.8;
  const auto shortest =
      std::ranges::find_if(all, [&](const auto& each) { return each.first >= kNearly * most; });
  return parallel_ = std::move(shortest->second);
}

double Rerun::total_us(Remedies without, Free free, bool high) const {
  return run_us((without & remedy(kSerial)) == 0 ? events_ : in_parallel(), without, free, high);
}

double Rerun::run_us(const std::vector<Event>& events, Remedies without, Free free,
                     bool high) const {
  Schedule schedule(free == Free::kIssue || (without & remedy(kIssue)) != 0 ? 0 : region_us_);
  const bool waits = processor_reads_ || (without & remedy(kWaits)) == 0;
  for (const Event& event : events) {
    if (event.command < 0) {
      const bool poll = event.sync == SyncEvent::kPoll || event.sync == SyncEvent::kHauPoll;
      if (waits || !poll) follow(schedule, event.sync);
      continue;
    }
    const RerunCommand& command = commands_[static_cast<std::size_t>(event.command)];
    const bool at_once = (free == Free::kGdma && command.engine == Engine::kGdma) ||
                         (free == Free::kBdc && command.engine == Engine::kBdc) ||
                         (free == Free::kHau && command.engine == Engine::kHau) ||
                         (free == Free::kSdma && command.engine == Engine::kSdma);
    const double issue = free == Free::kIssue ? 0
                         : high               ? command.time.issue_high_us
                                              : issue_us(command, without);
    const double duration = at_once ? 0
                            : high
                                ? std::max(command.time.duration_us, command.time.duration_high_us)
                                : duration_us(command, without);
    schedule.command(command.engine, duration, issue);
  }
  return schedule.total();
}

Rerun::Payer Rerun::most_at(std::size_t cause) const {
  // In the order in which they come, so that of equal ones the first is named in every run.
  std::vector<std::pair<Payer, double>> lines;
  std::map<std::pair<const void*, const Op*>, std::size_t> index;
  const auto pay = [&](const void* call_site, const Op* op, double us) {
    const auto [at, first] = index.try_emplace({call_site, op}, lines.size());
    if (first) lines.push_back({{call_site, op}, 0});
    lines[at->second].second += us;
  };
  for (const Event& event : events_) {
    if (event.command < 0 && cause == kWaits && event.sync == SyncEvent::kPoll)
      pay(event.call_site, nullptr, 1);
  }
  for (const RerunCommand& command : commands_) {
    const bool turns = command.engine == Engine::kGdma && !command.in_region;
    const double us = cause == kSerial ? (turns ? command.time.duration_us : 0)
                                       : saved_us(command, remedy(cause));
    if (us > 0) pay(command.call_site, command.op, us);
  }
  const auto most =
      std::ranges::max_element(lines, {}, [](const auto& line) { return line.second; });
  return most == lines.end() ? Payer{} : most->first;
}

}  // namespace tensorlane::observe
