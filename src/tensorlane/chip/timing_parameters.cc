#include "tensorlane/chip/timing_parameters.h"

#include "tensorlane/chip/chip.h"

namespace tensorlane {
namespace {

constexpr std::string_view kBoard = "fitted on published board times of the first contest";

constexpr TimingParameterRow kRows[] = {
    {"clock", "MHz", &TimingParameters::clock_mhz,
     "data sheet; matmul 5 gives 546 when assumed unknown", Confidence::kHigh},
    {"launch", "us", &TimingParameters::launch_us,
     "floor of do-nothing launches in the second contest", Confidence::kMedium},
    {"issue", "us per command", &TimingParameters::issue_us, kBoard, Confidence::kLow},
    {"issue, matrix product", "us per command", &TimingParameters::issue_matmul_us, kBoard,
     Confidence::kHigh},
    {"read bandwidth", "GB/s", &TimingParameters::read_gbps, kBoard, Confidence::kHigh},
    {"write bandwidth", "GB/s", &TimingParameters::write_gbps, kBoard, Confidence::kMedium},
    {"run", "ns per contiguous run", &TimingParameters::run_ns,
     "fitted; 2.23 from single-element copies of the second contest", Confidence::kHigh},
    {"misaligned matrix", "factor", &TimingParameters::misaligned_matrix, kBoard, Confidence::kLow},
    {"convolution tap", "cycles", &TimingParameters::conv_tap, kBoard, Confidence::kHigh},
    {"convolution tap per stride", "cycles", &TimingParameters::conv_tap_stride, kBoard,
     Confidence::kMedium},
    {"convolution group", "cycles", &TimingParameters::conv_group, kBoard, Confidence::kMedium},
    {"completion extra", "us", &TimingParameters::completion_us, kBoard, Confidence::kMedium},
    {"completion scale", "us", &TimingParameters::completion_scale_us, kBoard, Confidence::kMedium},
};

}  // namespace

std::string_view confidence_name(Confidence confidence) {
  switch (confidence) {
    case Confidence::kHigh:
      return "high";
    case Confidence::kMedium:
      return "medium";
    case Confidence::kLow:
      return "low";
  }
  return "?";
}

TimingParameters advertised_timing(const TimingParameters& like, double clock_mhz, double gbps) {
  TimingParameters parameters = like;
  parameters.clock_mhz = clock_mhz;
  parameters.read_gbps = gbps;
  parameters.write_gbps = gbps;
  parameters.calibrated = false;
  return parameters;
}

const TimingParameters& timing_parameters(const Chip& chip, Calibration calibration) {
  const bool even = calibration == Calibration::kEven && chip.timing_of_even_cases;
  return even ? *chip.timing_of_even_cases : chip.timing;
}

std::span<const TimingParameterRow> timing_parameter_rows() {
  return kRows;
}

}  // namespace tensorlane
