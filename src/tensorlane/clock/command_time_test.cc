// What a command moves and how long that takes, on commands made by hand.
#include "tensorlane/clock/command_time.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tensorlane {
namespace {

constexpr LocalMemory kLocal{.npus = 4, .npu_bytes = 65536, .align_bytes = 128};
// 10 GB/s are 10,000 bytes in a microsecond; a run takes 2 ns at least.
constexpr TimingParameters kParameters{.clock_mhz = 500,
                                       .launch_us = 30,
                                       .issue_us = 4,
                                       .issue_matmul_us = 3,
                                       .read_gbps = 10,
                                       .write_gbps = 5,
                                       .run_ns = 2,
                                       .misaligned_matrix = 1.5,
                                       .completion_us = 100,
                                       .completion_scale_us = 200};

const OpSpec kCopySpec{.engine = Engine::kGdma, .numerics = Numerics::kNoData, .issue_commands = 2};
const OpSpec kProductSpec{
    .engine = Engine::kBdc,
    .numerics = Numerics::kNoData,
    .cycles = {"1000 cycles", [](const Command&, const TimingParameters&) { return 1000.0; }},
    .work = Work::kMatrix};
const Op kCopy{"copy", "void", {}, kCopySpec, {}};
const Op kProduct{"product", "void", {}, kProductSpec, {}};

Layout local(const Shape4& shape, const Stride4& stride) {
  return local_layout(kLocal, 0, shape, stride, Dtype::kFp32);
}
Layout local(const Shape4& shape) {
  return local(shape, aligned_stride(kLocal, 0, shape, 4));
}
Layout ddr(const Shape4& shape, const Stride4& stride) {
  return system_layout(0, shape, stride, Dtype::kFp32);
}
Layout ddr(const Shape4& shape) {
  return ddr(shape, continuous_stride(shape));
}

// A copy from one layout to another; those of local memory say so themselves.
Command copy(const Layout& to, const Layout& from) {
  Command command;
  command.op = &kCopy;
  command.chip = &bm1684();
  const auto operand = [&](const Layout& layout, Role role) {
    Operand result{.role = role, .layout = layout};
    result.space = layout.space() == AddressSpace::kLocal ? Space::kLocal : Space::kGlobal;
    return result;
  };
  command.operand_storage = {operand(to, Role::kOut), operand(from, Role::kIn)};
  return command;
}

TEST(Transfer, KnowsItsDirectionAndItsBytes) {
  const Shape4 shape{2, 3, 4, 5};
  const Transfer load = transfer(copy(local(shape), ddr(shape)));
  EXPECT_TRUE(load.reads_system);
  EXPECT_FALSE(load.writes_system);
  EXPECT_EQ(load.bytes, 4 * 120);
  const Transfer store = transfer(copy(ddr(shape), local(shape)));
  EXPECT_FALSE(store.reads_system);
  EXPECT_TRUE(store.writes_system);
  const Transfer inside = transfer(copy(local(shape), local(shape)));
  EXPECT_FALSE(inside.reads_system || inside.writes_system);
}

// The SDMA has a bandwidth of its own, or one between two; else that of moves inside DDR.
TEST(Transfer, OfTheSdmaRunsAtItsBandwidth) {
  OpSpec spec = kCopySpec;
  spec.engine = Engine::kSdma;
  const Op carry{"carry", "void", {}, spec, {}};
  Command command = copy(ddr({1, 1, 1, 25000}), ddr({1, 1, 1, 25000}));
  command.op = &carry;
  TimingParameters parameters = kParameters;
  parameters.inside_gbps = 4;
  EXPECT_TRUE(transfer(command).sdma);
  EXPECT_DOUBLE_EQ(command_time(command, parameters).duration_us, 25);
  EXPECT_DOUBLE_EQ(command_time(command, parameters).duration_high_us, 25);
  for (const double other : {20.0, 2.0}) {  // either side of it
    parameters.sdma_gbps = other;
    EXPECT_DOUBLE_EQ(command_time(command, parameters).duration_us, 100 / std::max(other, 4.0));
    EXPECT_DOUBLE_EQ(command_time(command, parameters).duration_high_us,
                     100 / std::min(other, 4.0));
  }
  EXPECT_FALSE(kernel_known(parameters));
  parameters.sdma_gbps = 20;
  parameters.total_gbps = 20;
  EXPECT_DOUBLE_EQ(shared_by(parameters, 4).sdma_gbps, 5) << "cores share DDR";
  parameters.inside_gbps = 0;
  EXPECT_TRUE(kernel_known(parameters));
  EXPECT_DOUBLE_EQ(command_time(command, parameters).duration_us, 5);
}

TEST(Transfer, RowsThatEndInsideABurstCountWhereAnNpuHasSeveral) {
  const auto misaligned = [](int channels, int columns) {
    const Shape4 shape{1, channels, 1, columns};
    return transfer(copy(local(shape), ddr(shape))).misaligned_rows;
  };
  EXPECT_TRUE(misaligned(130, 250));
  EXPECT_FALSE(misaligned(64, 250)) << "one in each";
  EXPECT_FALSE(misaligned(130, 256)) << "whole bursts";
  TimingParameters parameters = kParameters;
  const Transfer move{.reads_system = true, .bytes = 1000, .runs = 1, .misaligned_rows = true};
  const double plain = move_us(move, parameters);
  parameters.misaligned_rows = 1.7;
  EXPECT_DOUBLE_EQ(move_us(move, parameters), 1.7 * plain);
  EXPECT_DOUBLE_EQ(least_transfer_us(move, parameters), plain);
}

TEST(Transfer, RunsOfSystemMemoryMergeWhereStridesEqualTheLengthSoFar) {
  const Shape4 shape{2, 3, 4, 5};
  const auto runs = [&](const Stride4& stride) {
    return transfer(copy(ddr(shape), ddr(shape, stride))).runs;
  };
  EXPECT_EQ(runs({60, 20, 5, 1}), 1);
  EXPECT_EQ(runs({80, 20, 5, 1}), 2);
  EXPECT_EQ(runs({90, 30, 5, 1}), 2 * 3);
  EXPECT_EQ(runs({90, 30, 6, 1}), 2 * 3 * 4);
  EXPECT_EQ(runs({180, 60, 10, 2}), 2 * 3 * 4 * 5);
  // An extent of 1 has no stride that matters.
  EXPECT_EQ(transfer(copy(ddr({2, 1, 1, 5}), ddr({2, 1, 1, 5}, {5, 99, 77, 1}))).runs, 1);
}

TEST(Transfer, RunsOfLocalMemoryAreItsPlanesRowsOrElements) {
  const Shape4 shape{2, 3, 4, 5};
  const auto runs = [&](const Stride4& stride) {
    return transfer(copy(local(shape, stride), ddr(shape))).runs;
  };
  EXPECT_EQ(runs({32, 32, 5, 1}), 2 * 3);
  EXPECT_EQ(runs({32, 32, 8, 1}), 2 * 3 * 4);
  EXPECT_EQ(runs({64, 64, 10, 2}), 2 * 3 * 4 * 5);
  EXPECT_EQ(transfer(copy(local({2, 3, 1, 5}, {32, 32, 8, 1}), ddr({2, 3, 1, 5}))).runs, 2 * 3)
      << "one row has no distance to the next";
}

TEST(Transfer, MatricesRunByRowAndChannelAndWantMultiplesOf64Bytes) {
  const auto move = [](std::int64_t cols_per_channel, std::int64_t row_stride) {
    return transfer(copy(matrix_layout(kLocal, 0, 6, 40, cols_per_channel, Dtype::kFp32),
                         system_matrix_layout(0, 6, 40, row_stride, Dtype::kFp32)));
  };
  EXPECT_EQ(move(16, 48).runs, 6 * 3);
  EXPECT_EQ(move(16, 48).bytes, 6 * 40 * 4);
  EXPECT_FALSE(move(16, 48).misaligned);
  EXPECT_TRUE(move(15, 48).misaligned) << "columns of a channel";
  EXPECT_TRUE(move(16, 40).misaligned) << "row pitch in system memory";
}

TEST(CommandTime, ACopyTakesItsBytesOrItsRunsWhicheverIsLonger) {
  const auto us = [](const Transfer& move) {
    return command_time(copy(local({1, 1, 1, 1}), ddr({1, 1, 1, 1})), move, kParameters);
  };
  EXPECT_DOUBLE_EQ(us({.reads_system = true, .bytes = 20000, .runs = 1}).duration_us, 2);
  EXPECT_DOUBLE_EQ(us({.writes_system = true, .bytes = 20000, .runs = 1}).duration_us, 4);
  EXPECT_DOUBLE_EQ(
      us({.reads_system = true, .writes_system = true, .bytes = 20000, .runs = 1}).duration_us, 6);
  EXPECT_DOUBLE_EQ(us({.bytes = 20000, .runs = 1}).duration_us, 2);
  EXPECT_DOUBLE_EQ(
      us({.reads_system = true, .bytes = 20000, .runs = 1, .misaligned = true}).duration_us, 3);
  EXPECT_FALSE(us({.reads_system = true, .bytes = 20000, .runs = 1000}).limited_by_runs);
  const CommandTime short_runs = us({.reads_system = true, .bytes = 20000, .runs = 5000});
  EXPECT_DOUBLE_EQ(short_runs.duration_us, 10);
  EXPECT_TRUE(short_runs.limited_by_runs);
  EXPECT_EQ(short_runs.issue_us, 8) << "two commands of the engine";
}

// A fill has one operand, which it writes.
TEST(CommandTime, AFillWritesAtTheRateOfWrites) {
  Command fill = copy(ddr({1, 1, 50, 100}), ddr({1, 1, 1, 1}));
  fill.operand_storage.pop_back();
  EXPECT_DOUBLE_EQ(command_time(fill, kParameters).duration_us, 4);
}

// 0.5 us for every command and 1 us for 64 KiB, in proportion below.
TEST(CommandTime, ACopyPaysItsStartAndSmallOnesLessThanLargeOnes) {
  TimingParameters starting = kParameters;
  starting.transfer_start_us = 0.5;
  starting.small_transfer_us = 1;
  const auto time = [&](std::int64_t bytes) {
    return command_time(copy(local({1, 1, 1, 1}), ddr({1, 1, 1, 1})),
                        {.reads_system = true, .bytes = bytes, .runs = 1}, starting);
  };
  EXPECT_DOUBLE_EQ(time(32768).start_us, 1);
  EXPECT_DOUBLE_EQ(time(32768).duration_us, 1 + 3.2768);
  EXPECT_DOUBLE_EQ(time(1 << 20).start_us, 1.5);
  EXPECT_DOUBLE_EQ(time(1 << 20).duration_us, 1.5 + 104.8576);
}

// Where a chip has a bandwidth of its own for them, moves inside DDR do not pay both sides.
TEST(CommandTime, MovesInsideDdrHaveABandwidthWhereOneIsKnown) {
  TimingParameters inside = kParameters;
  inside.inside_gbps = 4;
  const Transfer move{.reads_system = true, .writes_system = true, .bytes = 20000, .runs = 1};
  EXPECT_DOUBLE_EQ(
      command_time(copy(ddr({1, 1, 1, 1}), ddr({1, 1, 1, 1})), move, inside).duration_us, 5);
  EXPECT_EQ(peak_gbps(move, inside), 4);
  EXPECT_DOUBLE_EQ(least_transfer_us(move, inside), 5);
  EXPECT_DOUBLE_EQ(least_transfer_us(move, kParameters), 6);
}

TEST(CommandTime, OtherEnginesPayTheStartOfTheirWork) {
  TimingParameters starting = kParameters;
  starting.start_matrix = 50;
  starting.start_vector = 7;
  Command command;
  command.op = &kProduct;
  const CommandTime time = command_time(command, starting);
  EXPECT_EQ(time.cycles, 1050);
  EXPECT_DOUBLE_EQ(time.start_us, 0.1);
}

// Where nobody knows what issuing costs there are two figures, and the lower one is the figure.
TEST(CommandTime, AnUnknownIssueIsARange) {
  TimingParameters unknown = kParameters;
  unknown.issue_us = 0;
  unknown.issue_high_us = 5;
  unknown.launch_high_us = 70;
  const CommandTime time = command_time(copy(local({1, 1, 1, 1}), ddr({1, 1, 1, 1})), unknown);
  EXPECT_EQ(time.issue_us, 0);
  EXPECT_EQ(time.issue_high_us, 10) << "two commands of the engine";
  EXPECT_DOUBLE_EQ(host_time_at_most_us(0, unknown) - host_time_us(0, unknown), 40);
  EXPECT_EQ(host_time_at_most_us(9, kParameters), host_time_us(9, kParameters));
}

TEST(CommandTime, OtherEnginesTakeTheCyclesOfTheirEntry) {
  Command command;
  command.op = &kProduct;
  const CommandTime time = command_time(command, kParameters);
  EXPECT_EQ(time.cycles, 1000);
  EXPECT_EQ(time.duration_us, 2);
  EXPECT_EQ(time.issue_us, 3) << "matrix products have a rate of their own";
}

TEST(HostTime, AddsTheLaunchAndALateWakeUpAfterLongKernels) {
  EXPECT_DOUBLE_EQ(host_time_us(0, kParameters), 30);
  EXPECT_DOUBLE_EQ(host_time_us(200, kParameters), 30 + 200 + 100 * (1 - std::exp(-1.0)));
  EXPECT_DOUBLE_EQ(host_time_us(1e6, kParameters), 30 + 1e6 + 100);
}

}  // namespace
}  // namespace tensorlane
