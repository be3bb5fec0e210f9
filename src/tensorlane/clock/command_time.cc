#include "tensorlane/clock/command_time.h"

#include <algorithm>
#include <cmath>

#include "tensorlane/base/error.h"

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

double side_us(double bytes, double runs, double gbps, double run_ns) {
  return std::max(bytes / (gbps * 1e3), runs * run_ns * 1e-3);
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
  result.misaligned = misaligned_matrix(command);
  return result;
}

CommandTime command_time(const Command& command, const TimingParameters& parameters) {
  return command_time(command, command.engine() == Engine::kGdma ? transfer(command) : Transfer{},
                      parameters);
}

CommandTime command_time(const Command& command, const Transfer& move,
                         const TimingParameters& parameters) {
  CommandTime time;
  const bool matrix_product = command.op->spec().matrix_product;
  time.issue_us = command.op->spec().issue_commands *
                  (matrix_product ? parameters.issue_matmul_us : parameters.issue_us);
  if (command.engine() != Engine::kGdma) {
    TL_INTERNAL_CHECK(command.op->spec().cycles);
    time.cycles = command.op->spec().cycles(command, parameters);
    time.duration_us = time.cycles / parameters.clock_mhz;
    return time;
  }
  const double bytes =
      static_cast<double>(move.bytes) * (move.misaligned ? parameters.misaligned_matrix : 1);
  const auto runs = static_cast<double>(move.runs);
  const auto side = [&](double gbps) { return side_us(bytes, runs, gbps, parameters.run_ns); };
  if (move.writes_system && move.reads_system) {
    time.duration_us = side(parameters.read_gbps) + side(parameters.write_gbps);
  } else {
    time.duration_us = side(move.writes_system && !move.reads_system && command.operand_count > 1
                                ? parameters.write_gbps
                                : parameters.read_gbps);
  }
  time.limited_by_runs = runs * parameters.run_ns * 1e-3 > bytes / (parameters.read_gbps * 1e3);
  return time;
}

double host_time_us(double kernel_us, const TimingParameters& parameters) {
  const double scaled = kernel_us / parameters.completion_scale_us;
  return parameters.launch_us + kernel_us +
         parameters.completion_us * (1 - std::exp(-scaled * scaled));
}

}  // namespace tensorlane
