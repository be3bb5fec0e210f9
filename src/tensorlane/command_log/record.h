// The command log: what every command of a run read and wrote, as lines of JSON.
//
// One object per line, in the order in which things took effect; "event" says what it is:
//
//   {"event":"launch","version":1,"device":0,"launch":0,"kernel":"softmax","chip":"bm1684"}
//   {"event":"command","device":0,"launch":0,"number":3,"function":"okk_bdc_add",
//    "call":"okk_bdc_add(0x400, 0x0, ...);","file":"/home/me/softmax.c","line":57,
//    "in":"softmax","source":"okk_bdc_add(y, x, ...);","region":-1,"start_us":4.1,"time_us":0.9,
//    "operands":[{"name":"dst_addr","role":"out","space":"local memory","address":1024,
//                 "shape":[1,64,4,10],"dtype":"fp32","layout":"aligned","after":{...}}, ...]}
//   {"event":"end","device":0,"launch":0,"failed":false,"time_us":51.2}
//
// A launch over several cores has "cores", how many, and its commands have "core", from 0; others
// have neither.
//
// "number" counts the commands of a launch as they were issued, from 0; "region" is that of the
// parallel region, -1 outside. "file", "line", "in" and "source" are empty, or 0, without -g.
// "before" and "after" hold what an operand read and what it wrote:
//
//   {"hash":"8fe2...","elements":2560,"min":-1,"max":2.5,"mean":0.1,"nan":0,"inf":0,
//    "values":[...]}
//
// The hash is that of the bits in logical order, so that it does not depend on place and layout.
// "values" are at most 32 elements, evenly spread; NaN and infinities are texts there. A dry run
// has neither. Modelled times are those of docs/timing.md. Lines are written one by one: whatever
// ends the program, the log is valid up to there.
#ifndef TENSORLANE_COMMAND_LOG_RECORD_H_
#define TENSORLANE_COMMAND_LOG_RECORD_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tensorlane/inspect/statistics.h"
#include "tensorlane/io/tensor.h"
#include "tensorlane/json/json.h"

namespace tensorlane::command_log {

inline constexpr int kVersion = 1;

// What a tensor held.
struct Contents {
  static constexpr std::int64_t kMostValues = 32;
  inspect::Statistics statistics;
  std::vector<double> values;  // elements evenly spread over the logical order

  friend bool operator==(const Contents&, const Contents&) = default;
};
Contents contents_of(const Tensor& tensor);

struct LoggedOperand {
  std::string name, role, space, dtype, layout;
  std::uint64_t address = 0;
  std::vector<std::int64_t> shape;
  std::optional<Contents> before, after;

  bool reads() const { return role == "in" || role == "inout"; }
  // What counts as a result: work memory does not.
  bool writes() const { return role == "out" || role == "inout"; }
  friend bool operator==(const LoggedOperand&, const LoggedOperand&) = default;
};

struct LoggedCommand {
  std::uint64_t number = 0;
  int core = 0;
  std::string function, call;
  std::string file;
  int line = 0;
  std::string in, source;
  std::int64_t region = -1;
  double start_us = 0, time_us = 0;
  std::vector<LoggedOperand> operands;

  friend bool operator==(const LoggedCommand&, const LoggedCommand&) = default;
};

struct LoggedLaunch {
  int device = 0;
  std::uint64_t number = 0;
  std::string kernel, chip;
  int cores = 1;
  std::vector<LoggedCommand> commands;  // of each core in turn, as they were issued
  bool ended = false, failed = false;   // not ended: the program was gone before
  double time_us = 0;
};

struct Log {
  std::vector<LoggedLaunch> launches;  // of device 0, then of device 1, ...
};

// Lines of the log, without the line break.
Json launch_line(const LoggedLaunch& launch);
Json command_line(const LoggedCommand& command, const LoggedLaunch& launch);
Json end_line(const LoggedLaunch& launch);

// Back from a line. Throw UserError for a member that is missing or of another type.
LoggedCommand read_command(const Json& line);

}  // namespace tensorlane::command_log

#endif  // TENSORLANE_COMMAND_LOG_RECORD_H_
