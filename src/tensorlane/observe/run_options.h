// What a run can be asked for: one row per option, which everybody reads.
//
// The command line (tools/tensorlane/run_settings.h), the environment of any program
// (environment.h) and Python (python/tensorlane/device.py):
//
//   tensorlane run --watch 3:0x0 -- ./plus_one
//   TENSORLANE_WATCH=3:0x0 ./plus_one
//   tensorlane.Device("bm1684", watch="3:0x0")
//
// An observer is a file and its row. Results of a run that are files or lines on standard error
// need nothing else; what a command of `tensorlane` makes of them is that command's.
#ifndef TENSORLANE_OBSERVE_RUN_OPTIONS_H_
#define TENSORLANE_OBSERVE_RUN_OPTIONS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tensorlane/device/device.h"
#include "tensorlane/device/phase_clock.h"
#include "tensorlane/observe/say.h"

namespace tensorlane::observe {

enum class RunOptionKind : std::uint8_t {
  kSwitch,   // the variable is 1 or 0
  kText,     // one value
  kChoice,   // one of `words`, "issued|prebuilt"
  kSeconds,  // a number above 0
  kFile,     // that the devices write
  kList,     // may be given several times: the variable has one a line
};

// What a row attaches to a device. UserError for a value that makes no sense.
using AttachTool = void (*)(Device& device, const std::string& value, const Say& say);

struct RunOption {
  std::string_view option = {};  // of `tensorlane run`, with its dashes; empty: the variable alone
  std::string_view variable = {};  // of the environment
  // Of tensorlane.Device; empty: none. That of a choice is true or false, and true its word of that
  // name ("reference"), or else "on".
  std::string_view keyword = {};
  RunOptionKind kind = RunOptionKind::kText;
  std::string_view help = {};        // English; its Chinese stands in po/zh.po
  std::string_view words = {};       // what help shows as the value: FILE; the words of a choice
  std::string_view initial = {};     // the value of the command line where it is not given
  std::string_view shorthand = {};   // a switch for the last word of a choice
  std::string_view extension = {};   // of a file on standard output
  bool computes = false;             // has a part in what is computed and when: `why` keeps it
  AttachTool attach = nullptr;       // null: read where it matters
  AttachTool attach_last = nullptr;  // after all rows, as observers end in the order of attaching
  Phase phase = Phase::kTools;       // for TENSORLANE_SELF_PROFILE
};

// In the order in which they attach.
std::span<const RunOption> run_options();

// The row of an option, "--watch". InternalError where there is none.
const RunOption& run_option(std::string_view option);

// Whether a value of the environment asks for something: neither empty nor the 0 of a switch.
bool asks(const RunOption& row, std::string_view value);

}  // namespace tensorlane::observe

#endif  // TENSORLANE_OBSERVE_RUN_OPTIONS_H_
