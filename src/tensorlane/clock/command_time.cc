#include "tensorlane/clock/command_time.h"

#include <algorithm>
#include <cmath>

#include "tensorlane/base/error.h"
#include "tensorlane/ops/engines.h"

namespace tensorlane {
namespace {

constexpr std::int64_t kBurst = 64;  // bytes

// Contiguous pieces of a tensor in system memory: dimensions merge while the stride equals the
// length so far.
std::int64_t system_runs(const Layout& layout) {
  std::int64_t length = layout.element_units();
  int d = layout.rank() - 1;
  for (; d >= 0; --d) {
    if (layout.extent(d) != 1 && layout.digits(d)[0].stride != length) break;
    length *= layout.extent(d);
  }
  std::int64_t runs = 1;
  for (; d >= 0; --d) runs *= layout.extent(d);
  return runs;
}

// Local memory: one piece per batch and channel when its rows are dense, else per row or element;
// of a matrix one piece per row and channel.
std::int64_t local_runs(const Layout& layout) {
  if (layout.rank() == 2) {
    return layout.extent(0) * ceil_div(layout.extent(1), layout.digits(1)[0].extent);
  }
  const std::int64_t unit = layout.element_units();
  const std::int64_t planes = layout.extent(0) * layout.extent(1);
  const bool dense_w = layout.extent(3) == 1 || layout.digits(3).back().stride == unit;
  const bool dense_h =
      layout.extent(2) == 1 || layout.digits(2).back().stride == layout.extent(3) * unit;
  if (dense_w && dense_h) return planes;
  return planes * layout.extent(2) * (dense_w ? 1 : layout.extent(3));
}

bool misaligned_matrix(const Command& command) {
  for (const Operand& operand : command.operands()) {
    const Layout& layout = operand.layout;
    if (layout.rank() != 2) continue;
    // The row pitch in system memory, the columns of a channel in local memory.
    const std::int64_t piece = operand.space == Space::kLocal
                                   ? layout.digits(1)[0].extent * layout.element_units()
                                   : layout.digits(0)[0].stride;
    if (piece % kBurst != 0) return true;
  }
  return false;
}

// Pieces of a tensor in local memory that are no multiple of a burst, more than one in an NPU.
bool misaligned_rows(const Operand& operand, int npus) {
  const Layout& layout = operand.layout;
  if (operand.space != Space::kLocal || layout.rank() != 4) return false;
  const std::int64_t pieces = local_runs(layout);
  return pieces > npus && layout.size() * layout.element_units() / pieces % kBurst != 0;
}

double start_cycles(Work work, const TimingParameters& parameters) {
  switch (work) {
    case Work::kVector:
    case Work::kIndexed:
      return parameters.start_vector;
    case Work::kSpecial:
      return parameters.start_special;
    case Work::kConvolution:
      return parameters.start_convolution;
    case Work::kMatrix:
      return parameters.start_matrix;
  }
  return 0;
}

// Processor time of one of its engine commands.
double issue_us(const Command& command, const TimingParameters& parameters) {
  if (command.op->spec().work == Work::kMatrix) return parameters.issue_matmul_us;
  const bool moves = is_dma(command.engine()) && parameters.issue_gdma_us > 0;
  return moves ? parameters.issue_gdma_us : parameters.issue_us;
}

// The larger of what the bytes take and what the runs take, on every side that is paid.
double stream_us(const Transfer& move, double bytes, double runs,
                 const TimingParameters& parameters) {
  const auto side = [&](double gbps) {
    return std::max(bytes / (gbps * 1e3), runs * parameters.run_ns * 1e-3);
  };
  if (move.sdma && parameters.sdma_gbps > 0) return side(sdma_range(parameters).fast_gbps);
  if (move.writes_system && move.reads_system && parameters.inside_gbps == 0)
    return side(parameters.read_gbps) + side(parameters.write_gbps);
  return side(peak_gbps(move, parameters));
}

}  // namespace

Transfer transfer(const Command& command) {
  Transfer result;
  for (const Operand& operand : command.operands()) {
    const bool system = operand.space != Space::kLocal;
    if (operand.writes()) {
      result.bytes = operand.layout.size() * operand.layout.element_units();
      result.writes_system = system;
    } else {
      result.reads_system = system;
    }
    result.runs =
        std::max(result.runs, system ? system_runs(operand.layout) : local_runs(operand.layout));
  }
  result.sdma = command.engine() == Engine::kSdma;
  result.misaligned = misaligned_matrix(command);
  const auto in_l2 = [](const Operand& operand) { return operand.space == Space::kL2; };
  result.l2 =
      result.reads_system != result.writes_system && std::ranges::any_of(command.operands(), in_l2);
  result.misaligned_rows = std::ranges::any_of(command.operands(), [&](const Operand& operand) {
    return misaligned_rows(operand, command.chip->local.npus);
  });
  return result;
}

CommandTime command_time(const Command& command, const TimingParameters& parameters) {
  return command_time(command, is_dma(command.engine()) ? transfer(command) : Transfer{},
                      parameters);
}

SdmaRange sdma_range(const TimingParameters& parameters) {
  const double inside = parameters.inside_gbps, other = parameters.sdma_gbps;
  if (other <= 0) return {inside, inside};
  return inside <= 0 ? SdmaRange{other, other}
                     : SdmaRange{std::max(inside, other), std::min(inside, other)};
}

bool kernel_known(const TimingParameters& parameters) {
  return parameters.issue_known() && sdma_range(parameters).known();
}

double peak_gbps(const Transfer& move, const TimingParameters& parameters) {
  if (move.sdma && parameters.sdma_gbps > 0) return sdma_range(parameters).fast_gbps;
  if (move.writes_system && move.reads_system && parameters.inside_gbps > 0)
    return parameters.inside_gbps;
  if (move.l2 && parameters.l2_gbps > 0) return parameters.l2_gbps;
  return move.writes_system && !move.reads_system ? parameters.write_gbps : parameters.read_gbps;
}

double misalignment(const Transfer& move, const TimingParameters& parameters) {
  double factor = 1;
  if (move.misaligned) factor = std::max(factor, parameters.misaligned_matrix);
  if (move.misaligned_rows && parameters.misaligned_rows > 0)
    factor = std::max(factor, parameters.misaligned_rows);
  return factor;
}

double move_us(const Transfer& move, const TimingParameters& parameters, BetterMove better) {
  const double factor = better.aligned ? 1 : misalignment(move, parameters);
  return stream_us(move, static_cast<double>(move.bytes) * factor,
                   better.full_runs ? 0 : static_cast<double>(move.runs), parameters);
}

double least_transfer_us(const Transfer& move, const TimingParameters& parameters) {
  return move_us(move, parameters, {.full_runs = true, .aligned = true});
}

CommandTime command_time(const Command& command, const Transfer& move,
                         const TimingParameters& parameters) {
  CommandTime time;
  const OpSpec& spec = command.op->spec();
  time.issue_us = spec.issue_commands * issue_us(command, parameters);
  time.issue_high_us =
      parameters.issue_known() ? time.issue_us : spec.issue_commands * parameters.issue_high_us;
  if (!is_dma(command.engine())) {
    TL_INTERNAL_CHECK(spec.cycles);
    const double start = start_cycles(spec.work, parameters);
    time.cycles = start + spec.cycles(command, parameters) *
                              (spec.work == Work::kSpecial ? parameters.special_factor : 1);
    time.start_us = start / parameters.clock_mhz;
    time.duration_us = time.duration_high_us = time.cycles / parameters.clock_mhz;
    return time;
  }
  const auto bytes = static_cast<double>(move.bytes);
  time.start_us = parameters.transfer_start_us +
                  parameters.small_transfer_us * std::min(1.0, bytes / kSmallTransfer);
  const double stream = move_us(move, parameters);
  time.limited_by_runs = stream > move_us(move, parameters, {.full_runs = true});
  time.duration_us = time.duration_high_us = time.start_us + stream;
  if (move.sdma && !sdma_range(parameters).known()) {
    TimingParameters slowest = parameters;
    slowest.sdma_gbps = slowest.inside_gbps = sdma_range(parameters).slow_gbps;
    time.duration_high_us = time.start_us + move_us(move, slowest);
  }
  return time;
}

namespace {

double completion_us(double kernel_us, const TimingParameters& parameters) {
  if (parameters.completion_us == 0) return 0;
  const double scaled = kernel_us / parameters.completion_scale_us;
  return parameters.completion_us * (1 - std::exp(-scaled * scaled));
}

}  // namespace

double host_time_us(double kernel_us, const TimingParameters& parameters, int cores) {
  return parameters.launch_us + (cores - 1) * parameters.launch_core_us + kernel_us +
         completion_us(kernel_us, parameters);
}

double host_time_at_most_us(double kernel_us, const TimingParameters& parameters, int cores) {
  const double more =
      parameters.launch_known() ? 0 : parameters.launch_high_us - parameters.launch_us;
  return host_time_us(kernel_us, parameters, cores) + more;
}

}  // namespace tensorlane
