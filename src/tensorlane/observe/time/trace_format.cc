// The two formats of traces; see trace_file.h.
#include <fmt/format.h>

#include <bit>
#include <set>
#include <utility>

#include "tensorlane/json/json.h"
#include "tensorlane/observe/time/trace_file.h"

namespace tensorlane::observe {
namespace {

using Kind = TraceEvent::Kind;
using Track = TraceEvent::Track;

bool is_counter(Track track) {
  return track >= Track::kReadBandwidth && track <= Track::kLocalBytes;
}

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
// Those of a core have the upper half of the number to themselves.
unsigned long long uuid(const TraceEvent& event) {
  return 10 + static_cast<unsigned long long>(event.track) +
         (event.track == Track::kLocalBlock ? static_cast<unsigned long long>(event.address) : 0) +
         (static_cast<unsigned long long>(event.core + 1) << 32);
}

std::string_view unit(Track track) {
  return track == Track::kLocalBytes ? "bytes" : "GB/s";
}

std::string_view detail_name(Track track) {
  return track == Track::kLocalBlock ? "bytes" : track == Track::kLaunch ? "times" : "call site";
}

// The tracks that have been described.
class Tracks {
 public:
  // Calls `describe` for those of the events that are new.
  template <class Describe>
  void add(const std::vector<TraceEvent>& events, Describe describe) {
    for (const TraceEvent& event : events) {
      if (known_.insert(uuid(event)).second) describe(event);
    }
  }

 private:
  std::set<unsigned long long> known_;
};

class PerfettoFormat final : public TraceFormat {
 public:
  std::string begin(std::string_view process) override {
    Message trace;
    add_descriptor(
        trace, Message()
                   .varint(field::kUuid, kProcessUuid)
                   .message(field::kProcess,
                            Message().varint(field::kPid, 1).text(field::kProcessName, process)));
    return trace.bytes();
  }
  std::string add(const std::vector<TraceEvent>& events) override {
    Message trace;
    tracks_.add(events, [&](const TraceEvent& event) {
      Message inner;
      inner.varint(field::kUuid, uuid(event))
          .text(field::kName, track_name(event))
          .varint(field::kParent, kProcessUuid);
      if (is_counter(event.track))
        inner.message(field::kCounter, Message().text(field::kUnitName, unit(event.track)));
      add_descriptor(trace, inner);
    });
    for (const TraceEvent& event : events) trace.message(field::kPacket, packet(event));
    return trace.bytes();
  }
  std::string end() override { return {}; }

 private:
  static void add_descriptor(Message& trace, const Message& inner) {
    trace.message(field::kPacket,
                  Message().varint(field::kSequence, 1).message(field::kTrackDescriptor, inner));
  }
  static Message annotation(std::string_view name, std::string_view value) {
    return Message().text(field::kAnnotationName, name).text(field::kAnnotationText, value);
  }
  static Message packet(const TraceEvent& event) {
    Message inner;
    inner.varint(field::kType, event.kind == Kind::kBegin ? 1
                               : event.kind == Kind::kEnd ? 2
                                                          : 4)
        .varint(field::kTrackUuid, uuid(event));
    if (event.kind == Kind::kBegin) {
      inner.text(field::kEventName, event.name)
          .message(field::kAnnotation, annotation(detail_name(event.track), event.detail));
      if (!event.call.empty()) inner.message(field::kAnnotation, annotation("call", event.call));
      if (event.flow != 0) inner.fixed64(field::kFlow, event.flow);
    }
    if (event.kind == Kind::kCounter) inner.number(field::kValue, event.value);
    return Message()
        .varint(field::kTimestamp, static_cast<unsigned long long>(event.ns))
        .varint(field::kSequence, 1)
        .message(field::kTrackEvent, inner);
  }

  Tracks tracks_;
};

class ChromeFormat final : public TraceFormat {
 public:
  std::string begin(std::string_view process) override {
    return fmt::format(
        "{{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
        "{{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"args\":{{\"name\":{}}}}}",
        quoted(process));
  }
  std::string add(const std::vector<TraceEvent>& events) override {
    std::string text;
    tracks_.add(events, [&](const TraceEvent& event) {
      if (is_counter(event.track)) return;
      text += fmt::format(
          ",\n{{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":{},\"args\":{{\"name\":{}}}"
          "}}",
          uuid(event), quoted(track_name(event)));
    });
    for (const TraceEvent& event : events) text += event_text(event);
    return text;
  }
  std::string end() override { return "\n]}\n"; }

 private:
  static std::string quoted(std::string_view text) { return Json(text).dump(); }
  static std::string event_text(const TraceEvent& event) {
    const std::string at = fmt::format("\"pid\":1,\"tid\":{},\"ts\":{}", uuid(event),
                                       static_cast<double>(event.ns) / 1000);
    if (event.kind == Kind::kEnd) return fmt::format(",\n{{\"ph\":\"E\",{}}}", at);
    if (event.kind == Kind::kCounter) {
      return fmt::format(",\n{{\"ph\":\"C\",\"name\":{},{},\"args\":{{\"{}\":{}}}}}",
                         quoted(track_name(event)), at, unit(event.track), event.value);
    }
    std::string text =
        fmt::format(",\n{{\"ph\":\"B\",\"name\":{},{},\"args\":{{\"{}\":{}{}}}}}",
                    quoted(event.name), at, detail_name(event.track), quoted(event.detail),
                    event.call.empty() ? "" : fmt::format(",\"call\":{}", quoted(event.call)));
    if (event.flow == 0) return text;
    // A flow starts at the issue of a command and ends, bound to the slice around, at its work.
    const bool issue = event.track == Track::kIssue;
    return text +
           fmt::format(",\n{{\"ph\":\"{}\",\"name\":\"issue\",\"cat\":\"issue\",\"id\":{},{}{}}}",
                       issue ? "s" : "f", event.flow, issue ? "" : "\"bp\":\"e\",", at);
  }

  Tracks tracks_;
};

}  // namespace

std::string track_name(const TraceEvent& event) {
  if (event.core >= 0) {
    TraceEvent of_all = event;
    of_all.core = -1;
    return fmt::format("core {}: {}", event.core, track_name(of_all));
  }
  switch (event.track) {
    case Track::kLaunch:
      return "launches";
    case Track::kIssue:
      return "processor: issue";
    case Track::kGdma:
      return "GDMA";
    case Track::kBdc:
      return "BDC";
    case Track::kHau:
      return "HAU";
    case Track::kSdma:
      return "SDMA";
    case Track::kReadBandwidth:
      return "DDR read, GB/s";
    case Track::kWriteBandwidth:
      return "DDR write, GB/s";
    case Track::kLocalBytes:
      return "local memory of an NPU in use, bytes";
    case Track::kLocalBlock:
      return fmt::format("local memory {:#07x}", event.address);
  }
  return "?";
}

std::string perfetto_trace(const std::vector<TraceEvent>& events, std::string_view process) {
  PerfettoFormat format;
  return format.begin(process) + format.add(events) + format.end();
}

std::string chrome_trace(const std::vector<TraceEvent>& events, std::string_view process) {
  ChromeFormat format;
  return format.begin(process) + format.add(events) + format.end();
}

std::unique_ptr<TraceFormat> perfetto_format() {
  return std::make_unique<PerfettoFormat>();
}

std::unique_ptr<TraceFormat> chrome_format() {
  return std::make_unique<ChromeFormat>();
}

}  // namespace tensorlane::observe
