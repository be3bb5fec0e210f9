#include "tensorlane/observe/time/profile.h"

#include <algorithm>
#include <functional>

#include "tensorlane/device/source_location.h"

namespace tensorlane::observe {
namespace {

Json direction_json(const TimeSummary::Direction& direction) {
  return {{"bytes", direction.bytes}, {"busy_us", direction.busy_us}};
}

Json calibration_json(const TimingParameters& parameters, const Chip& chip) {
  Json unknown = Json::array();
  if (!parameters.launch_known()) unknown.push_back("launch");
  if (!parameters.issue_known()) unknown.push_back("issue");
  if (!sdma_range(parameters).known()) unknown.push_back("SDMA");
  return {{"state", confirmed_name(parameters.confirmed)},
          {"text", calibration_text(parameters)},
          {"unknown", unknown},
          {"on_one_group", on_one_group(chip)}};
}

Json profile_of(const Timeline& timeline, std::string_view key, std::uint64_t number) {
  const TimeSummary summary = summarise(timeline);
  Json result = {
      {"kernel", timeline.launch.kernel},
      {key, number},
      {"chip", timeline.launch.chip->name},
      {"calibrated", timeline.parameters->confirmed == Confirmed::kLaunches},
      {"calibration", calibration_json(*timeline.parameters, *timeline.launch.chip)},
      {"launch_mode", launch_mode_name(timeline.parameters->mode)},
      {"cores", timeline.launch.cores},
      {"clock_mhz", timeline.parameters->clock_mhz},
      {"failed", timeline.failed},
      {"modelled_us", summary.kernel_us},
      {"modelled_host_us", summary.host_us},
      {"modelled_at_most_us", summary.kernel_high_us},
      {"modelled_host_at_most_us", summary.host_high_us},
      {"gdma_busy_us", summary.gdma_busy_us},
      {"bdc_busy_us", summary.bdc_busy_us},
      {"hau_busy_us", summary.hau_busy_us},
      {"sdma_busy_us", summary.sdma_busy_us},
      {"sdma_busy_at_most_us", summary.sdma_busy_high_us},
      {"overlap_us", summary.overlap_us},
      {"issue_us", summary.issue_us},
      {"issue_at_most_us", summary.issue_high_us},
      {"issue_wait_us", summary.issue_wait_us},
      {"bound_by", summary.bound},
      {"bound_by_at_most", summary.bound_at_most},
      {"could_be_won_us",
       {{"idle_npus", summary.idle_npus_us},
        {"idle_units", summary.idle_units_us},
        {"starts", summary.start_us}}},
      {"operations_per_byte", summary.operations_per_byte},
      {"balanced_operations_per_byte", summary.balanced_operations_per_byte},
      {"eu_utilisation", summary.eu_utilisation},
      {"ddr_to_local", direction_json(summary.read)},
      {"local_to_ddr", direction_json(summary.write)},
      {"ddr_to_ddr", direction_json(summary.inside_system)},
      {"inside_local", direction_json(summary.inside_local)},
      {"sdma", direction_json(summary.sdma)},
  };
  result["why"] = Json::array();
  for (const Reason& reason : reasons(timeline, kCauses + 1)) {
    result["why"].push_back(
        {{"id", reason.id},
         {"what", reason.what},
         {"busy_us", reason.busy_us},
         {"lost_us", reason.lost_us},
         {"alone_us", reason.alone_us},
         {"at", reason.call_site == nullptr ? "" : find_source_location(reason.call_site).text()},
         {"help", reason.help}});
  }
  result["lines"] = Json::array();
  std::vector<const TimeTotals::Line*> lines;
  for (const TimeTotals::Line& line : timeline.totals.lines) lines.push_back(&line);
  std::ranges::stable_sort(lines, std::greater(),
                           [](const TimeTotals::Line* line) { return line->time.busy_us; });
  for (const TimeTotals::Line* const all : lines) {
    const LineTime& line = all->time;
    const SourceLocation at = find_source_location(line.call_site);
    const Reason reason = line_reason(*all, summary);
    result["lines"].push_back({{"file", at.path()},
                               {"line", at.line},
                               {"function", at.function},
                               {"at", at.text()},
                               {"call", line.op->name()},
                               {"engine", engine_name(line.op->engine())},
                               {"calls", line.calls},
                               {"modelled_us", line.busy_us},
                               {"issue_us", line.issue_us},
                               {"issue_wait_us", line.issue_wait_us},
                               {"bytes", line.bytes},
                               {"peak_gbps", line.peak_gbps()},
                               {"operations", line.operations},
                               {"operations_per_byte", line.intensity()},
                               {"peak_gops", line.peak_gops()},
                               {"held_us", reason.busy_us},
                               {"what", reason.what},
                               {"help", reason.help}});
  }
  return result;
}

}  // namespace

Json profile_json(const Timeline& timeline) {
  return profile_of(timeline, "launch", timeline.launch.number);
}

Json profile_json(const Timeline& sum, std::uint64_t launches) {
  return profile_of(sum, "launches", launches);
}

void Profile::add(const Timeline& timeline) {
  if (count_ < kMostLaunches) {
    ++count_;
    launches_.push_back(profile_json(timeline));
  }
  Kernel& kernel = kernels_[timeline.launch.kernel];
  if (kernel.launches++ == 0) {
    kernel.sum.launch = timeline.launch;
    kernel.sum.launch.args = {};
    kernel.sum.parameters = timeline.parameters;
  }
  kernel.sum.kernel_us += timeline.kernel_us;
  kernel.sum.kernel_high_us += timeline.kernel_high_us;
  const TimeSummary summary = summarise(timeline);
  kernel.host_us += summary.host_us;
  kernel.host_high_us += summary.host_high_us;
  kernel.sum.failed = kernel.sum.failed || timeline.failed;
  kernel.sum.totals.merge(timeline.totals);
  kernel.sum.verdict.merge(timeline.verdict);
}

Json Profile::json() const {
  Json kernels = Json::array();
  for (const auto& [name, kernel] : kernels_) {
    Json entry = profile_json(kernel.sum, kernel.launches);
    entry["modelled_host_us"] = kernel.host_us;
    entry["modelled_host_at_most_us"] = kernel.host_high_us;
    kernels.push_back(entry);
  }
  return {{"schema_version", kSchemaVersion}, {"launches", launches_}, {"kernels", kernels}};
}

}  // namespace tensorlane::observe
