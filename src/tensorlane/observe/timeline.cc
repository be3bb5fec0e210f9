#include "tensorlane/observe/timeline.h"

#include <fmt/format.h>

#include <algorithm>

#include "tensorlane/device/source_location.h"
#include "tensorlane/json/json.h"

namespace tensorlane::observe {
namespace {

std::string direction_text(std::string_view name, const TimeSummary::Direction& direction,
                           double limit) {
  if (direction.bytes == 0) return {};
  return fmt::format("    {:<18} {:>12} bytes  {:>6.2f} GB/s of {:.1f}\n", name, direction.bytes,
                     static_cast<double>(direction.bytes) / (direction.busy_us * 1e3), limit);
}

double percent(double part, double whole) {
  return whole > 0 ? 100 * part / whole : 0;
}

Json direction_json(const TimeSummary::Direction& direction) {
  return {{"bytes", direction.bytes}, {"busy_us", direction.busy_us}};
}

}  // namespace

TimeSummary summarise(const Timeline& timeline) {
  const TimeTotals& totals = timeline.totals;
  return {.kernel_us = timeline.kernel_us,
          .host_us = host_time_us(timeline.kernel_us, *timeline.parameters),
          .gdma_busy_us = totals.gdma_busy_us,
          .bdc_busy_us = totals.bdc_busy_us,
          .hau_busy_us = totals.hau_busy_us,
          .overlap_us = totals.overlap_us,
          .issue_us = totals.issue_us,
          .issue_wait_us = totals.issue_wait_us,
          .read = totals.read,
          .write = totals.write,
          .inside_system = totals.inside_system,
          .inside_local = totals.inside_local,
          .eu_utilisation = timeline.kernel_us > 0 ? totals.useful_bdc_us / timeline.kernel_us : 0};
}

std::string_view bound_by(const TimeSummary& summary) {
  const double longest = std::max({summary.gdma_busy_us, summary.bdc_busy_us, summary.hau_busy_us});
  if (summary.issue_us >= longest) return "issue";
  if (summary.hau_busy_us == longest) return "HAU";
  return summary.gdma_busy_us == longest ? "GDMA" : "BDC";
}

std::vector<Reason> reasons(const Timeline& timeline, std::size_t most) {
  const TimeSummary summary = summarise(timeline);
  const std::vector<TimeTotals::Line>& lines = timeline.totals.lines;
  std::vector<Reason> all;
  for (std::size_t k = 0; k < kCauses; ++k) {
    Reason reason{std::string(causes[k].what), 0, nullptr, std::string(causes[k].help),
                  causes[k].engine};
    double largest = 0;
    for (const TimeTotals::Line& line : lines) {
      reason.lost_us += line.lost_us[k];
      if (line.lost_us[k] <= largest) continue;
      largest = line.lost_us[k];
      reason.call_site = line.time.call_site;
    }
    all.push_back(std::move(reason));
  }
  all[kSerial].lost_us = std::min(summary.gdma_busy_us, summary.bdc_busy_us) - summary.overlap_us;
  // However fast one engine became, the other would still need its time.
  for (Reason& reason : all) {
    if (reason.engine == Engine::kNone) continue;
    const double other =
        reason.engine == Engine::kGdma ? summary.bdc_busy_us : summary.gdma_busy_us;
    reason.lost_us = std::min(reason.lost_us, timeline.kernel_us - other);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Reason& a, const Reason& b) { return a.lost_us > b.lost_us; });
  std::erase_if(all,
                [&](const Reason& reason) { return reason.lost_us < 0.02 * timeline.kernel_us; });
  if (all.size() > most) all.resize(most);
  return all;
}

std::vector<LineTime> time_by_line(const Timeline& timeline) {
  std::vector<LineTime> lines;
  for (const TimeTotals::Line& line : timeline.totals.lines) lines.push_back(line.time);
  std::ranges::stable_sort(
      lines, [](const LineTime& a, const LineTime& b) { return a.busy_us > b.busy_us; });
  return lines;
}

std::string_view calibration_note(const TimingParameters& parameters) {
  return parameters.calibrated ? ""
                               : "uncalibrated: from public facts, never compared with a board";
}

std::string time_text(const Timeline& timeline) {
  const TimeSummary summary = summarise(timeline);
  const TimingParameters& parameters = *timeline.parameters;
  std::string text = fmt::format(
      "modelled time of '{}' (launch {}{}): {:.1f} us = {:.0f} cycles at {:.0f} MHz; {:.1f} us as "
      "a "
      "host measures it{}\n",
      timeline.launch.kernel, timeline.launch.number, timeline.failed ? ", until it failed" : "",
      summary.kernel_us, summary.kernel_us * parameters.clock_mhz, parameters.clock_mhz,
      summary.host_us,
      parameters.calibrated ? "" : fmt::format("; {}", calibration_note(parameters)));
  const auto share = [&](std::string_view name, double us) {
    return fmt::format("    {:<18} {:>12.1f} us  {:>5.1f} %\n", name, us,
                       percent(us, summary.kernel_us));
  };
  text += share("GDMA busy", summary.gdma_busy_us) + share("BDC busy", summary.bdc_busy_us) +
          (summary.hau_busy_us > 0 ? share("HAU busy", summary.hau_busy_us) : "") +
          share("overlap", summary.overlap_us) + share("issuing", summary.issue_us) +
          share("waiting for issue", summary.issue_wait_us);
  text += direction_text("DDR to local", summary.read, parameters.read_gbps) +
          direction_text("local to DDR", summary.write, parameters.write_gbps) +
          direction_text("DDR to DDR", summary.inside_system, parameters.read_gbps) +
          direction_text("inside local", summary.inside_local, parameters.read_gbps);
  text += fmt::format("    {:<18} {:>12.1f} %\n", "EU utilisation", 100 * summary.eu_utilisation);
  text += fmt::format("    {:<18} {:>12}\n", "bound by", bound_by(summary));
  int number = 0;
  for (const Reason& reason : reasons(timeline)) {
    text += fmt::format("  why {}: {} ({:.1f} us, {:.0f} %)\n", ++number, reason.what,
                        reason.lost_us, percent(reason.lost_us, summary.kernel_us));
    if (reason.call_site != nullptr)
      text += fmt::format("    most at {}\n", find_source_location(reason.call_site).text());
    text += fmt::format("    what helps: {}\n", reason.help);
  }
  return text;
}

namespace {

Json profile_of(const Timeline& timeline, std::string_view key, std::uint64_t number) {
  const TimeSummary summary = summarise(timeline);
  Json result = {
      {"kernel", timeline.launch.kernel},
      {key, number},
      {"chip", timeline.launch.chip->name},
      {"calibrated", timeline.parameters->calibrated},
      {"clock_mhz", timeline.parameters->clock_mhz},
      {"failed", timeline.failed},
      {"modelled_us", summary.kernel_us},
      {"modelled_host_us", summary.host_us},
      {"gdma_busy_us", summary.gdma_busy_us},
      {"bdc_busy_us", summary.bdc_busy_us},
      {"hau_busy_us", summary.hau_busy_us},
      {"overlap_us", summary.overlap_us},
      {"issue_us", summary.issue_us},
      {"issue_wait_us", summary.issue_wait_us},
      {"bound_by", bound_by(summary)},
      {"eu_utilisation", summary.eu_utilisation},
      {"ddr_to_local", direction_json(summary.read)},
      {"local_to_ddr", direction_json(summary.write)},
      {"ddr_to_ddr", direction_json(summary.inside_system)},
      {"inside_local", direction_json(summary.inside_local)},
  };
  result["why"] = Json::array();
  for (const Reason& reason : reasons(timeline, 6)) {
    result["why"].push_back(
        {{"what", reason.what},
         {"lost_us", reason.lost_us},
         {"at", reason.call_site == nullptr ? "" : find_source_location(reason.call_site).text()},
         {"help", reason.help}});
  }
  result["lines"] = Json::array();
  for (const LineTime& line : time_by_line(timeline)) {
    const SourceLocation at = find_source_location(line.call_site);
    result["lines"].push_back({{"file", at.file},
                               {"line", at.line},
                               {"function", at.function},
                               {"call", line.op->name()},
                               {"engine", engine_name(line.op->engine())},
                               {"calls", line.calls},
                               {"modelled_us", line.busy_us},
                               {"issue_us", line.issue_us},
                               {"issue_wait_us", line.issue_wait_us},
                               {"bytes", line.bytes}});
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

}  // namespace tensorlane::observe
