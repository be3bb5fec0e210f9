// Parameters of the timing model of a chip, each with unit, source and confidence.
//
// Everything the clock says is modelled, never measured. How far a board confirmed it differs from
// chip to chip: launches of the BM1684 were compared as a whole, of the BM1684X only how long its
// engines work, of others nothing. docs/timing.md shows the errors. The values and their sources
// stand in the table of their chip (chip/chips), what they mean in the list below.
#ifndef TENSORLANE_CHIP_TIMING_PARAMETERS_H_
#define TENSORLANE_CHIP_TIMING_PARAMETERS_H_

#include <span>
#include <string>
#include <string_view>

namespace tensorlane {

struct Chip;

enum class Confidence : unsigned char { kHigh, kMedium, kLow };
std::string_view confidence_name(Confidence confidence);

// What a board confirmed of a chip's times.
enum class Confirmed : unsigned char {
  kNothing,  // from public facts only
  kEngines,  // how long engines work; launch and issue are unknown
  kLaunches  // launches as a host measures them
};
std::string_view confirmed_name(Confirmed confirmed);  // "nothing", "engines", "launches"

// How the engines get the commands of a launch.
enum class LaunchMode : unsigned char {
  kIssued,   // the processor makes and issues them one by one
  kPrebuilt  // they lie in memory as a list that the engines fetch; issuing costs nothing
};
std::string_view launch_mode_name(LaunchMode mode);  // "issued", "prebuilt"
std::string_view launch_mode_text(LaunchMode mode);  // "commands issued one by one", ...
// UserError with the nearest spelling for a name of neither.
LaunchMode parse_launch_mode(std::string_view name);

struct TimingParameters {
  double clock_mhz = 0;
  double launch_us = 0;        // from the host's call to the first command
  double launch_high_us = 0;   // where that is unknown: from launch_us to this
  double launch_core_us = 0;   // more of it for each core but the first
  double issue_us = 0;         // processor time per command
  double issue_matmul_us = 0;  // the same for matrix products
  double issue_gdma_us = 0;    // the same for moves; 0: as of any other
  double issue_high_us = 0;    // where that is unknown: from issue_us to this, of any command
  double message_us = 0;       // from a message being sent to the engine that waits for it going on
  double region_us = 0;        // processor time of a parallel region, beside its commands
  double read_gbps = 0;        // DDR to local memory, 1e9 bytes per second
  double write_gbps = 0;       // local memory to DDR
  double total_gbps = 0;       // DDR of all cores together; 0: no core takes from another
  double l2_gbps = 0;          // between L2 and local memory; 0: as DDR
  double sdma_gbps = 0;        // of the SDMA engine; 0: as inside_gbps
  double inside_gbps = 0;      // DDR to DDR; 0: all is read, then all is written
  double transfer_start_us = 0;  // of each GDMA command
  double small_transfer_us = 0;  // more of it, in proportion, up to the bytes at which it runs full
  double run_ns = 0;             // least time of one contiguous run
  double misaligned_matrix = 0;  // factor on matrix moves whose pieces are no multiple of 64 bytes
  double misaligned_rows = 0;    // factor on moves of several pieces per NPU that are none; 0: none
  double start_vector = 0;       // cycles before the first result of an element-wise command
  double start_special = 0;      // of a function such as exp or a division
  double start_convolution = 0;
  double start_matrix = 0;         // of a matrix product
  double special_factor = 1;       // cycles of such a function per cycle of the ops list
  double product_slowdown = 1;     // cycles per cycle that the peak of products allows
  double product_row = 0;          // cycles per row of a matrix product that an NPU makes
  double conv_tap = 0;             // cycles per kernel tap that few input channels cannot hide
  double conv_tap_stride = 0;      // more of them per unit of stride_w
  double conv_group = 0;           // cycles per group of outputs
  double taylor_term = 0;          // cycles per term of a Taylor series and group
  double completion_us = 0;        // the host's late wake-up after long launches
  double completion_scale_us = 0;  // how long a launch must be for that
  Confirmed confirmed = Confirmed::kNothing;
  std::string_view confirmed_by = {};  // "board counters, 6 shapes"
  double error_share = 0;  // nine in ten of those are off by this share at most; 0: none there
  LaunchMode mode = LaunchMode::kIssued;

  bool issue_known() const { return issue_high_us == 0; }
  bool launch_known() const { return launch_high_us == 0; }
};

// Bytes from which on small_transfer_us is paid in full. [the vendor's rule: move more than 64 KiB]
inline constexpr double kSmallTransfer = 65536;

// Of a chip that was never compared with a board: clock and bandwidth as advertised, the rest as on
// a chip that was. Whatever shows a time made of them says "uncalibrated".
TimingParameters advertised_timing(const TimingParameters& like, double clock_mhz, double gbps);

// "engines: board counters, 6 shapes"; "launches: ..."; "uncalibrated: ..." where no board
// confirmed anything.
std::string calibration_text(const TimingParameters& parameters);

// Which published cases the parameters were fitted on. Validation uses kEven and judges the odd
// cases; everything else uses kAll.
enum class Calibration : unsigned char { kAll, kEven };

// Those of the chip; a chip without cases to hold back has one set for both. They live as long as
// the program.
const TimingParameters& timing_parameters(const Chip& chip,
                                          Calibration calibration = Calibration::kAll,
                                          LaunchMode mode = LaunchMode::kIssued);

// The same for each of `cores` that work at the same time and share the bandwidth of DDR.
TimingParameters shared_by(const TimingParameters& parameters, int cores);

// The same where the engines fetch the commands as a prebuilt list.
TimingParameters prebuilt(const TimingParameters& issued);

// For tables: name and unit of a parameter.
struct TimingParameterRow {
  std::string_view name;
  std::string_view unit;
  double TimingParameters::*value;
};
std::span<const TimingParameterRow> timing_parameter_rows();

// Where a chip has a parameter from.
struct TimingSource {
  double TimingParameters::*value;
  Confidence confidence;
  std::string_view source;
  // Published rows, and groups of them that know of each other, which it was fitted on: those whose
  // modelled time changes by 0.5 % or more when it changes by a tenth. A test counts them.
  int rows = 0, groups = 0;
};

}  // namespace tensorlane

#endif  // TENSORLANE_CHIP_TIMING_PARAMETERS_H_
