// The list of checks, one row each.
//
//   file     of the check, without _check.cc
//   name     in --check and TENSORLANE_CHECK; checks may share one
//   in all   whether --check=all has it
//   cores    kAll: one check sees the events of all cores; kEach: each core has one of its own
//   finds    for people: `tensorlane run --help`, docs/checker.md
//
// Checks see an event in the order of the rows, which is the order of findings about one command.
#ifndef TENSORLANE_OBSERVE_CHECK_CHECK_LIST_H_
#define TENSORLANE_OBSERVE_CHECK_CHECK_LIST_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tensorlane/base/language.h"
#include "tensorlane/observe/check/finding.h"

// clang-format off
#define TENSORLANE_CHECKS(ROW) \
  /*  file          name        in all  cores   finds */ \
  ROW(sync,         "sync",     true,   kEach, msg("regions and polls missing or in the wrong place")) \
  ROW(message,      "sync",     true,   kAll,  msg("messages between cores that do not fit together")) \
  ROW(pointer,      "sync",     true,   kEach, msg("accesses of the processor to data in flight")) \
  ROW(unawaited,    "sync",     true,   kAll,  msg("copies, frees and launches that meet what a launch still uses")) \
  ROW(bounds,       "memory",   true,   kAll,  msg("tensors outside their NPU, memory or allocation; freed memory; " \
                                        "memory the launch was not given")) \
  ROW(argument,     "args",     true,   kAll,  msg("arguments that host and kernel take for different structs")) \
  ROW(limits,       "args",     true,   kAll,  msg("broken limits, failed assertions")) \
  ROW(values,       "values",   true,   kAll,  msg("elements outside the range that a function documents")) \
  ROW(launch,       "launch",   true,   kAll,  msg("launches that fail: crashes, hangs, calls that cannot be carried out")) \
  ROW(host,         "host",     true,   kAll,  msg("calls of the host past its allocations, on freed memory, of another " \
                                        "device; frees and launches of nothing")) \
  ROW(aliasing,     "args",     true,   kAll,  msg("overlapping operands")) \
  ROW(constant,     "args",     true,   kAll,  msg("constants of another type")) \
  ROW(race,         "race",     true,   kEach, msg("commands of different engines in conflict in one parallel region")) \
  ROW(core_race,    "race",     true,   kAll,  msg("commands of different cores in conflict, and no message or barrier between them")) \
  ROW(pipeline,     "race",     true,   kEach, msg("recorded loops whose turns depend on each other")) \
  ROW(init,         "init",     true,   kAll,  msg("results that depend on bytes nobody wrote, or on leftovers in work memory")) \
  ROW(unwritten,    "init",     true,   kAll,  msg("the processor's reads of bytes nobody wrote")) \
  ROW(coverage,     "coverage", true,   kAll,  msg("results the host reads that nobody wrote")) \
  ROW(lost_data,    "lint",     true,   kAll,  msg("tensors in each other's way; results nobody reads")) \
  ROW(overlap,      "lint",     true,   kEach, msg("copies and computations that could run at the same time")) \
  ROW(layout,       "lint",     true,   kAll,  msg("layouts and arguments that cost time or memory")) \
  ROW(unread_input, "lint",     true,   kAll,  msg("inputs nobody reads")) \
  ROW(leak,         "memory",   true,   kAll,  msg("leaks (advice)")) \
  ROW(expect,       "expect",   true,   kAll,  msg("values that differ from what --expect or tl_expect says")) \
  ROW(nan,          "nan",      false,  kAll,  msg("the first command that makes a NaN or infinity from finite sources"))
// clang-format on

namespace tensorlane::check {

class Check;
struct CheckSetup;
struct Expectations;

// What the file of a check defines.
struct CheckParts {
  std::span<const Diagnostic> diagnostics;
  std::unique_ptr<Check> (*make)(const CheckSetup& setup);
};
#define TENSORLANE_CHECK_PARTS(file, name, in_all, cores, finds) CheckParts file##_check();
TENSORLANE_CHECKS(TENSORLANE_CHECK_PARTS)
#undef TENSORLANE_CHECK_PARTS

enum class CheckOfCores : std::uint8_t { kAll, kEach };

struct CheckRow {
  std::string_view name;
  bool in_all;
  CheckOfCores cores;
  std::string_view finds;
  CheckParts (*parts)();
};
std::span<const CheckRow> check_rows();

// The names that --check takes, each once, in the order of the rows.
std::vector<std::string_view> check_names();

// Which checks run.
struct Checks {
  std::vector<const CheckRow*> rows;                     // launch is always one of them
  bool advice = false;                                   // lint was asked for by name: print it
  std::shared_ptr<Expectations> expectations = nullptr;  // what the host should read; see there
};
// "race,init"; "all" is every row that says so. UserError for an unknown name.
Checks parse_checks(std::string_view text);

}  // namespace tensorlane::check

#endif  // TENSORLANE_OBSERVE_CHECK_CHECK_LIST_H_
