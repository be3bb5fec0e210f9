#include "tensorlane/observe/run_options.h"

#include <algorithm>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/observe/check_tool.h"
#include "tensorlane/observe/command_log.h"
#include "tensorlane/observe/dump_operands.h"
#include "tensorlane/observe/print_commands.h"
#include "tensorlane/observe/recorder.h"
#include "tensorlane/observe/run_tools.h"
#include "tensorlane/observe/self_profile.h"
#include "tensorlane/observe/time_tools.h"
#include "tensorlane/observe/watch_bytes.h"
#include "tensorlane/observe/why_tool.h"

namespace tensorlane::observe {
namespace {

using enum RunOptionKind;

constexpr RunOption kRows[] = {
    {.option = "--chip",
     .variable = "TENSORLANE_CHIP",
     .keyword = "chip",
     .help = msg("Chip to emulate; without it that of the interface whose functions the program "
                 "calls"),
     .words = "CHIP",
     .computes = true},
    {.option = "--impl",
     .variable = "TENSORLANE_IMPL",
     .keyword = "reference",
     .kind = kChoice,
     .help = msg("Which implementation of each function runs: fastest or reference"),
     .words = "fastest|reference",
     .initial = "fastest",
     .shorthand = "--reference",
     .computes = true,
     .attach = choose_implementation},
    // how many threads of the process may compute; results do not depend on it
    {.variable = "TENSORLANE_THREADS", .computes = true, .attach = limit_computing},
    // which vector instructions the process may use; see tensor/instruction_set.h
    {.variable = "TENSORLANE_ISA", .computes = true, .attach = limit_instructions},
    {.option = "--dry-run",
     .variable = "TENSORLANE_DRY_RUN",
     .keyword = "dry_run",
     .kind = kSwitch,
     .help = msg("Same control flow, checks and modelled time, but no arithmetic and no data"),
     .attach = dry_run},
    // First of the observers, to see all of a launch.
    {.option = "--self-profile",
     .variable = "TENSORLANE_SELF_PROFILE",
     .keyword = "self_profile",
     .kind = kSwitch,
     .help = msg("Print where the emulator's own processor time went, per kernel: set-up, limits, "
                 "arithmetic, copies, checks"),
     .attach = profile_itself_first},
    {.option = "--dma",
     .variable = "TENSORLANE_DMA",
     .keyword = "dma",
     .help = msg("When copies of a parallel region take effect: issue, early, late or "
                 "random[:SEED]"),
     .initial = "issue",
     .computes = true,
     .attach = choose_region_order},
    {.option = "--cores",
     .variable = "TENSORLANE_CORES",
     .keyword = "cores",
     .help = msg("Which core of a launch over several goes on: order, or random[:SEED]"),
     .initial = "order",
     .computes = true,
     .attach = choose_core_order},
    {.option = "--pipeline",
     .variable = "TENSORLANE_PIPELINE",
     .keyword = "pipeline",
     .kind = kChoice,
     .help = msg("Whether loops of PPL kernels that ask for it are cut into stages"),
     .words = "on|off",
     .computes = true,
     .attach = choose_pipeline},
    // file that gets one line of statistics per device, and what other rows report
    {.variable = "TENSORLANE_REPORT",
     .kind = kFile,
     .attach = report_statistics,
     .attach_last = report_device},
    {.option = "--advice",
     .variable = "TENSORLANE_ADVICE",
     .keyword = "advice",
     .kind = kSwitch,
     .help = msg("Print the preferred conditions that calls miss, once per source line"),
     .attach = say_advice},
    {.option = "--time",
     .variable = "TENSORLANE_TIME",
     .keyword = "time",
     .kind = kSwitch,
     .help = msg("Print the modelled time of every launch and what it is made of"),
     .attach = say_time,
     .phase = Phase::kClock},
    {.option = "--launch-mode",
     .variable = "TENSORLANE_LAUNCH_MODE",
     .keyword = "prebuilt",
     .kind = kChoice,
     .help = msg("Times of commands that the processor issues one by one, or of a prebuilt list "
                 "that the engines fetch"),
     .words = "issued|prebuilt",
     .initial = "issued",
     .phase = Phase::kClock},
    {.option = "--profile",
     .variable = "TENSORLANE_PROFILE",
     .keyword = "profile",
     .kind = kFile,
     .help = msg("Write the modelled time per source line as JSON"),
     .words = "FILE",
     .extension = ".json",
     .attach = write_profile,
     .phase = Phase::kClock},
    {.option = "--trace",
     .variable = "TENSORLANE_TRACE",
     .keyword = "trace",
     .kind = kFile,
     .help = msg("Write the modelled timeline: .json for Chrome, anything else for Perfetto"),
     .words = "FILE",
     .attach = write_trace,
     .phase = Phase::kClock},
    // file that gets the modelled timeline as an HTML page: `run --report FILE.html`
    {.variable = "TENSORLANE_PAGE", .kind = kFile, .attach = write_page, .phase = Phase::kClock},
    {.option = "--check",
     .variable = "TENSORLANE_CHECK",
     .keyword = "check",
     .help = msg("What is checked: all, none, or some of these, separated by commas."),
     .initial = "all",
     .attach = check_launches,
     .attach_last = watch_kernels,
     .phase = Phase::kChecks},
    {.option = "--red-zones",
     .variable = "TENSORLANE_RED_ZONES",
     .keyword = "red_zones",
     .kind = kChoice,
     .help = msg("Gaps between allocations, so that what reaches from one into the next is found; "
                 "off: addresses as in a run without checks. On where anything is checked"),
     .words = "on|off",
     .computes = true},
    // The variable holds all that is expected (check/expectations.h); the checks compare.
    {.option = "--expect",
     .variable = "TENSORLANE_EXPECT",
     .kind = kList,
     .help =
         msg("Compare what the host reads with this reference (.npy): where they differ, by how "
             "much, and what the differences look like. May be given several times, each with "
             "an --output"),
     .words = "FILE"},
    // --precision beside it says no more.
    {.option = "--precision-of",
     .variable = "TENSORLANE_PRECISION_OF",
     .keyword = "precision_of",
     .kind = kList,
     .help = msg("--precision of some commands alone: FILE:LINE or a function, launch=3-5, or "
                 "sample=1000, so many elements of each result; may be given several times"),
     .words = "WHICH",
     .attach = watch_some_precision},
    {.option = "--precision",
     .variable = "TENSORLANE_PRECISION",
     .keyword = "precision",
     .kind = kSwitch,
     .help = msg("Compute everything in double precision as well: per source line the error that "
                 "enters there and that is handed on, overflows and denormals, and the line that "
                 "cost what the host reads most"),
     .attach = watch_precision},
    {.option = "--record",
     .variable = "TENSORLANE_RECORD",
     .keyword = "record",
     .kind = kFile,
     .help = msg("Write the calls of the first launch as a recording, for 'estimate' and 'replay'; "
                 "launch n goes to FILE with -n before the extension"),
     .words = "FILE",
     .extension = ".jsonl",
     .attach = record_calls},
    {.option = "--print",
     .variable = "TENSORLANE_PRINT",
     .keyword = "print",
     .kind = kList,
     .help = msg("Print the commands of this line, or of this function, with their operands; #12 "
                 "is command 12 of the first launch; may be given several times"),
     .words = "FILE:LINE",
     .attach = print_commands},
    {.option = "--dump",
     .variable = "TENSORLANE_DUMP",
     .keyword = "dump",
     .kind = kList,
     .help = msg("Write the first result of the commands of this line, or the operand named, to a "
                 ".npy file: FILE:LINE[:OPERAND]=OUT.npy; {n} in OUT counts the commands, {core} "
                 "is their core"),
     .words = "WHERE=FILE",
     .attach = dump_operands},
    {.option = "--watch",
     .variable = "TENSORLANE_WATCH",
     .keyword = "watch",
     .kind = kList,
     .help = msg("Say who writes these bytes: a system address, NPU:OFFSET or l2:OFFSET, with "
                 "+BYTES for more than one"),
     .words = "ADDRESS",
     .attach = watch_bytes},
    {.option = "--watch-break",
     .variable = "TENSORLANE_WATCH_BREAK",
     .kind = kSwitch,
     .help = msg("Stop after each such write, where the program runs in a debugger")},
    {.option = "--log",
     .variable = "TENSORLANE_LOG",
     .keyword = "log",
     .kind = kFile,
     .help = msg("Write a line of JSON for every command: place, operands, hashes of what it read "
                 "and wrote, modelled time; for 'diff'"),
     .words = "FILE",
     .extension = ".jsonl",
     .attach = log_commands},
    // a question of `tensorlane why` (why/question.h), which each device answers in the report
    {.variable = "TENSORLANE_WHY", .attach = answer_why, .attach_last = watch_kernels},
    {.option = "--keep-going",
     .variable = "TENSORLANE_KEEP_GOING",
     .keyword = "keep_going",
     .kind = kSwitch,
     .help = msg("Compute calls that break a limit of range, where they have a meaning all the "
                 "same; the error is reported as ever"),
     .computes = true,
     .attach = keep_going},
    {.option = "--strict",
     .variable = "TENSORLANE_STRICT",
     .keyword = "strict",
     .kind = kSwitch,
     .help = msg("Refuse what the newer of the chip's models refuses"),
     .computes = true,
     .attach = be_strict},
    {.option = "--timeout",
     .variable = "TENSORLANE_TIMEOUT",
     .keyword = "timeout",
     .kind = kSeconds,
     .help = msg("How long each launch may run; one that runs longer is a finding and ends"),
     .words = "SECONDS",
     .computes = true,
     .attach = limit_time},
};

}  // namespace

std::span<const RunOption> run_options() {
  return kRows;
}

const RunOption& run_option(std::string_view option) {
  const auto* const found = std::ranges::find(kRows, option, &RunOption::option);
  TL_INTERNAL_CHECK(found != std::end(kRows));
  return *found;
}

bool asks(const RunOption& row, std::string_view value) {
  return !value.empty() && !(row.kind == RunOptionKind::kSwitch && value == "0");
}

}  // namespace tensorlane::observe
