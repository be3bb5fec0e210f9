// BM1684X: 64 NPUs of 256 KB, programmed through TPUKernel.
#include "tensorlane/base/language.h"
#include "tensorlane/chip/chip.h"
#include "tensorlane/chip/later_functions.h"
#include "tensorlane/chip/static_memory.h"

namespace tensorlane {
namespace {

// Fitted on published counters of both engines (docs/timing.md). Nothing public says what a launch
// or the issue of a command costs here: the ranges are those of what other chips show.
constexpr TimingParameters kEngineTimes = {.clock_mhz = 1000,
                                           .launch_us = 32,
                                           .launch_high_us = 113,
                                           .issue_us = 0,
                                           .issue_matmul_us = 0,
                                           .issue_high_us = 3.98,
                                           .read_gbps = 60,
                                           .write_gbps = 46.5,
                                           .inside_gbps = 30.06,
                                           .transfer_start_us = 0.15,
                                           .small_transfer_us = 0.5,
                                           .run_ns = 1.85,
                                           .misaligned_matrix = 1,
                                           .misaligned_rows = 1.74,
                                           .start_vector = 10,
                                           .start_special = 14,
                                           .start_convolution = 23,
                                           .start_matrix = 44,
                                           .product_slowdown = 16.0 / 15,
                                           .product_row = 17.5,
                                           .confirmed = Confirmed::kEngines,
                                           .confirmed_by = msg("board counters, 10 shapes"),
                                           .error_share = 0.04};

std::vector<TimingSource> engine_sources() {
  using P = TimingParameters;
  constexpr std::string_view kCounters = msg("fitted on board counters"),
                             kLater = msg("vendor's instruction model of later chips");
  return {
      {&P::clock_mhz, Confidence::kHigh,
       msg("vendor's profiling tool, and the board of the counters"), 5, 5},
      {&P::launch_us, Confidence::kLow, msg("unknown; the BM1684's do-nothing launches")},
      {&P::launch_high_us, Confidence::kLow, msg("unknown; host side of a network's launch")},
      {&P::issue_us, Confidence::kLow, msg("unknown; nothing, as of a prebuilt list")},
      {&P::issue_high_us, Confidence::kLow, msg("unknown; the BM1684's")},
      {&P::read_gbps, Confidence::kHigh, kCounters, 7, 4},
      {&P::write_gbps, Confidence::kHigh, kCounters, 6, 3},
      {&P::inside_gbps, Confidence::kMedium, msg("vendor's practical ceiling, 28 GiB/s"), 2, 1},
      {&P::transfer_start_us, Confidence::kMedium, kCounters, 3, 2},
      {&P::small_transfer_us, Confidence::kMedium, kCounters, 3, 2},
      {&P::run_ns, Confidence::kMedium, msg("a permutation in runs of 16 bytes, 8.06 GiB/s"), 1, 1},
      {&P::misaligned_rows, Confidence::kLow,
       msg("one load of weights at half the rate; the vendor's rule of thumb"), 1, 1},
      {&P::start_vector, Confidence::kLow, kLater},
      {&P::start_special, Confidence::kLow, kLater},
      {&P::start_convolution, Confidence::kMedium, msg("the same; counters leave 9 and 22")},
      {&P::start_matrix, Confidence::kLow, kLater, 1, 1},
      {&P::product_slowdown, Confidence::kHigh, msg("fitted on board counters of convolutions"), 2,
       2},
      {&P::product_row, Confidence::kLow, msg("192 products of an attention, with one figure"), 1,
       1},
  };
}

}  // namespace

const Chip& bm1684x() {
  // Never destroyed: devices end, and report, after main.
  static const Chip* const chip = new Chip{
      .name = "bm1684x",
      .full_name = "Sophon BM1684X (TPUKernel)",
      .local = {.npus = 64, .npu_bytes = 256 << 10, .align_bytes = 64},
      .banks_per_npu = 16,
      .eu_bytes = 64,
      .step_outputs = 0,
      .chip_id = 0x1686,
      .regions =
          {
              {Space::kGlobal, 0x100000000, 16ull << 30, msg("documentation: boards with 16 GB")},
              {Space::kL2, 0x10000000, 2ull << 20,
               msg("observation: 2 MB; the address is a choice")},
              {Space::kLocal, 0x08000000, 64ull * 262144, msg("the address is a choice")},
              {Space::kStatic, 0x09000000, 64ull << 10, msg("documentation: 64 KB; likewise")},
          },
      .global_alloc_begin = 0x100000000,
      .l2_user_begin = 0x10000000,
      .l2_user_bytes = 0x1fb000,
      .dtcm_user_begin = 0,
      .dtcm_user_bytes = 0,
      .lookup_offset = 0,
      .lookup_bytes = 0,
      .api = kTpukernel,
      .static_contents = tpukernel_static_memory(),
      .missing_functions = functions_of_later_chips(),
      .timing = kEngineTimes,
      .timing_sources = engine_sources(),
  };
  return *chip;
}

}  // namespace tensorlane
