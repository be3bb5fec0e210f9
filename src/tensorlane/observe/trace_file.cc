#include "tensorlane/observe/trace_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>

#include "tensorlane/base/error.h"
#include "tensorlane/device/source_location.h"
#include "tensorlane/io/file.h"
#include "tensorlane/json/json.h"
#include "tensorlane/observe/local_map.h"

namespace tensorlane::observe {
namespace {

using Kind = TraceEvent::Kind;
using Track = TraceEvent::Track;
constexpr Track kTracks[] = {Track::kIssue,     Track::kGdma,          Track::kBdc,
                             Track::kHau,       Track::kReadBandwidth, Track::kWriteBandwidth,
                             Track::kLocalBytes};

// A kernel that cuts local memory into more pieces than this shows only the addresses that are in
// use longest.
constexpr std::size_t kMostAddresses = 256;

// The tracks of a trace: that of the HAU only where it was used, as most kernels have none.
std::vector<Track> tracks_of(const std::vector<TraceEvent>& events) {
  std::vector<Track> tracks(std::begin(kTracks), std::end(kTracks));
  const bool sorts = std::any_of(events.begin(), events.end(), [](const TraceEvent& event) {
    return event.track == Track::kHau;
  });
  if (!sorts) std::erase(tracks, Track::kHau);
  return tracks;
}

Track track_of(Engine engine) {
  return engine == Engine::kGdma  ? Track::kGdma
         : engine == Engine::kHau ? Track::kHau
                                  : Track::kBdc;
}

bool is_counter(Track track) {
  return track >= Track::kReadBandwidth && track <= Track::kLocalBytes;
}

// Rounding keeps the order of times, so slices of one engine that do not overlap stay so.
long long nanoseconds(double us) {
  return std::llround(us * 1000);
}

class Builder {
 public:
  void add(const Timeline& timeline) {
    for (const TimedCommand& command : timeline.commands) {
      ++flow_;
      const std::string name = command.name();
      const std::string at = find_source_location(command.call_site).text();
      slice(Track::kIssue, command.slot.issued - command.time.issue_us, command.slot.issued, name,
            at);
      const bool gdma = command.op->engine() == Engine::kGdma;
      slice(track_of(command.op->engine()), command.slot.start, command.slot.end, name, at);
      if (gdma && command.time.duration_us > 0) {
        const double gbps =
            static_cast<double>(command.transfer.bytes) / (command.time.duration_us * 1e3);
        if (command.transfer.reads_system) pulse(Track::kReadBandwidth, command.slot, gbps);
        if (command.transfer.writes_system) pulse(Track::kWriteBandwidth, command.slot, gbps);
      }
    }
    add_local_memory(timeline);
    origin_us_ += host_time_us(timeline.kernel_us, *timeline.parameters);
  }
  std::vector<TraceEvent> take() {
    // Ends stand before beginnings of the same time; everything else keeps its order.
    std::stable_sort(events_.begin(), events_.end(),
                     [](const TraceEvent& a, const TraceEvent& b) { return a.ns < b.ns; });
    return std::move(events_);
  }

 private:
  void add_local_memory(const Timeline& timeline) {
    const std::vector<LocalBlock> blocks = local_map(timeline);
    for (const LocalUse& use : local_use(blocks))
      counter(Track::kLocalBytes, use.us, static_cast<double>(use.bytes));
    const std::set<std::int64_t> shown = busiest_addresses(blocks);
    for (const LocalBlock& block : blocks) {
      if (!shown.contains(block.begin)) continue;
      const std::string name = block.writer ? timeline.commands[*block.writer].name()
                                            : std::string("not written in this launch");
      std::string detail =
          fmt::format("{:#07x} to {:#07x}, {} bytes", block.begin, block.end, block.bytes());
      if (block.last_reader) {
        detail += fmt::format(
            ", last read at {}",
            find_source_location(timeline.commands[*block.last_reader].call_site).text());
      }
      events_.push_back({.kind = Kind::kBegin,
                         .track = Track::kLocalBlock,
                         .ns = time(block.start_us),
                         .name = name,
                         .detail = detail,
                         .address = block.begin});
      events_.push_back({.kind = Kind::kEnd,
                         .track = Track::kLocalBlock,
                         .ns = time(block.end_us),
                         .address = block.begin});
    }
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
  void slice(Track track, double begin, double end, const std::string& name,
             const std::string& detail) {
    events_.push_back({Kind::kBegin, track, time(begin), name, detail, 0, flow_});
    events_.push_back({Kind::kEnd, track, time(end)});
  }
  void counter(Track track, double at, double value) {
    events_.push_back({Kind::kCounter, track, time(at), {}, {}, value});
  }
  void pulse(Track track, const Slot& slot, double value) {
    counter(track, slot.start, value);
    counter(track, slot.end, 0);
  }
  long long time(double us) const { return nanoseconds(origin_us_ + us); }

  std::vector<TraceEvent> events_;
  double origin_us_ = 0;
  unsigned long long flow_ = 0;
};

// Protocol buffers, as far as a trace needs them. Field numbers are those of Perfetto's public
// trace.proto, track_descriptor.proto and track_event.proto.
class Message {
 public:
  Message& varint(int field, unsigned long long value) {
    key(field, 0);
    raw(value);
    return *this;
  }
  Message& fixed64(int field, unsigned long long value) {
    key(field, 1);
    for (int k = 0; k < 8; ++k) bytes_ += static_cast<char>(value >> (8 * k) & 0xff);
    return *this;
  }
  Message& number(int field, double value) {
    return fixed64(field, std::bit_cast<unsigned long long>(value));
  }
  Message& text(int field, std::string_view value) {
    key(field, 2);
    raw(value.size());
    bytes_ += value;
    return *this;
  }
  Message& message(int field, const Message& inner) { return text(field, inner.bytes_); }
  const std::string& bytes() const { return bytes_; }

 private:
  void key(int field, unsigned wire_type) { raw(static_cast<unsigned>(field) << 3 | wire_type); }
  void raw(unsigned long long value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }
  std::string bytes_;
};

namespace field {
constexpr int kPacket = 1;  // Trace
constexpr int kTimestamp = 8, kSequence = 10, kTrackEvent = 11,
              kTrackDescriptor = 60;                                          // TracePacket
constexpr int kUuid = 1, kName = 2, kProcess = 3, kParent = 5, kCounter = 8;  // TrackDescriptor
constexpr int kPid = 1, kProcessName = 6;                                     // ProcessDescriptor
constexpr int kUnitName = 6;                                                  // CounterDescriptor
constexpr int kAnnotation = 4, kType = 9, kTrackUuid = 11, kEventName = 23, kValue = 44,
              kFlow = 47;                                 // TrackEvent
constexpr int kAnnotationText = 6, kAnnotationName = 10;  // DebugAnnotation
}  // namespace field

constexpr unsigned long long kProcessUuid = 1;
unsigned long long uuid(Track track, std::int64_t address = 0) {
  return 10 + static_cast<unsigned long long>(track) +
         (track == Track::kLocalBlock ? static_cast<unsigned long long>(address) : 0);
}

// The addresses that have a track, in order.
std::set<std::int64_t> addresses(const std::vector<TraceEvent>& events) {
  std::set<std::int64_t> result;
  for (const TraceEvent& event : events) {
    if (event.track == Track::kLocalBlock) result.insert(event.address);
  }
  return result;
}

std::string_view unit(Track track) {
  return track == Track::kLocalBytes ? "bytes" : "GB/s";
}

}  // namespace

std::string track_name(TraceEvent::Track track, std::int64_t address) {
  switch (track) {
    case Track::kIssue:
      return "processor: issue";
    case Track::kGdma:
      return "GDMA";
    case Track::kBdc:
      return "BDC";
    case Track::kHau:
      return "HAU";
    case Track::kReadBandwidth:
      return "DDR read, GB/s";
    case Track::kWriteBandwidth:
      return "DDR write, GB/s";
    case Track::kLocalBytes:
      return "local memory of an NPU in use, bytes";
    case Track::kLocalBlock:
      return fmt::format("local memory {:#07x}", address);
  }
  return "?";
}

std::vector<TraceEvent> trace_events(const std::vector<Timeline>& launches) {
  Builder builder;
  for (const Timeline& timeline : launches) builder.add(timeline);
  return builder.take();
}

std::string perfetto_trace(const std::vector<TraceEvent>& events, std::string_view process) {
  Message trace;
  const auto packet = [&](const Message& inner) { trace.message(field::kPacket, inner); };
  const auto descriptor = [&](const Message& inner) {
    packet(Message().varint(field::kSequence, 1).message(field::kTrackDescriptor, inner));
  };
  descriptor(Message()
                 .varint(field::kUuid, kProcessUuid)
                 .message(field::kProcess,
                          Message().varint(field::kPid, 1).text(field::kProcessName, process)));
  for (const Track track : tracks_of(events)) {
    Message inner;
    inner.varint(field::kUuid, uuid(track))
        .text(field::kName, track_name(track))
        .varint(field::kParent, kProcessUuid);
    if (is_counter(track))
      inner.message(field::kCounter, Message().text(field::kUnitName, unit(track)));
    descriptor(inner);
  }
  for (const std::int64_t address : addresses(events)) {
    descriptor(Message()
                   .varint(field::kUuid, uuid(Track::kLocalBlock, address))
                   .text(field::kName, track_name(Track::kLocalBlock, address))
                   .varint(field::kParent, kProcessUuid));
  }
  for (const TraceEvent& event : events) {
    Message inner;
    inner.varint(field::kType, event.kind == Kind::kBegin ? 1
                               : event.kind == Kind::kEnd ? 2
                                                          : 4)
        .varint(field::kTrackUuid, uuid(event.track, event.address));
    if (event.kind == Kind::kBegin) {
      inner.text(field::kEventName, event.name)
          .message(field::kAnnotation,
                   Message()
                       .text(field::kAnnotationName,
                             event.track == Track::kLocalBlock ? "bytes" : "call site")
                       .text(field::kAnnotationText, event.detail));
      if (event.flow != 0) inner.fixed64(field::kFlow, event.flow);
    }
    if (event.kind == Kind::kCounter) inner.number(field::kValue, event.value);
    packet(Message()
               .varint(field::kTimestamp, static_cast<unsigned long long>(event.ns))
               .varint(field::kSequence, 1)
               .message(field::kTrackEvent, inner));
  }
  return trace.bytes();
}

std::string chrome_trace(const std::vector<TraceEvent>& events, std::string_view process) {
  std::string text = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
  const auto add = [&](const Json& event) {
    text += event.dump();
    text += ",\n";
  };
  add({{"ph", "M"}, {"name", "process_name"}, {"pid", 1}, {"args", {{"name", process}}}});
  const auto name_thread = [&](Track track, std::int64_t address) {
    add({{"ph", "M"},
         {"name", "thread_name"},
         {"pid", 1},
         {"tid", uuid(track, address)},
         {"args", {{"name", track_name(track, address)}}}});
  };
  for (const Track track : tracks_of(events)) {
    if (!is_counter(track)) name_thread(track, 0);
  }
  for (const std::int64_t address : addresses(events)) name_thread(Track::kLocalBlock, address);
  for (const TraceEvent& event : events) {
    const double us = static_cast<double>(event.ns) / 1000;
    switch (event.kind) {
      case Kind::kBegin:
        add({{"ph", "B"},
             {"name", event.name},
             {"pid", 1},
             {"tid", uuid(event.track, event.address)},
             {"ts", us},
             {"args",
              {{event.track == Track::kLocalBlock ? "bytes" : "call site", event.detail}}}});
        if (event.flow != 0) {
          add({{"ph", event.track == Track::kIssue ? "s" : "f"},
               {"bp", "e"},
               {"name", "issue"},
               {"cat", "issue"},
               {"id", event.flow},
               {"pid", 1},
               {"tid", uuid(event.track, event.address)},
               {"ts", us}});
        }
        break;
      case Kind::kEnd:
        add({{"ph", "E"}, {"pid", 1}, {"tid", uuid(event.track, event.address)}, {"ts", us}});
        break;
      case Kind::kCounter:
        add({{"ph", "C"},
             {"name", track_name(event.track)},
             {"pid", 1},
             {"ts", us},
             {"args", {{unit(event.track), event.value}}}});
        break;
    }
  }
  text.erase(text.size() - 2);  // the last comma
  return text + "\n]}\n";
}

void write_trace_file(const std::string& path, const std::vector<Timeline>& launches) {
  const std::vector<TraceEvent> events = trace_events(launches);
  const std::string process =
      launches.empty() ? std::string("TensorLane")
                       : fmt::format("{} (modelled{})", launches[0].launch.chip->full_name,
                                     launches[0].parameters->calibrated ? "" : ", uncalibrated");
  write_file(path, path.ends_with(".json") ? chrome_trace(events, process)
                                           : perfetto_trace(events, process));
}

}  // namespace tensorlane::observe
