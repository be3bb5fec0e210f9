// The modelled timeline as a trace file for ui.perfetto.dev or chrome://tracing.
//
// By extension: .json gives Chrome's JSON, anything else (.pftrace, .perfetto-trace) Perfetto's
// protobuf TrackEvent. One track for the launches, one per engine and one for the processor that
// issues, where issuing takes time, of each core that has commands; slices have the names and
// arguments of the calls; a flow leads from the issue of a command to its execution; counters show
// bandwidth and local memory in use. The local-memory map (local_map.h) has a track for every
// address at which a block begins; a slice is a block, named by the command that wrote it. Launches
// follow one another on the time axis; timestamps are whole nanoseconds.
//
// Events are written launch by launch, those of a long launch piece by piece (clock.h): within a
// piece in the order of time. Blocks of local memory end with their piece.
#ifndef TENSORLANE_OBSERVE_TIME_TRACE_FILE_H_
#define TENSORLANE_OBSERVE_TIME_TRACE_FILE_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tensorlane/io/file.h"
#include "tensorlane/observe/time/timeline.h"

namespace tensorlane::observe {

// One slice, instant or counter value, in the order they are written.
struct TraceEvent {
  enum class Kind : unsigned char { kBegin, kEnd, kCounter };
  enum class Track : unsigned char {
    kLaunch,
    kIssue,
    kGdma,
    kBdc,
    kHau,
    kReadBandwidth,
    kWriteBandwidth,
    kLocalBytes,
    kSdma,
    kLocalBlock
  };
  Kind kind;
  Track track;
  long long ns;
  std::string name = {};        // of a slice
  std::string detail = {};      // its call site, or the bytes of a block
  std::string call = {};        // the call it stands for
  double value = 0;             // of a counter
  unsigned long long flow = 0;  // joins the issue of a command with its execution; 0: none
  std::int64_t address = 0;     // of a kLocalBlock: each has a track of its own
  int core = -1;                // in a launch on several cores, of all but the launch
};
// "GDMA", "core 3: local memory 0x02600".
std::string track_name(const TraceEvent& event);

// Makes events of timelines that follow one another.
class TraceEvents {
 public:
  // The events of the next launch, or of a piece of one, in the order of time.
  std::vector<TraceEvent> of(const Timeline& timeline);

 private:
  double origin_us_ = 0;  // of the launch
  bool in_launch_ = false;
  unsigned long long flow_ = 0;
};
std::vector<TraceEvent> trace_events(const std::vector<Timeline>& launches);

// The text of a trace file. Tracks are described before their first event.
class TraceFormat {
 public:
  virtual ~TraceFormat() = default;
  virtual std::string begin(std::string_view process) = 0;
  virtual std::string add(const std::vector<TraceEvent>& events) = 0;
  virtual std::string end() = 0;
};
std::unique_ptr<TraceFormat> perfetto_format();
std::unique_ptr<TraceFormat> chrome_format();

// The bytes of a trace file in either format.
std::string perfetto_trace(const std::vector<TraceEvent>& events, std::string_view process);
std::string chrome_trace(const std::vector<TraceEvent>& events, std::string_view process);

// A trace file under construction: memory for a piece of a launch at a time. Throws UserError when
// it cannot be written; without finish() there is no file.
class TraceFile {
 public:
  // The format by extension.
  explicit TraceFile(const std::string& path);
  void add(const Timeline& timeline);
  void finish();

 private:
  AtomicFile file_;
  std::unique_ptr<TraceFormat> format_;
  TraceEvents events_;
  bool begun_ = false;
};

}  // namespace tensorlane::observe

#endif  // TENSORLANE_OBSERVE_TIME_TRACE_FILE_H_
