// The timing model against published board times, from data anybody can re-run.
//
// data/board/ holds the published best time of every case of two contests and, for the 45 cases of
// the first, the recorded call sequence of the fastest kernel the model knows. Parameters fitted on
// the even cases judge the odd ones; both calibrations are reported.
#ifndef TENSORLANE_RECORDING_VALIDATION_H_
#define TENSORLANE_RECORDING_VALIDATION_H_

#include <functional>
#include <string>
#include <vector>

#include "tensorlane/chip/timing_parameters.h"

namespace tensorlane {

struct BoardCase {
  int contest = 0;
  std::string op;
  int number = 0;
  double published_us = 0;
  double modelled_us = 0;
  // Signed, in percent of the published time.
  double error_percent() const { return 100 * (modelled_us / published_us - 1); }
  bool calibration() const { return number % 2 == 0; }
};

// The chip that the published times under `directory` were taken on. Throws UserError as below.
const Chip& board_chip(const std::string& directory);

// Times every recorded case under `directory` (with published.json and recordings/). Calls
// `progress(done, total)` after each. Throws UserError when the data are missing or malformed.
std::vector<BoardCase> validate_board(const std::string& directory, const Chip& chip,
                                      Calibration calibration,
                                      const std::function<void(int, int)>& progress = {});

// Absolute errors in percent.
struct ErrorSummary {
  int cases = 0;
  double median = 0, p90 = 0, maximum = 0;
};
ErrorSummary summarise_errors(const std::vector<BoardCase>& cases,
                              const std::function<bool(const BoardCase&)>& chosen);

// Modelled against published, both logarithmic, one colour per operator; odd cases filled.
std::string scatter_svg(const std::vector<BoardCase>& cases);

}  // namespace tensorlane

#endif  // TENSORLANE_RECORDING_VALIDATION_H_
