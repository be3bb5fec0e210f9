// How long a command keeps its engine.
//
// GDMA and SDMA: a move takes its start, and is then as slow as its bytes or its contiguous runs,
// whichever takes longer; where a chip has no bandwidth of its own for moves inside system memory,
// these pay both sides. BDC: the start of its kind of work, and the cycles of the ops list.
#ifndef TENSORLANE_CLOCK_COMMAND_TIME_H_
#define TENSORLANE_CLOCK_COMMAND_TIME_H_

#include <cstdint>

#include "tensorlane/chip/timing_parameters.h"
#include "tensorlane/ops/command.h"

namespace tensorlane {

// What a command of the GDMA or the SDMA moves.
struct Transfer {
  bool reads_system = false;
  bool writes_system = false;
  std::int64_t bytes = 0;        // of the destination
  std::int64_t runs = 0;         // contiguous pieces: the larger count of the two sides
  bool l2 = false;               // between L2 and local memory
  bool sdma = false;             // by the SDMA
  bool misaligned_rows = false;  // several pieces per NPU, no multiple of 64 bytes each
  bool misaligned = false;       // a matrix move whose pieces are no multiple of 64 bytes
};
Transfer transfer(const Command& command);

struct CommandTime {
  double issue_us = 0;          // of processor time
  double duration_us = 0;       // of engine time
  double issue_high_us = 0;     // where the issue is unknown: at most
  double duration_high_us = 0;  // where the bandwidth is unknown: at most
  double cycles = 0;            // of a BDC command, with its start
  double start_us = 0;          // of the duration: before the first byte or result
  bool limited_by_runs = false;
};
CommandTime command_time(const Command& command, const TimingParameters& parameters);
// The same where the transfer of such a command is known already.
CommandTime command_time(const Command& command, const Transfer& move,
                         const TimingParameters& parameters);

// The time of a transfer without its start, as it is or better.
struct BetterMove {
  bool full_runs = false;  // in one run
  bool aligned = false;    // with pieces of whole bursts
};
double move_us(const Transfer& move, const TimingParameters& parameters, BetterMove better = {});
// The factor that misaligned pieces put on its bytes; 1 where they are none.
double misalignment(const Transfer& move, const TimingParameters& parameters);
// In one run and aligned.
double least_transfer_us(const Transfer& move, const TimingParameters& parameters);
// Nobody published what the SDMA moves in a second. Where a chip has a figure for it beside that of
// moves inside DDR, it lies between the two: the time is that of the faster, at most that of the
// slower.
struct SdmaRange {
  double fast_gbps = 0, slow_gbps = 0;
  bool known() const { return fast_gbps == slow_gbps; }
};
SdmaRange sdma_range(const TimingParameters& parameters);
// Whether a kernel has one time, whatever it does: else it is a range where it does that.
bool kernel_known(const TimingParameters& parameters);

// GB/s of its direction.
double peak_gbps(const Transfer& move, const TimingParameters& parameters);

// The time the host sees: launch overhead, the kernel, and the late wake-up after long kernels.
double host_time_us(double kernel_us, const TimingParameters& parameters, int cores = 1);
// The same with the launch overhead at most, where that is unknown.
double host_time_at_most_us(double kernel_us, const TimingParameters& parameters, int cores = 1);

}  // namespace tensorlane

#endif  // TENSORLANE_CLOCK_COMMAND_TIME_H_
