// SG2260E: four cores, each of 64 NPUs with 256 KB, programmed through TPUKernel.
#include "tensorlane/base/language.h"
#include "tensorlane/chip/chip.h"

namespace tensorlane {

const Chip& bm1690();  // in bm1690.cc

namespace {

// Fitted on a recorder's times of small commands (docs/timing.md); for what nobody published stand
// the BM1690's figures. The recorder slows the issue of commands: with it that takes 1.09 us.
constexpr TimingParameters kSg2260eTiming = {
    .clock_mhz = 1000,
    .launch_us = 70,
    .launch_high_us = 105,
    .launch_core_us = 3,
    .issue_us = 0.1,
    .issue_matmul_us = 0.1,
    .issue_high_us = 1.09,
    .message_us = 0.3,
    .read_gbps = 68.264,
    .write_gbps = 68.264,
    .total_gbps = 273,
    .sdma_gbps = 34.132,
    .inside_gbps = 22,
    .transfer_start_us = 0.25,
    .run_ns = 1.9,
    .misaligned_matrix = 1,
    .start_vector = 10.4,
    .start_special = 12.3,
    .start_convolution = 23,
    .start_matrix = 35.3,
    .special_factor = 0.52,
    .product_slowdown = 16.0 / 15,
    .product_row = 15.8,
    .confirmed = Confirmed::kEngines,
    .confirmed_by = msg("recorded commands of up to 4 KiB, 6 kinds"),
    .error_share = 0.18};

std::vector<TimingSource> sg2260e_sources() {
  using P = TimingParameters;
  constexpr std::string_view kRecorder = msg("fitted on a recorder's times of small commands"),
                             kLater = msg("vendor's instruction model of later chips"),
                             k1690 = msg("as on the BM1690"), kPlan = msg("vendor's planning tool");
  return {
      {&P::clock_mhz, Confidence::kMedium, k1690, 10, 4},
      {&P::launch_us, Confidence::kLow, msg("unknown; the BM1690's in the fastest session")},
      {&P::launch_high_us, Confidence::kLow, msg("unknown; the BM1690's in the slowest session")},
      {&P::launch_core_us, Confidence::kLow, k1690},
      {&P::issue_us, Confidence::kLow, msg("unknown; another way of issuing, with the recorder")},
      {&P::issue_matmul_us, Confidence::kLow,
       msg("unknown; another way of issuing, with the recorder")},
      {&P::issue_high_us, Confidence::kLow, msg("unknown; with the recorder")},
      {&P::message_us, Confidence::kLow, kPlan},
      {&P::read_gbps, Confidence::kLow, msg("as advertised; never compared with a board")},
      {&P::write_gbps, Confidence::kLow, msg("as advertised; never compared with a board")},
      {&P::total_gbps, Confidence::kLow, msg("as advertised; never compared with a board")},
      {&P::sdma_gbps, Confidence::kLow,
       msg("unknown; from the GDMA's inside DDR to half of what a core is advertised to read")},
      {&P::inside_gbps, Confidence::kLow, kRecorder, 1, 1},
      {&P::transfer_start_us, Confidence::kMedium, kRecorder, 8, 3},
      {&P::run_ns, Confidence::kLow, kRecorder, 6, 2},
      {&P::start_vector, Confidence::kMedium, kRecorder, 7, 2},
      {&P::start_special, Confidence::kLow, kRecorder, 1, 1},
      {&P::start_convolution, Confidence::kLow, kLater},
      {&P::start_matrix, Confidence::kMedium, kRecorder, 2, 1},
      {&P::special_factor, Confidence::kLow, kRecorder, 1, 1},
      {&P::product_slowdown, Confidence::kLow, msg("as on the BM1684X"), 2, 1},
      {&P::product_row, Confidence::kLow, kRecorder, 2, 1},
  };
}

}  // namespace

const Chip& sg2260e() {
  // Never destroyed: devices end, and report, after main.
  static const Chip* const chip = [] {
    // The NPUs and the windows of memory are those of the BM1690.
    auto* const made = new Chip(bm1690());
    made->name = "sg2260e";
    made->full_name = "Sophon SG2260E (TPUKernel)";
    made->chip_id = 0x2260e;
    made->cores = 4;
    for (Region& region : made->regions) {
      if (region.space == Space::kGlobal)
        region.source = msg("16 GB and where they begin are a choice");
      if (region.space == Space::kL2)
        region = {Space::kL2, region.begin, 16ull << 20,
                  msg("public compiler: 16 MB and where they begin")};
    }
    made->l2_user_bytes = 16ull << 20;
    made->timing = kSg2260eTiming;
    made->timing_sources = sg2260e_sources();
    return made;
  }();
  return *chip;
}

}  // namespace tensorlane
