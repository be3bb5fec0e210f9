#include "tensorlane/chip/timing_parameters.h"

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

constexpr TimingParameters kBm1684All = {.clock_mhz = 550,
                                         .launch_us = 32,
                                         .issue_us = 3.976,
                                         .issue_matmul_us = 3.542,
                                         .read_gbps = 27.487,
                                         .write_gbps = 27.241,
                                         .run_ns = 2.341,
                                         .misaligned_matrix = 1.37,
                                         .conv_tap = 7.7,
                                         .conv_tap_stride = 0.97,
                                         .conv_group = 3.917,
                                         .completion_us = 137.247,
                                         .completion_scale_us = 201.906,
                                         .calibrated = true};

constexpr TimingParameters kBm1684Even = {.clock_mhz = 550,
                                          .launch_us = 32,
                                          .issue_us = 4.18,
                                          .issue_matmul_us = 3.51,
                                          .read_gbps = 27.754,
                                          .write_gbps = 28.75,
                                          .run_ns = 2.228,
                                          .misaligned_matrix = 1.521,
                                          .conv_tap = 7.701,
                                          .conv_tap_stride = 0.985,
                                          .conv_group = 3.976,
                                          .completion_us = 137.735,
                                          .completion_scale_us = 211.798,
                                          .calibrated = true};

// From public facts only: 1 GHz follows from 2 TFLOPS of fp32 on 64 NPUs of 16 units, 68 GB/s is
// the data sheet's LPDDR4X. The rest is as on the BM1684.
constexpr TimingParameters kBm1684x = [] {
  TimingParameters parameters = kBm1684All;
  parameters.clock_mhz = 1000;
  parameters.read_gbps = 68.0;
  parameters.write_gbps = 68.0;
  parameters.calibrated = false;
  return parameters;
}();

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

const TimingParameters& timing_parameters(const Chip& chip, Calibration calibration) {
  if (&chip == &bm1684x()) return kBm1684x;
  return calibration == Calibration::kEven ? kBm1684Even : kBm1684All;
}

std::span<const TimingParameterRow> timing_parameter_rows() {
  return kRows;
}

}  // namespace tensorlane
