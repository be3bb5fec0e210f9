// Replays a recording and compares every byte of memory with it.
//
//   CaseReader recording("golden/okk");
//   const Result result = run_cases(recording, recorded_front_end("golden/okk").chip, {});
//
// A case passes when, after the call, its result operands hold the recorded bytes and every byte
// that the recording does not name is what it was before: in all local memory, in both system
// buffers and around them, in the L2 and in the DTCM. The surroundings of a case's own bytes are
// compared after the case, everything else after every batch of cases; when a batch left a stray
// byte, it runs again with a comparison of everything after each case, to find the culprit.
//
// Cases whose recording departs from the document (vendor quirks) run as the document says: they
// must be accepted and must write nowhere but in their operands' layouts; their results are not
// compared with the recorded ones, and they count apart.
#ifndef TENSORLANE_CONFORMANCE_CASE_RUNNER_H_
#define TENSORLANE_CONFORMANCE_CASE_RUNNER_H_

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "tensorlane/conformance/cases.h"
#include "tensorlane/device/front_end.h"
#include "tensorlane/device/session.h"

namespace tensorlane::conformance {

struct Counts {
  int passed = 0;
  int failed = 0;
  int skipped = 0;  // always 0 here: a function that is not implemented counts as failed
  int quirk = 0;

  int all() const { return passed + failed + skipped + quirk; }
};

struct FunctionResult {
  std::string name;
  Counts counts;
};

struct Failure {
  std::string id;
  std::string function;
  std::string call;  // with its arguments
  std::string why;   // lines for people
};

struct Result {
  Counts total;
  std::vector<FunctionResult> functions;  // in the order of the recording
  std::vector<Failure> failures;
  // Cases whose recorded result does not count, each "id: why" (exceptions.jsonl of the recording).
  std::vector<std::string> exceptions;
};

// What became of one case.
struct CaseResult {
  std::size_t number = 0;  // in the recording, from 0
  std::string id, function;
  bool quirk = false;
  std::string call, why;  // of one that failed, as in Failure
  std::string exception;  // as in Result, without the id
};

// Counts a case, the next one of the recording.
void add_case(Result& result, const CaseResult& one);

struct RunOptions {
  std::string filter;  // only cases whose id contains it
  // Only cases with number % parts == part.
  std::size_t part = 0, parts = 1;
  ImplementationChoice choice = ImplementationChoice::kFastest;
  std::function<void()> progress;  // called now and then; see CaseReader::position
  std::function<void(const CaseResult&)> each;
};

// Throws UserError for a recording that cannot be read.
Result run_cases(CaseReader& recording, const Chip& chip, const RunOptions& options);

// The front end whose functions the recording in `folder` calls; UserError when no front end has
// them.
const FrontEnd& recorded_front_end(const std::string& folder);

}  // namespace tensorlane::conformance

#endif  // TENSORLANE_CONFORMANCE_CASE_RUNNER_H_
