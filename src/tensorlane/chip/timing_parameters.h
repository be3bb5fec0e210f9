// Parameters of the timing model of a chip, each with unit, source and confidence.
//
// Everything the clock says is modelled, never measured; the parameters were fitted on published
// board times (docs/timing.md shows the errors). The values stand in the table of their chip
// (chip/chips), what they mean and where they come from in the list below.
#ifndef TENSORLANE_CHIP_TIMING_PARAMETERS_H_
#define TENSORLANE_CHIP_TIMING_PARAMETERS_H_

#include <span>
#include <string_view>

namespace tensorlane {

struct Chip;

enum class Confidence : unsigned char { kHigh, kMedium, kLow };
std::string_view confidence_name(Confidence confidence);

struct TimingParameters {
  double clock_mhz = 0;
  double launch_us = 0;          // from the host's call to the first command
  double issue_us = 0;           // processor time per command
  double issue_matmul_us = 0;    // the same for matrix products
  double read_gbps = 0;          // DDR to local memory, 1e9 bytes per second
  double write_gbps = 0;         // local memory to DDR
  double run_ns = 0;             // least time of one contiguous run
  double misaligned_matrix = 0;  // factor on matrix moves whose pieces are no multiple of 64 bytes
  double conv_tap = 0;           // cycles per kernel tap that few input channels cannot hide
  double conv_tap_stride = 0;    // more of them per unit of stride_w
  double conv_group = 0;         // cycles per group of outputs
  double completion_us = 0;      // the host's late wake-up after long launches
  double completion_scale_us = 0;  // how long a launch must be for that
  bool calibrated = false;         // false: from public facts only, never compared with a board
};

// Of a chip that was never compared with a board: clock and bandwidth as advertised, the rest as on
// a chip that was. Whatever shows a time made of them says "uncalibrated".
TimingParameters advertised_timing(const TimingParameters& like, double clock_mhz, double gbps);

// Which published cases the parameters were fitted on. Validation uses kEven and judges the odd
// cases; everything else uses kAll.
enum class Calibration : unsigned char { kAll, kEven };

// Those of the chip; a chip without published times has one set for both.
const TimingParameters& timing_parameters(const Chip& chip,
                                          Calibration calibration = Calibration::kAll);

// For tables: name, unit, value and where it comes from.
struct TimingParameterRow {
  std::string_view name;
  std::string_view unit;
  double TimingParameters::*value;
  std::string_view source;
  Confidence confidence;
};
std::span<const TimingParameterRow> timing_parameter_rows();

}  // namespace tensorlane

#endif  // TENSORLANE_CHIP_TIMING_PARAMETERS_H_
