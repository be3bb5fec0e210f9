// Asks a program where a value came from: runs it, again where the first run could not keep enough
// of its past, and puts the answers together.
#ifndef TENSORLANE_TOOLS_WHY_RUN_H_
#define TENSORLANE_TOOLS_WHY_RUN_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tensorlane/json/json.h"
#include "tensorlane/observe/why/question.h"

namespace tensorlane::cli {

struct WhyRun {
  std::string verb = "why";  // of messages
  std::vector<std::string> program;
  // The environment of a run that does the same: chip, implementation, order of copies, ...
  std::vector<std::pair<std::string, std::string>> environment = {};
  bool silent =
      false;  // what the program prints goes nowhere, as it does in the runs after the first
};

// The answer of the device that has one, as observe/why_tool.h describes it, with the steps by
// their ids, and "status" of the program and how many "runs" there were. Throws UserError where
// there is no such place, time or device, and where the program does not run the same way twice.
Json ask_why(const WhyRun& run, why::Question question);

// What to ask about the first element that differs from what was expected, by the lines of the
// report of a run with TENSORLANE_EXPECT: others that differ, and such that agree, come along.
// Nothing where all agree.
std::optional<why::Question> question_of_difference(const std::vector<Json>& lines);
// The same after a run of the program; `expectations`: TENSORLANE_EXPECT. Throws UserError where
// nothing was compared, or nothing differs.
why::Question ask_what_differs(const WhyRun& run, const std::string& expectations);

// From the lines of a run's report: where the host read something else than was expected
// (--expect), says on stderr how the first such element came about. `run` is that run; the program
// runs again. Throws as ask_why().
void explain_difference(WhyRun run, const std::vector<Json>& lines);

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_WHY_RUN_H_
