#include "tensorlane/observe/time/trace_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "tensorlane/device/source_location.h"
#include "tensorlane/observe/time/local_map.h"
#include "tensorlane/ops/engines.h"

namespace tensorlane::observe {
namespace {

using Kind = TraceEvent::Kind;
using Track = TraceEvent::Track;

// A kernel that cuts local memory into more pieces than this shows only the addresses that are in
// use longest.
constexpr std::size_t kMostAddresses = 256;

Track track_of(Engine engine) {
  return engine == Engine::kGdma   ? Track::kGdma
         : engine == Engine::kHau  ? Track::kHau
         : engine == Engine::kSdma ? Track::kSdma
                                   : Track::kBdc;
}

// Rounding keeps the order of times, so slices of one engine that do not overlap stay so.
long long nanoseconds(double us) {
  return std::llround(us * 1000);
}

class Builder {
 public:
  Builder(double origin_us, unsigned long long flow) : origin_us_(origin_us), flow_(flow) {}

  // `begins`: the launch, with this piece.
  void add(const Timeline& timeline, bool begins) {
    several_ = timeline.launch.cores > 1;
    if (begins) {
      events_.push_back(
          {.kind = Kind::kBegin,
           .track = Track::kLaunch,
           .ns = time(0),
           .name = fmt::format("{}, launch {}", timeline.launch.kernel, timeline.launch.number),
           .detail = fmt::format("{}; {}", launch_mode_text(timeline.parameters->mode),
                                 calibration_text(*timeline.parameters))});
    }
    for (const TimedCommand& command : timeline.commands) {
      ++flow_;
      const std::string at = find_source_location(command.call_site).text();
      if (timeline.parameters->mode == LaunchMode::kIssued)
        slice(Track::kIssue, command.slot.issued - command.time.issue_us, command, at);
      const bool gdma = is_dma(command.op->engine());
      slice(track_of(command.op->engine()), command.slot.start, command, at);
      if (gdma && command.time.duration_us > 0) {
        const double gbps =
            static_cast<double>(command.transfer.bytes) / (command.time.duration_us * 1e3);
        if (command.transfer.reads_system) pulse(Track::kReadBandwidth, command, gbps);
        if (command.transfer.writes_system) pulse(Track::kWriteBandwidth, command, gbps);
      }
    }
    add_local_memory(timeline);
    if (!timeline.more) events_.push_back({Kind::kEnd, Track::kLaunch, time(timeline.kernel_us)});
  }
  unsigned long long flow() const { return flow_; }
  std::vector<TraceEvent> take() {
    // Ends stand before beginnings of the same time; everything else keeps its order.
    std::stable_sort(events_.begin(), events_.end(),
                     [](const TraceEvent& a, const TraceEvent& b) { return a.ns < b.ns; });
    return std::move(events_);
  }

 private:
  void add_local_memory(const Timeline& timeline) {
    std::map<int, std::vector<LocalBlock>> of_cores;
    for (const LocalBlock& block : local_map(timeline)) of_cores[block.core].push_back(block);
    for (const auto& [core, blocks] : of_cores) {
      for (const LocalUse& use : local_use(blocks))
        counter(Track::kLocalBytes, core, use.us, static_cast<double>(use.bytes));
      const std::set<std::int64_t> shown = busiest_addresses(blocks);
      for (const LocalBlock& block : blocks) {
        if (shown.contains(block.begin)) add_block(timeline, block);
      }
    }
  }
  void add_block(const Timeline& timeline, const LocalBlock& block) {
    const std::string name = block.writer ? std::string(timeline.commands[*block.writer].op->name())
                                          : std::string("not written in this launch");
    std::string detail =
        fmt::format("{:#07x} to {:#07x}, {} bytes", block.begin, block.end, block.bytes());
    if (block.last_reader) {
      detail +=
          fmt::format(", last read at {}",
                      find_source_location(timeline.commands[*block.last_reader].call_site).text());
    }
    events_.push_back({.kind = Kind::kBegin,
                       .track = Track::kLocalBlock,
                       .ns = time(block.start_us),
                       .name = name,
                       .detail = detail,
                       .address = block.begin,
                       .core = shown_core(block.core)});
    events_.push_back({.kind = Kind::kEnd,
                       .track = Track::kLocalBlock,
                       .ns = time(block.end_us),
                       .address = block.begin,
                       .core = shown_core(block.core)});
  }
  static std::set<std::int64_t> busiest_addresses(const std::vector<LocalBlock>& blocks) {
    std::map<std::int64_t, double> use;  // bytes times microseconds
    for (const LocalBlock& block : blocks)
      use[block.begin] += static_cast<double>(block.bytes()) * (block.end_us - block.start_us);
    std::vector<std::pair<double, std::int64_t>> order;
    for (const auto& [address, amount] : use) order.emplace_back(-amount, address);
    std::ranges::sort(order);
    if (order.size() > kMostAddresses) order.resize(kMostAddresses);
    std::set<std::int64_t> result;
    for (const auto& [amount, address] : order) result.insert(address);
    return result;
  }
  // From `begin` until the command is issued, or done.
  void slice(Track track, double begin, const TimedCommand& command, const std::string& at) {
    events_.push_back({.kind = Kind::kBegin,
                       .track = track,
                       .ns = time(begin),
                       .name = std::string(command.op->name()),
                       .detail = at,
                       .call = command.call,
                       .flow = flow_,
                       .core = shown_core(command.core)});
    const double end = track == Track::kIssue ? command.slot.issued : command.slot.end;
    events_.push_back(
        {.kind = Kind::kEnd, .track = track, .ns = time(end), .core = shown_core(command.core)});
  }
  void counter(Track track, int core, double at, double value) {
    events_.push_back({.kind = Kind::kCounter,
                       .track = track,
                       .ns = time(at),
                       .value = value,
                       .core = shown_core(core)});
  }
  void pulse(Track track, const TimedCommand& command, double value) {
    counter(track, command.core, command.slot.start, value);
    counter(track, command.core, command.slot.end, 0);
  }
  // A launch on one core says nothing of it.
  int shown_core(int core) const { return several_ ? core : -1; }
  long long time(double us) const { return nanoseconds(origin_us_ + us); }

  std::vector<TraceEvent> events_;
  double origin_us_;
  unsigned long long flow_;
  bool several_ = false;
};

}  // namespace

std::vector<TraceEvent> TraceEvents::of(const Timeline& timeline) {
  Builder builder(origin_us_, flow_);
  builder.add(timeline, !in_launch_);
  in_launch_ = timeline.more;
  flow_ = builder.flow();
  if (!timeline.more)
    origin_us_ += host_time_us(timeline.kernel_us, *timeline.parameters, timeline.launch.cores);
  return builder.take();
}

std::vector<TraceEvent> trace_events(const std::vector<Timeline>& launches) {
  TraceEvents maker;
  std::vector<TraceEvent> events;
  for (const Timeline& timeline : launches) {
    for (TraceEvent& event : maker.of(timeline)) events.push_back(std::move(event));
  }
  return events;
}

TraceFile::TraceFile(const std::string& path)
    : file_(path), format_(path.ends_with(".json") ? chrome_format() : perfetto_format()) {}

void TraceFile::add(const Timeline& timeline) {
  if (!begun_) {
    file_.write(format_->begin(fmt::format("{} (modelled, {})", timeline.launch.chip->full_name,
                                           calibration_text(*timeline.parameters))));
    begun_ = true;
  }
  file_.write(format_->add(events_.of(timeline)));
  file_.flush();  // the child of a fork must have nothing left to write
}

void TraceFile::finish() {
  if (!begun_) file_.write(format_->begin("TensorLane"));
  begun_ = true;
  file_.write(format_->end());
  file_.commit();
}

}  // namespace tensorlane::observe
