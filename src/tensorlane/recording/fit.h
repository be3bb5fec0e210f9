// Parameters from rows: which values of a chip's timing parameters bring the model nearest to what
// was measured, how far they move when a group of rows is left out, and which rows they rest on.
//
// Least squares over log(modelled / measured), rows far off counting less (Huber, from 10 % on),
// every group of rows counting once. A parameter is sought on a logarithmic scale, from its present
// value, and a factor of e away from that counts like one group that is off by 10 %: what no row
// knows of stays where it is. Rows that judge (split "validation") are never used.
#ifndef TENSORLANE_RECORDING_FIT_H_
#define TENSORLANE_RECORDING_FIT_H_

#include <string>
#include <vector>

#include "tensorlane/chip/timing_parameters.h"
#include "tensorlane/recording/board_rows.h"

namespace tensorlane {

struct FittedParameter {
  const TimingParameterRow* row = nullptr;
  double before = 0, fitted = 0;
  // The least and the largest value that a fit without one group gives, the model taken as linear
  // around the fit of all.
  double least = 0, largest = 0;
  // Rows, and groups of them, whose modelled time changes by 0.5 % or more when it changes by a
  // tenth.
  int rows = 0, groups = 0;
};

// A row as it is modelled by the fit of all calibration rows and by that of those of other groups.
struct FittedRow {
  const BoardRow* row = nullptr;
  double fitted_us = 0;
  double left_out_us = 0;
};

struct Fit {
  TimingParameters parameters;
  std::vector<FittedParameter> found;
  std::vector<FittedRow> rows;  // the calibration rows
};

// Fits these parameters, or with none given all of the chip's that are above 0 and that a row knows
// of. Throws UserError where no row calibrates.
Fit fit_parameters(const BoardRows& rows,
                   const std::vector<double TimingParameters::*>& sought = {});

// The parameters that are in use, not sought anew, and how far those of a fit without one group are
// away from them.
Fit cross_validate(const BoardRows& rows);

// What the rows say about each parameter of the chip as it is: rows and groups that know of it.
struct Support {
  double TimingParameters::*value = nullptr;
  int rows = 0, groups = 0;
};
std::vector<Support> support_of(const BoardRows& rows);

// The same of the cycles that the ops list gives a function, of which no parameter knows: those
// that some row knows of, by their names.
struct CycleSupport {
  const Op* op = nullptr;
  int rows = 0, groups = 0;
};
std::vector<CycleSupport> cycle_support_of(const BoardRows& rows);

}  // namespace tensorlane

#endif  // TENSORLANE_RECORDING_FIT_H_
