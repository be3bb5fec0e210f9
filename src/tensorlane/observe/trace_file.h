// The modelled timeline as a trace file for ui.perfetto.dev or chrome://tracing.
//
// By extension: .json gives Chrome's JSON, anything else (.pftrace, .perfetto-trace) Perfetto's
// protobuf TrackEvent. One track per engine and one for the processor that issues; a flow leads
// from the issue of a command to its execution; counters show bandwidth and local memory in use.
// The local-memory map (local_map.h) has a track for every address at which a block begins; a slice
// is a block, named by the command that wrote it. Launches follow one another on the time axis;
// timestamps are whole nanoseconds.
#ifndef TENSORLANE_OBSERVE_TRACE_FILE_H_
#define TENSORLANE_OBSERVE_TRACE_FILE_H_

#include <string>
#include <vector>

#include "tensorlane/observe/timeline.h"

namespace tensorlane::observe {

// One slice, instant or counter value, in the order they are written.
struct TraceEvent {
  enum class Kind : unsigned char { kBegin, kEnd, kCounter };
  enum class Track : unsigned char {
    kIssue,
    kGdma,
    kBdc,
    kHau,
    kReadBandwidth,
    kWriteBandwidth,
    kLocalBytes,
    kLocalBlock
  };
  Kind kind;
  Track track;
  long long ns;
  std::string name = {};        // of a slice
  std::string detail = {};      // its call site and operands
  double value = 0;             // of a counter
  unsigned long long flow = 0;  // joins the issue of a command with its execution; 0: none
  std::int64_t address = 0;     // of a kLocalBlock: each has a track of its own
};
// "GDMA", "local memory 0x02600".
std::string track_name(TraceEvent::Track track, std::int64_t address = 0);

// The events of launches that follow one another.
std::vector<TraceEvent> trace_events(const std::vector<Timeline>& launches);

// The bytes of a trace file in either format.
std::string perfetto_trace(const std::vector<TraceEvent>& events, std::string_view process);
std::string chrome_trace(const std::vector<TraceEvent>& events, std::string_view process);

// Writes the file, format by extension. Throws UserError when it cannot be written.
void write_trace_file(const std::string& path, const std::vector<Timeline>& launches);

}  // namespace tensorlane::observe

#endif  // TENSORLANE_OBSERVE_TRACE_FILE_H_
