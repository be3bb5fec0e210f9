// Timelines by hand: commands of three functions at chosen times, on a chip of round figures.
#ifndef TENSORLANE_OBSERVE_TIME_TIMELINE_TEST_SUPPORT_H_
#define TENSORLANE_OBSERVE_TIME_TIMELINE_TEST_SUPPORT_H_

#include <vector>

#include "tensorlane/observe/time/timeline.h"

namespace tensorlane::observe {

inline const OpSpec kCopySpec{.engine = Engine::kGdma, .numerics = Numerics::kNoData},
    kAddSpec{.engine = Engine::kBdc, .numerics = Numerics::kNoData, .cycles = {"2 cycles", {}}},
    kExpSpec{.engine = Engine::kBdc,
             .numerics = Numerics::kNoData,
             .cycles = {"90 cycles", {}},
             .work = Work::kSpecial},
    kSortSpec{.engine = Engine::kHau, .numerics = Numerics::kNoData, .cycles = {"9 cycles", {}}},
    kCarrySpec{.engine = Engine::kSdma, .numerics = Numerics::kNoData};
inline const Op kCopy{"toy_copy", "void", {}, kCopySpec, {}},
    kAdd{"toy_add", "void", {}, kAddSpec, {}}, kExp{"toy_exp", "void", {}, kExpSpec, {}},
    kSort{"toy_sort", "void", {}, kSortSpec, {}}, kCarry{"toy_carry", "void", {}, kCarrySpec, {}};

// 10 GB/s are 10,000 bytes in a microsecond. A host sees 50 us more than the kernel takes.
inline constexpr TimingParameters kParameters{.clock_mhz = 1000,
                                              .launch_us = 50,
                                              .read_gbps = 10,
                                              .write_gbps = 5,
                                              .run_ns = 1,
                                              .misaligned_matrix = 2,
                                              .completion_scale_us = 1,
                                              .confirmed = Confirmed::kLaunches,
                                              .confirmed_by = "a test",
                                              .error_share = 0.12};

// From `start` to `end`, issued in the microsecond before.
inline TimedCommand command(const Op& op, double start, double end,
                            const void* call_site = nullptr) {
  TimedCommand result{.op = &op, .call_site = call_site, .slot = {start, start, end}};
  result.time.duration_us = result.time.duration_high_us = end - start;
  result.time.issue_us = 1;
  return result;
}

// A copy that moves `bytes` from system memory, to it, or both.
inline TimedCommand copy(double start, double end, std::int64_t bytes, bool reads, bool writes,
                         const void* call_site = nullptr) {
  TimedCommand result = command(kCopy, start, end, call_site);
  result.transfer = {.reads_system = reads, .writes_system = writes, .bytes = bytes};
  return result;
}

// Each command needs the one before it.
inline Timeline timeline(std::vector<TimedCommand> commands, double kernel_us) {
  Timeline all{
      .launch = {"kernel", 3, &bm1684(), {}}, .kernel_us = kernel_us, .parameters = &kParameters};
  Rerun again;
  trail::Dependent after;
  for (const TimedCommand& each : commands) {
    all.totals.add(each, kParameters);
    again.add(each, after, kParameters);
    after.data = {static_cast<trail::CommandNumber>(again.commands().size()) - 1};
  }
  all.verdict = judge(again, kernel_us, kParameters);
  all.commands = std::move(commands);
  return all;
}

}  // namespace tensorlane::observe

#endif  // TENSORLANE_OBSERVE_TIME_TIMELINE_TEST_SUPPORT_H_
