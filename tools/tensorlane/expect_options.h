// The options of `tensorlane run` about the numbers that come out: references that they should
// equal, and where their precision goes.
#ifndef TENSORLANE_TOOLS_EXPECT_OPTIONS_H_
#define TENSORLANE_TOOLS_EXPECT_OPTIONS_H_

#include <string>
#include <vector>

#include "app.h"
#include "run_settings.h"
#include "tensorlane/json/json.h"

namespace tensorlane::cli {

struct ExpectOptions {
  std::vector<std::string> outputs;  // each of the reference (--expect) at the same place
  std::string tolerance;
  std::string precision_json;  // a file
};
void add_expect_options(App& command, ExpectOptions& options);
// Those of the references alone.
void add_reference_options(App& command, ExpectOptions& options);

// The value of TENSORLANE_EXPECT; empty when nothing is expected. Throws UserError where the
// options or the files are wrong, before the program starts.
std::string expect_variable(const RunSettings& settings, const ExpectOptions& options);

// Whether --precision or --precision-json was given.
bool wants_precision(const RunSettings& settings, const ExpectOptions& options);

// Says where precision went, from the lines of a run's report, and writes the file. Throws
// UserError when that cannot be written.
void print_precision(const RunSettings& settings, const ExpectOptions& options,
                     const std::vector<Json>& lines);

// Says what agreed, from the lines of a run's report, and that nothing was there to be compared.
// What differs is a finding. False where something was expected and no device was opened.
bool print_met_expectations(const RunSettings& settings, const std::vector<Json>& lines);

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_EXPECT_OPTIONS_H_
