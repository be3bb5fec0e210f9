#include "tensorlane/observe/time/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "tensorlane/base/language.h"
#include "tensorlane/chip/cycle_sources.h"
#include "tensorlane/ops/engines.h"

namespace tensorlane::observe {
namespace {

// What wins most where it costs nothing; where nothing wins a hundredth, as both engines have work
// all the time, what is busy longest.
std::string_view bound_of(const std::array<double, kBounds>& free_us, const TimeSummary& summary,
                          double issue_us) {
  constexpr std::array<std::string_view, kBounds> kNames = {"GDMA", "BDC", "HAU", "SDMA",
                                                            msg("issue")};
  const std::array<double, kBounds> busy = {summary.gdma_busy_us, summary.bdc_busy_us,
                                            summary.hau_busy_us, summary.sdma_busy_us, issue_us};
  const bool won = *std::ranges::max_element(free_us) > 0.01 * summary.kernel_us;
  // The processor before others that are as long, as they may have nothing to do.
  std::size_t most = kBounds - 1;
  for (std::size_t k = 0; k + 1 < kBounds; ++k) {
    const auto key = [&](std::size_t at) {
      return won ? std::pair(free_us[at], busy[at]) : std::pair(busy[at], free_us[at]);
    };
    if (key(k) > key(most)) most = k;
  }
  return kNames[most];
}

}  // namespace

TimeSummary summarise(const Timeline& timeline) {
  const TimeTotals& totals = timeline.totals;
  const TimingParameters& parameters = *timeline.parameters;
  const double of_each = 1.0 / timeline.launch.cores;  // of several cores those of one on average
  TimeSummary summary = {
      .cores = timeline.launch.cores,
      .kernel_us = timeline.kernel_us,
      .host_us = host_time_us(timeline.kernel_us, parameters, timeline.launch.cores),
      .kernel_high_us = std::max(timeline.kernel_us, timeline.kernel_high_us),
      .gdma_busy_us = totals.gdma_busy_us * of_each,
      .bdc_busy_us = totals.bdc_busy_us * of_each,
      .hau_busy_us = totals.hau_busy_us * of_each,
      .sdma_busy_us = totals.sdma_busy_us * of_each,
      .sdma_busy_high_us = totals.sdma_busy_high_us * of_each,
      .overlap_us = totals.overlap_us * of_each,
      .issue_us = totals.issue_us * of_each,
      .issue_high_us = totals.issue_high_us * of_each,
      .issue_wait_us = totals.issue_wait_us * of_each,
      .read = totals.read,
      .write = totals.write,
      .inside_system = totals.inside_system,
      .inside_local = totals.inside_local,
      .sdma = totals.sdma,
      .eu_utilisation =
          timeline.kernel_us > 0 ? totals.useful_bdc_us * of_each / timeline.kernel_us : 0,
      .idle_npus_us = timeline.verdict.idle_npus_us,
      .idle_units_us = timeline.verdict.idle_units_us,
      .start_us = timeline.verdict.starts_us};
  summary.bound = bound_of(timeline.verdict.free_us, summary, summary.issue_us);
  summary.bound_at_most = bound_of(timeline.verdict.free_high_us, summary, summary.issue_high_us);
  summary.host_high_us =
      host_time_at_most_us(summary.kernel_high_us, parameters, timeline.launch.cores);
  double work_us = 0, ddr_us = 0;
  for (const TimeTotals::Line& line : totals.lines) {
    work_us += line.time.least_work_us;
    ddr_us += line.time.least_move_us;
  }
  const auto ddr_bytes =
      static_cast<double>(summary.read.bytes + summary.write.bytes +
                          2 * (summary.inside_system.bytes + summary.sdma.bytes));
  if (ddr_bytes > 0) summary.operations_per_byte = totals.operations / ddr_bytes;
  if (work_us > 0 && ddr_bytes > 0)
    summary.balanced_operations_per_byte = totals.operations / work_us * ddr_us / ddr_bytes;
  return summary;
}

std::vector<LineTime> time_by_line(const Timeline& timeline) {
  std::vector<LineTime> lines;
  for (const TimeTotals::Line& line : timeline.totals.lines) lines.push_back(line.time);
  std::ranges::stable_sort(
      lines, [](const LineTime& a, const LineTime& b) { return a.busy_us > b.busy_us; });
  return lines;
}

std::string roofline_text(const LineTime& line) {
  if (line.busy_us <= 0) return {};
  if (is_dma(line.op->engine())) {
    return tr("{:.1f} of {:.1f} GB/s", static_cast<double>(line.bytes) / line.busy_us / 1e3,
              line.peak_gbps());
  }
  if (line.least_work_us <= 0) return {};
  return tr("{:.3g} operations per byte, {:.4g} of {:.4g} Gop/s", line.intensity(),
            line.operations / line.busy_us / 1e3, line.peak_gops());
}

std::vector<std::string> on_one_group(const Chip& chip) {
  std::vector<std::string> names;
  for (const TimingParameterRow& row : timing_parameter_rows()) {
    const TimingSource* const source = chip.source(row.value);
    if (source != nullptr && source->groups == 1) names.emplace_back(row.name);
  }
  for (const CycleSource& each : cycle_sources(chip)) {
    if (each.groups == 1) names.emplace_back(each.function);
  }
  return names;
}

std::string one_group_note(const Chip& chip) {
  std::string list;
  for (const std::string& name : on_one_group(chip))
    list = list.empty() ? std::string(translated(name)) : tr("{}, {}", list, translated(name));
  return list.empty()
             ? list
             : tr("these rest on one published row, or one group of rows, alone: {}", list);
}

std::string calibration_note(const TimingParameters& parameters) {
  if (parameters.confirmed == Confirmed::kLaunches) return {};
  const std::string text = calibration_text(parameters);
  if (parameters.launch_known() && parameters.issue_known()) return text;
  return parameters.issue_known()    ? tr("{}; the launch is unknown here", text)
         : parameters.launch_known() ? tr("{}; the issue is unknown here", text)
                                     : tr("{}; launch and issue are unknown here", text);
}

}  // namespace tensorlane::observe
