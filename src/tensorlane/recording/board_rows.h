// Rows: how long something took on a board, beside recorded commands that do the same, or beside
// the kernel, which is then run dry to record them.
//
// A file of rows is JSON or CSV (by its ending). JSON:
//
//   {"chip": "bm1690", "rows": [
//     {"operator": "matmul", "shape": "64x64x64 fp16", "part": "launch", "time_us": 127,
//      "recording": "matmul.jsonl.gz", "repeat": 4, "group": "64", "split": "calibration"}, ...]}
//
// CSV has a first line with the same names, and a column "chip" or the chip from the caller:
//
//   operator,shape,part,time_us,recording
//
// Needed are operator, time_us and what did it; paths are beside the file of rows:
//   recording   its recorded commands; or
//   code        the kernel in C or C++, a file, a folder or a list of them, compiled for the chip
//   module      likewise a library of kernels, built with -g
//   program     a host and its arguments, a list or words; `kernel` then picks one of its launches
// and with code or a module
//   kernel      under which name it is registered
//   arguments   the fields of its struct: {"rows": 64, "in": "fp16:64x1024", "pads": [0, 1]}, or in
//               words: rows=64 in=fp16:64x1024 pads=0,1; DTYPE:SHAPE is device memory for so much
//   cores       of the launch (1)
// The rest:
//   part      what was measured: "launch" as a host sees it (this if nothing is said), "kernel"
//   from
//             the first call to the last engine being done, "GDMA" or "BDC" for what an engine
//             worked, "both engines" from the first command to the last; the last three as a
//             prebuilt list
//   repeat    how often the recorded commands were handed over, one turn of a loop each (1)
//   shape     of what (empty), variant: by which kernel (empty)
//   group     rows that know of each other, so that a fit that leaves one out leaves all out
//             (operator and shape)
//   session   measured one after the other on one board, so that its times can be ranked (empty)
//   split     "calibration" for rows that a fit may use, "validation" for those that judge it
//             (calibration)
//   note      why it is off, where that is known
// Other names are left alone.
#ifndef TENSORLANE_RECORDING_BOARD_ROWS_H_
#define TENSORLANE_RECORDING_BOARD_ROWS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tensorlane/recording/command_list.h"
#include "tensorlane/recording/row_runs.h"
#include "tensorlane/recording/validation.h"

namespace tensorlane {

struct BoardRow {
  std::string op = {}, shape = {}, variant = {}, group = {}, part = {}, note = {}, session = {};
  bool calibration = true;
  double time_us = 0;
  std::int64_t repeat = 1;
  std::shared_ptr<const CommandList> commands = {};

  // What the model says of it. `issued` are the chip's parameters with the issue of commands; the
  // engines' parts are of a prebuilt list.
  // With `longer` where commands of that function take a tenth more cycles.
  double modelled_us(const TimingParameters& issued, const Op* longer = nullptr) const;
};

struct BoardRows {
  const Chip* chip = nullptr;
  std::vector<BoardRow> rows;
};

// Reads a file of rows with its recordings, each once; what is to be run goes to `run`, each once.
// A given `chip` counts, whatever the file says. Throws UserError naming file, row and name for
// what is missing or malformed, and for rows that are to be run where nobody runs them.
BoardRows read_board_rows(const std::string& path, const Chip* chip = nullptr,
                          const RunRow& run = {});

// Each row beside what the model says of it.
std::vector<BoardCase> board_cases(const BoardRows& rows, const TimingParameters& issued);

}  // namespace tensorlane

#endif  // TENSORLANE_RECORDING_BOARD_ROWS_H_
