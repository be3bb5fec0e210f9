// BM1684: 64 NPUs of 512 KB, programmed through OKKernel.
#include "tensorlane/base/language.h"
#include "tensorlane/chip/chip.h"

namespace tensorlane {
namespace {

constexpr std::string_view kBy = msg("published board times of 45 launches");

// Fitted on published board times (docs/timing.md).
constexpr TimingParameters kTiming = {.clock_mhz = 550,
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
                                      .taylor_term = 2.51,
                                      .completion_us = 137.247,
                                      .completion_scale_us = 201.906,
                                      .confirmed = Confirmed::kLaunches,
                                      .confirmed_by = kBy,
                                      .error_share = 0.10};

constexpr TimingParameters kTimingOfEvenCases = {.clock_mhz = 550,
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
                                                 .taylor_term = 2.758,
                                                 .completion_us = 137.735,
                                                 .completion_scale_us = 211.798,
                                                 .confirmed = Confirmed::kLaunches,
                                                 .confirmed_by = kBy,
                                                 .error_share = 0.10};

constexpr std::string_view kBoard = msg("fitted on published board times of the first contest");

std::vector<TimingSource> sources() {
  using P = TimingParameters;
  return {
      {&P::clock_mhz, Confidence::kHigh, msg("data sheet; matmul 5 gives 546 when assumed unknown"),
       29, 29},
      {&P::launch_us, Confidence::kMedium,
       msg("floor of do-nothing launches in the second contest"), 14, 14},
      {&P::issue_us, Confidence::kLow, kBoard, 7, 7},
      {&P::issue_matmul_us, Confidence::kHigh, kBoard, 2, 2},
      {&P::read_gbps, Confidence::kHigh, kBoard, 19, 19},
      {&P::write_gbps, Confidence::kMedium, kBoard, 16, 16},
      {&P::run_ns, Confidence::kHigh,
       msg("fitted; 2.23 from single-element copies of the second contest"), 6, 6},
      {&P::misaligned_matrix, Confidence::kLow, kBoard, 2, 2},
      {&P::conv_tap, Confidence::kHigh, kBoard, 11, 11},
      {&P::conv_tap_stride, Confidence::kMedium, kBoard, 9, 9},
      {&P::conv_group, Confidence::kMedium, kBoard, 4, 4},
      {&P::taylor_term, Confidence::kLow, msg("fitted on softmax; 4 in the vendor's estimates"), 2,
       2},
      {&P::completion_us, Confidence::kMedium, kBoard, 27, 27},
      {&P::completion_scale_us, Confidence::kMedium, kBoard, 14, 14},
  };
}

}  // namespace

const Chip& bm1684() {
  // Never destroyed: devices end, and report, after main.
  static const Chip* const chip = new Chip{
      .name = "bm1684",
      .full_name = "Sophon BM1684 (OKKernel)",
      .local = {.npus = 64, .npu_bytes = 512 << 10, .align_bytes = 128},
      .banks_per_npu = 8,
      .eu_bytes = 128,
      .step_outputs = 16,  // fitted on published board times
      .chip_id = 0x1684,
      .regions =
          {
              {Space::kGlobal, 0x100000000, 12ull << 30, msg("documentation: 12 GB")},
              {Space::kL2, 0x10000000, 4ull << 20, msg("documentation: 4 MB")},
              {Space::kDtcm, 0x02000000, 512ull << 10, msg("documentation: 512 KB")},
              {Space::kLocal, 0x08000000, 64ull * 524288,
               msg("observation: window of local memory")},
          },
      .global_alloc_begin = 0x105100000,
      .l2_user_begin = 0x100a2000,
      .l2_user_bytes = 2482176,
      .dtcm_user_begin = 0x02020000,
      .dtcm_user_bytes = 390144,
      .lookup_offset = 0x00323c00,
      .lookup_bytes = 902144,
      .api = kOkkernel,
      .timing = kTiming,
      .timing_sources = sources(),
      .timing_of_even_cases = kTimingOfEvenCases,
  };
  return *chip;
}

}  // namespace tensorlane
