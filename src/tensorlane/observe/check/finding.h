// What the checker says: one Finding per defect, with everything a person or a tool needs.
#ifndef TENSORLANE_OBSERVE_CHECK_FINDING_H_
#define TENSORLANE_OBSERVE_CHECK_FINDING_H_

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tensorlane::check {

enum class Severity : std::uint8_t { kError, kWarning, kAdvice };
std::string_view severity_name(Severity severity);

// How an editor may repair a defect without asking what the kernel means to do; $parallel_end and
// its like as in texts.
enum class Mend : std::uint8_t {
  kNone,
  kEndRegionBetween,  // $parallel_end and $parallel_start between the first two places
  kPollAfter,         // $poll behind the first place
};

// A kind of defect; it stands in the file of the check that finds it. Ids, TL-<CLASS>-<NUMBER>, are
// stable: they stand in suppression files and in other people's notes. docs/diagnostics/<id>.md
// explains each with a faulty and a repaired kernel.
//
// Title and repair name functions that every front end has as $poll; `spelled` makes okk_poll of
// it.
struct Diagnostic {
  std::string_view id;
  Severity severity;
  std::string_view title;
  std::string_view repair;
  Mend mend = Mend::kNone;
};
// The class in its id: "race".
std::string class_name(const Diagnostic& diagnostic);
// The diagnostics of all checks, by id.
std::vector<Diagnostic> diagnostics();
// A text with the names of functions in it, as the front end of `prefix` ("okk_") spells them;
// without a prefix as all of them do: "okk_poll or tpu_poll".
std::string spelled(std::string_view text, std::string_view prefix = {});
// The diagnostic in the file of its check, which outlives everything. UserError with the nearest id
// for an unknown one; upper and lower case are alike.
const Diagnostic& find_diagnostic(std::string_view id);
// UserError with the nearest ids for a pattern of ids ("TL-RACE-*") that no diagnostic is like.
void need_diagnostics(std::string_view pattern);
// The page of a diagnostic in the language of the process, Markdown.
std::string_view diagnostic_page(const Diagnostic& diagnostic);

// A place in a kernel or its host.
struct SourcePlace {
  std::string file;  // empty without debug information
  int line = 0;
  std::string function;
  std::string place;   // for people: "plus_one.c:42 in plus_one" or "plus_one+0x1c in libk.so"
  std::string source;  // the text of the line, when the file can be read
};

// A call of a device function in the kernel, or of the runtime in the host.
struct FindingLocation : SourcePlace {
  std::string role;                  // "reader", "writer", "call", ...
  std::string call;                  // the function that is called
  std::vector<std::string> tensors;  // the operands concerned, in words
  std::vector<SourcePlace> callers;  // from the function that calls it up to the kernel
  // Where the places are still to be found out, which takes milliseconds: return addresses, as
  // above.
  std::vector<const void*> calls;
};

// Launches one after the other from one place of the host that gave the same finding.
struct FindingLaunches {
  int device = 0;
  std::string kernel;
  std::uint64_t first = 0, last = 0;  // among the launches of the device, from 0
  std::uint64_t count = 0;            // how often they gave it
  SourcePlace host;                   // where the host launches, and hands the arguments over
  const void* call_site = nullptr;    // of that launch; null in a report of another process
  int of_cores = 1;                   // that it runs on
  // Those of several that gave it, in ascending order; none for what is no core's alone.
  std::vector<int> cores = {};
};

inline void add_cores(FindingLaunches& to, const FindingLaunches& from) {
  std::vector<int> cores;
  std::ranges::set_union(to.cores, from.cores, std::back_inserter(cores));
  to.cores = std::move(cores);
}

// Bytes of one memory; of NPUs npu..npu+npus-1 in local memory.
struct FindingRegion {
  std::string memory;
  int npu = 0, npus = 0;  // 0 NPUs: a linear memory
  std::int64_t begin = 0, end = 0;
};

// Calls from elsewhere to the code that a finding is about, with the same fault.
struct OtherCallers {
  std::vector<SourcePlace> callers;  // from the nearest up to the kernel
  std::uint64_t count = 0;
};

struct Finding {
  const Diagnostic* diagnostic = nullptr;
  std::string message;  // one line
  std::string repair;
  std::string kernel;  // that runs, or ran last; empty for what is the host's alone
  std::uint64_t count = 1;
  // The launches in progress, or the last ones before a call of the host. Where they are very many,
  // the first of them.
  std::vector<FindingLaunches> launches;
  std::vector<FindingLocation> locations;  // the first is where it is reported
  std::vector<FindingRegion> regions;
  std::vector<std::string> notes;  // "missing: ...", "origin: ..."
  std::vector<OtherCallers> other_callers = {};
  // The finding that this one follows from, by its place in the list they both stand in; none for
  // what has a cause of its own. See causes.h.
  std::optional<std::size_t> cause = {};
  std::string_view cause_id = {};  // of that one
  std::string region = {};  // where the parallel region starts that it is about; empty for none
  // Other callers of the code that it is about do not have it: then it is theirs who have.
  bool of_callers = false;
};

}  // namespace tensorlane::check

#endif  // TENSORLANE_OBSERVE_CHECK_FINDING_H_
