// BM1690: eight cores, each of 64 NPUs with 256 KB, programmed through TPUKernel.
#include "tensorlane/base/language.h"
#include "tensorlane/chip/chip.h"
#include "tensorlane/chip/static_memory.h"

namespace tensorlane {
namespace {

// Fitted on published times of kernels on one core (docs/timing.md). What several cores do to one
// another, and messages between them, nobody published by itself.
constexpr TimingParameters kBm1690Timing = {
    .clock_mhz = 1000,
    .launch_us = 82,
    .launch_core_us = 3,
    .issue_us = 0.51,
    .issue_matmul_us = 0.47,
    .issue_gdma_us = 0.57,
    .message_us = 0.3,
    .region_us = 0.24,
    .read_gbps = 124,
    .write_gbps = 220,
    .total_gbps = 491,
    .l2_gbps = 128,
    .sdma_gbps = 22,
    .inside_gbps = 60,
    .transfer_start_us = 0.2,
    .run_ns = 3.0,
    .misaligned_matrix = 1,
    .start_vector = 10,
    .start_special = 14,
    .start_convolution = 23,
    .start_matrix = 44,
    .special_factor = 0.48,
    .product_slowdown = 1.24,
    .product_row = 17.5,
    .confirmed = Confirmed::kLaunches,
    .confirmed_by = msg("published times of 122 kernels on one core"),
    .error_share = 0.19};

std::vector<TimingSource> bm1690_sources() {
  using P = TimingParameters;
  constexpr std::string_view kKernels = msg("fitted on published times of kernels"),
                             kX = msg("as on the BM1684X"),
                             kLater = msg("vendor's instruction model of later chips"),
                             kPlan = msg("vendor's planning tool");
  return {
      {&P::clock_mhz, Confidence::kHigh, msg("read from a board during a measurement"), 8, 5},
      {&P::launch_us, Confidence::kMedium, kKernels, 94, 24},
      {&P::launch_core_us, Confidence::kLow,
       msg("three kernels on one and on eight cores, if those share all work")},
      {&P::issue_us, Confidence::kHigh, kKernels, 89, 28},
      {&P::issue_matmul_us, Confidence::kHigh, kKernels, 33, 12},
      {&P::issue_gdma_us, Confidence::kHigh, kKernels, 52, 19},
      {&P::message_us, Confidence::kLow, kPlan},
      {&P::region_us, Confidence::kLow, kKernels, 13, 5},
      {&P::read_gbps, Confidence::kMedium, kKernels, 12, 4},
      {&P::write_gbps, Confidence::kLow, kKernels, 7, 1},
      {&P::total_gbps, Confidence::kLow, msg("advertised 546 GB/s, nine tenths of them usable")},
      {&P::l2_gbps, Confidence::kLow, kPlan},
      {&P::sdma_gbps, Confidence::kLow,
       msg("unknown; from the GDMA's inside DDR on the SG2260E to that here")},
      {&P::inside_gbps, Confidence::kLow, msg("half the rate of a move in one direction; a guess")},
      {&P::transfer_start_us, Confidence::kLow, msg("as of small commands of the SG2260E")},
      {&P::run_ns, Confidence::kMedium, kKernels, 10, 5},
      {&P::start_vector, Confidence::kLow, kLater},
      {&P::start_special, Confidence::kLow, kLater},
      {&P::start_convolution, Confidence::kLow, kLater},
      {&P::start_matrix, Confidence::kLow, kLater},
      {&P::special_factor, Confidence::kMedium, kKernels, 6, 3},
      {&P::product_slowdown, Confidence::kMedium, kKernels, 8, 5},
      {&P::product_row, Confidence::kLow, kX},
  };
}

}  // namespace

const Chip& bm1690() {
  // Never destroyed: devices end, and report, after main.
  static const Chip* const chip = new Chip{
      .name = "bm1690",
      .full_name = "Sophon BM1690 (TPUKernel)",
      .local = {.npus = 64, .npu_bytes = 256 << 10, .align_bytes = 64},
      .banks_per_npu = 16,
      .eu_bytes = 64,
      .step_outputs = 0,
      .chip_id = 0x1690,
      .cores = 8,
      .has_fp8 = true,
      .regions =
          {
              {Space::kGlobal, 0x100000000, 16ull << 30,
               msg("public tools: 128 GB; 16 of them, and where they begin, are a choice")},
              {Space::kL2, 0x6980000000, 128ull << 20,
               msg("public compiler: 128 MB and where they begin")},
              {Space::kLocal, 0x6900000000, 64ull * 262144,
               msg("public compiler: window of local memory")},
              {Space::kStatic, 0x6904000000, 64ull << 10, msg("as on the BM1684X; a choice")},
          },
      .global_alloc_begin = 0x100000000,
      .l2_user_begin = 0x6980000000,
      .l2_user_bytes = 128ull << 20,
      .dtcm_user_begin = 0,
      .dtcm_user_bytes = 0,
      .lookup_offset = 0,
      .lookup_bytes = 0,
      .api = kTpukernel,
      .static_contents = tpukernel_static_memory(),
      .timing = kBm1690Timing,
      .timing_sources = bm1690_sources(),
  };
  return *chip;
}

}  // namespace tensorlane
