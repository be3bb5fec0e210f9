// The timing model against published board times, from data anybody can re-run.
//
// data/board/ holds, as facts with their sources:
//   published.json, recordings/  launches of the BM1684 in two contests: the published best times,
//   for
//                                the first contest with the recorded calls of the fastest kernel
//                                the model knows, for the second with those of our own operators
//   counters.json, counters/     engine times of the BM1684X, with recorded calls that do the same
//   CHIP.json, later/            likewise kernels of later chips
// Some rows calibrate the parameters, the others judge them; both are reported.
#ifndef TENSORLANE_RECORDING_VALIDATION_H_
#define TENSORLANE_RECORDING_VALIDATION_H_

#include <functional>
#include <string>
#include <vector>

#include "tensorlane/chip/timing_parameters.h"

namespace tensorlane {

struct BoardRows;

struct BoardCase {
  std::string op;
  std::string what;          // "0": the number of a case; "16x12x197x197 fp32": the shape of a row
  std::string variant = {};  // which kernel did it, where several did
  std::string part = {};     // of a row: "BDC", "both engines"
  double published_us = 0;
  double modelled_us = 0;
  bool calibration = false;  // the parameters were fitted on it
  std::string note = {};     // why it is off, where that is known
  // "16x12x197x197 fp32: BDC", for programs; with the operator, in the language of the process.
  std::string name() const;
  std::string text() const;
  // Signed, in percent of the published time.
  double error_percent() const { return 100 * (modelled_us / published_us - 1); }
};

// Times every recorded case of the first contest. Parameters fitted on the even cases judge the odd
// ones. Calls `progress(done, total)` after each. Throws UserError when the data are missing or
// malformed.
std::vector<BoardCase> validate_launches(const std::string& directory, const Chip& chip,
                                         Calibration calibration,
                                         const std::function<void(int, int)>& progress = {});

// Our own operators at the sizes of the second contest: what the model gives them is an upper bound
// of what it would give the published kernels, if those are no slower. UserError as above.
std::vector<BoardCase> bound_second_contest(const std::string& directory, const Chip& chip);

// The published rows of a chip in data/board: of two contests' launches the first's, all of which
// calibrate the parameters in use; of other chips the rows of CHIP.json or counters.json. UserError
// as above.
BoardRows published_rows(const std::string& directory, const Chip& chip);

// What the published data cannot say about a chip: what, and what is done about it.
struct Unknown {
  std::string what, instead;
};
std::vector<Unknown> unknown_times(const std::string& directory, const Chip& chip);

// Absolute errors in percent.
struct ErrorSummary {
  int cases = 0;
  double median = 0, p90 = 0, maximum = 0;
};
ErrorSummary summarise_errors(const std::vector<BoardCase>& cases,
                              const std::function<bool(const BoardCase&)>& chosen);

// Modelled against published, both logarithmic, one colour per operator; what did not calibrate
// filled.
std::string scatter_svg(const std::vector<BoardCase>& cases);

}  // namespace tensorlane

#endif  // TENSORLANE_RECORDING_VALIDATION_H_
