// The clock on commands of real functions: who waits for whom, and how many units have work.
#include "tensorlane/observe/time/clock.h"

#include <gtest/gtest.h>

#include "tensorlane/device/kernel_runner.h"
#include "tensorlane/okk/define.h"

namespace tensorlane::observe {
namespace {

constexpr std::uint64_t kNpuBytes = 524288, kDdr = 0x105100000;

// The timeline of a dry run of `kernel`.
Timeline time_kernel(KernelFunction kernel, Clock::Keep keep = Clock::Keep::kLocalMap) {
  Timeline result;
  Clock clock(
      bm1684().timing, [&](const Timeline& timeline) { result = timeline; }, keep);
  Observer* const observers[] = {&clock};
  DeviceMemory memory(bm1684());
  for (int launches = 0; launches < 2; ++launches) {  // the second starts anew
    Session session{.chip = bm1684(),
                    .memory = memory,
                    .observers = observers,
                    .launch = {"kernel", 5, &bm1684(), {}},
                    .choice = ImplementationChoice::kNone};
    clock.launch_begin(session.launch);
    const bool failed = run_kernel(session, kernel, nullptr).has_value();
    clock.launch_end(session.launch, failed ? Outcome::kFailed : Outcome::kDone);
  }
  return result;
}

dim4 shape;
unsigned local_address;
double lanes(const dim4& of, unsigned address) {
  shape = of;
  local_address = address;
  const Timeline timeline = time_kernel([](const void*) {
    okk_bdc_add_C(local_address, local_address, 1.0F, &shape, nullptr, nullptr);
  });
  return timeline.commands.at(0).lanes_used();
}

// 64 NPUs; 16 neighbouring outputs of a channel a step.
TEST(Clock, LanesAreUsedByChannelsFromTheStartNpuAndByWholeGroups) {
  EXPECT_EQ(lanes({1, 64, 1, 16}, 0), 1);
  EXPECT_EQ(lanes({1, 32, 1, 16}, 0), 0.5);
  EXPECT_EQ(lanes({1, 32, 1, 16}, 32 * kNpuBytes), 0.5);
  EXPECT_EQ(lanes({1, 64, 1, 16}, kNpuBytes), 0.5) << "one channel needs a second row";
  EXPECT_EQ(lanes({1, 64, 3, 8}, 0), 0.75);
  EXPECT_EQ(lanes({4, 128, 1, 16}, 0), 1);
}

TEST(Clock, LanesOfAMatrixAreThoseOfItsColumns) {
  const Timeline timeline = time_kernel(
      [](const void*) { okk_bdc_matmul(0, 65536, 131072, 0, 4, 16, 256, 16, 8, false, false); });
  // 32 channels of 8 columns.
  EXPECT_EQ(timeline.commands.at(0).lanes_used(), 0.25);
}

constexpr dim4 kTile = {1, 64, 32, 32};
void load_and_add() {
  okk_gdma_32bit_cpy_S2L(0, kDdr, &kTile, nullptr, nullptr);
  okk_bdc_add_C(65536, 65536, 1.0F, &kTile, nullptr, nullptr);
}

TEST(Clock, SerialCommandsFollowEachOtherAndThoseOfARegionOverlap) {
  const Timeline serial = time_kernel([](const void*) { load_and_add(); });
  ASSERT_EQ(serial.commands.size(), 2u);
  EXPECT_EQ(serial.commands[1].slot.start, serial.commands[0].slot.end);
  const Timeline region = time_kernel([](const void*) {
    okk_parallel_start();
    load_and_add();
    okk_parallel_end();
    load_and_add();
  });
  ASSERT_EQ(region.commands.size(), 4u);
  const auto& [load, add, next, last] =
      std::tie(region.commands[0], region.commands[1], region.commands[2], region.commands[3]);
  EXPECT_LT(add.slot.start, load.slot.end);
  EXPECT_EQ(load.region, 0);
  EXPECT_EQ(next.region, -1);
  EXPECT_EQ(next.slot.start, std::max(load.slot.end, add.slot.end));
  EXPECT_EQ(region.kernel_us, last.slot.end);
}

TEST(Clock, APollHoldsTheProcessor) {
  const Timeline timeline = time_kernel([](const void*) {
    load_and_add();
    okk_poll();
    load_and_add();
  });
  const double issue_us = bm1684().timing.issue_us;
  EXPECT_EQ(timeline.commands[1].slot.issued, 2 * issue_us);
  EXPECT_EQ(timeline.commands[2].slot.issued, timeline.commands[1].slot.end + issue_us);
  EXPECT_EQ(timeline.commands[0].issue_wait_us, issue_us) << "nothing was at work before";
  EXPECT_EQ(timeline.commands[1].issue_wait_us, 0);
  EXPECT_DOUBLE_EQ(timeline.commands[2].issue_wait_us, issue_us);
}

TEST(Clock, KnowsItsLaunchAndWhetherItFailed) {
  const Timeline done = time_kernel([](const void*) { load_and_add(); });
  EXPECT_EQ(done.launch.kernel, "kernel");
  EXPECT_EQ(done.launch.number, 5u);
  EXPECT_EQ(done.parameters, &bm1684().timing);
  EXPECT_FALSE(done.failed);
  const Timeline failed = time_kernel([](const void*) {
    load_and_add();
    okk_bdc_add_C(2, 0, 1.0F, &kTile, nullptr, nullptr);
  });
  EXPECT_TRUE(failed.failed);
  EXPECT_EQ(failed.commands.size(), 2u);
}

TEST(Clock, KeepsWhatCommandsDoToLocalMemoryWhereAskedTo) {
  const Timeline timeline = time_kernel([](const void*) { load_and_add(); });
  const std::vector<LocalAccess>& load = timeline.commands[0].local_accesses;
  ASSERT_EQ(load.size(), 1u) << "system memory is no local memory";
  EXPECT_EQ(load[0].begin, 0);
  EXPECT_EQ(load[0].end, 4096);
  EXPECT_TRUE(load[0].writes);
  EXPECT_FALSE(load[0].reads);
  EXPECT_EQ(timeline.commands[1].local_accesses.size(), 2u);
  const Timeline skipped = time_kernel([](const void*) { load_and_add(); }, Clock::Keep::kCommands);
  EXPECT_TRUE(skipped.commands[0].local_accesses.empty());
  EXPECT_EQ(skipped.kernel_us, timeline.kernel_us);
}

// A launch with more commands than a timeline keeps: totals count all of them, pieces are all of
// them.
TEST(Clock, LongLaunchesKeepTheFirstCommandsOrComeInPieces) {
  const auto many = [](const void*) {
    okk_initialize();
    const dim4 small = {1, 1, 1, 1};
    for (std::size_t k = 0; k < Clock::kMostCommands + 5; ++k)
      okk_bdc_neg(0, 64, &small, nullptr, nullptr);
    okk_poll();
  };
  const Timeline first = time_kernel(many);
  EXPECT_EQ(first.commands.size(), Clock::kMostCommands);
  EXPECT_EQ(first.totals.commands, Clock::kMostCommands + 5);
  const Timeline none = time_kernel(many, Clock::Keep::kTotals);
  EXPECT_TRUE(none.commands.empty());
  EXPECT_EQ(none.totals.bdc_busy_us, first.totals.bdc_busy_us);
  EXPECT_EQ(none.kernel_us, first.kernel_us);
  const Timeline last = time_kernel(many, Clock::Keep::kPieces);
  EXPECT_EQ(last.commands.size(), 5u);
  EXPECT_FALSE(last.more);
  EXPECT_EQ(last.totals.commands, Clock::kMostCommands + 5);
}

TEST(Clock, TimesTransfersOfTheGdmaOnly) {
  const Timeline timeline = time_kernel([](const void*) { load_and_add(); });
  EXPECT_TRUE(timeline.commands[0].transfer.reads_system);
  EXPECT_EQ(timeline.commands[0].transfer.bytes, 4 * 64 * 1024);
  EXPECT_EQ(timeline.commands[1].transfer.bytes, 0);
}

// Two cores: the second waits for a message of the first, and both share the bandwidth of DDR.
TEST(Clock, CoresWaitForMessagesAndShareBandwidth) {
  TimingParameters parameters = bm1684().timing;
  parameters.message_us = 2;
  parameters.launch_core_us = 5;
  parameters.total_gbps = parameters.read_gbps;  // all of it for one core, half for each of two
  const auto time = [&](int cores, bool waits) {
    Timeline result;
    Clock clock(parameters, [&](const Timeline& timeline) { result = timeline; });
    DeviceMemory memory(bm1684());
    Observer* const observers[] = {&clock};
    Session session{.chip = bm1684(),
                    .memory = memory,
                    .observers = observers,
                    .launch = {"kernel", 5, &bm1684(), {}},
                    .choice = ImplementationChoice::kNone};
    session.launch.cores = cores;
    clock.launch_begin(session.launch);
    const auto load = [](const void*) {
      const dim4 of = {1, 64, 64, 64};
      okk_gdma_32bit_cpy_S2L(0, kDdr, &of, nullptr, nullptr);
    };
    const auto message = [&](MessageEvent::Kind kind) {
      MessageEvent event;
      event.kind = kind;
      event.engine = Engine::kGdma;
      event.slot = 3;
      clock.message(event);
    };
    for (int core = 0; core < cores; ++core) {
      clock.core_selected(core);
      if (waits && core == 1) message(MessageEvent::Kind::kWait);
      run_kernel(session, load, nullptr);
      if (core == 0) message(MessageEvent::Kind::kSend);
    }
    clock.launch_end(session.launch, Outcome::kDone);
    return result;
  };
  const double move = 1048576 / (parameters.read_gbps * 1e3), issue = parameters.issue_us;
  EXPECT_DOUBLE_EQ(time(1, false).kernel_us, std::max(issue + move, 2 * issue));
  EXPECT_DOUBLE_EQ(time(2, false).kernel_us, std::max(issue + 2 * move, 2 * issue));
  const Timeline waited = time(2, true);
  EXPECT_DOUBLE_EQ(waited.kernel_us, issue + 2 * move + 2 + 2 * move);
  EXPECT_DOUBLE_EQ(summarise(waited).host_us,
                   host_time_us(waited.kernel_us, parameters) + parameters.launch_core_us);
}

}  // namespace
}  // namespace tensorlane::observe
