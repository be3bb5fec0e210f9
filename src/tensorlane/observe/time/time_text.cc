// What `tensorlane run --time` says of a launch, and of several.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tensorlane/base/language.h"
#include "tensorlane/device/source_location.h"
#include "tensorlane/observe/time/timeline.h"

namespace tensorlane::observe {
namespace {

constexpr std::size_t kShownLines = 3;  // of what bounds a launch, in the text

std::string direction_text(std::string_view name, const TimeSummary::Direction& direction,
                           double limit) {
  if (direction.bytes == 0) return {};
  return fmt::format("    {:<18} {}\n", translated(name),
                     tr("{:>12} bytes  {:>6.2f} GB/s of {:.1f}", direction.bytes,
                        static_cast<double>(direction.bytes) / (direction.busy_us * 1e3), limit));
}

double percent(double part, double whole) {
  return whole > 0 ? 100 * part / whole : 0;
}

// What a command may cost to issue before the processor bounds the launch.
double bearable_issue_us(const TimeSummary& summary, const TimingParameters& parameters) {
  const double engine = std::max(
      {summary.gdma_busy_us, summary.bdc_busy_us, summary.hau_busy_us, summary.sdma_busy_us});
  return parameters.issue_high_us * engine / summary.issue_high_us;
}

// What launch, issue and SDMA may cost where nothing public says, and what would bound the launch
// then.
std::string unknown_text(const Timeline& timeline, const TimeSummary& summary) {
  const TimingParameters& parameters = *timeline.parameters;
  std::string text;
  if (!parameters.issue_known()) {
    text += fmt::format(
        "    {:<18} {}\n", tr("issue unknown:"),
        tr_n("{1:.1f} to {2:.1f} us with {3:.2f} to {4:.2f} us for its {0} command",
             "{1:.1f} to {2:.1f} us with {3:.2f} to {4:.2f} us for each of its {0} commands",
             timeline.totals.commands, summary.kernel_us, summary.kernel_high_us,
             parameters.issue_us, parameters.issue_high_us));
    if (summary.bound != summary.bound_at_most)
      text += fmt::format(
          "    {:<18} {}\n", "",
          tr("bound by {} if a command costs more than {:.2f} us",
             translated(summary.bound_at_most), bearable_issue_us(summary, parameters)));
  }
  const SdmaRange sdma = sdma_range(parameters);
  if (!sdma.known() && summary.sdma_busy_us > 0) {
    text +=
        fmt::format("    {:<18} {}\n", tr("SDMA unknown:"),
                    tr("busy {:.1f} to {:.1f} us at {:.0f} to {:.0f} GB/s", summary.sdma_busy_us,
                       summary.sdma_busy_high_us, sdma.fast_gbps, sdma.slow_gbps));
  }
  if (!parameters.launch_known() || !parameters.issue_known()) {
    text += fmt::format(
        "    {:<18} {}\n", tr("as a host measures"),
        tr("{:.1f} to {:.1f} us, with {:.0f} to {:.0f} us per launch", summary.host_us,
           summary.host_high_us, parameters.launch_us,
           parameters.launch_known() ? parameters.launch_us : parameters.launch_high_us));
  }
  return text;
}

std::string bound_text(const TimeSummary& summary) {
  return in_turn(summary) ? tr("{} as GDMA and BDC work in turn", translated(summary.bound))
                          : std::string(translated(summary.bound));
}

std::string won_text(const Reason& reason, const TimeSummary& summary) {
  const double us = reason.lost_us, share = percent(us, summary.kernel_us);
  if (reason.alone_us == 0 && us == 0)
    return tr("takes {:.1f} us, {:.0f} %", reason.busy_us,
              percent(reason.busy_us, summary.kernel_us));
  if (std::abs(reason.alone_us - us) < 0.01 * summary.kernel_us)
    return tr("to win: {:.1f} us, {:.0f} %", us, share);
  return tr("to win: {:.1f} us alone, {:.1f} us more after those above, {:.0f} %", reason.alone_us,
            us, share);
}

std::string reasons_text(const Timeline& timeline) {
  const TimeSummary summary = summarise(timeline);
  std::string text;
  int number = 0;
  for (const Reason& reason : reasons(timeline)) {
    text += fmt::format("  {} ({})\n", tr("why {}: {}", ++number, reason.what),
                        won_text(reason, summary));
    if (reason.call_site != nullptr)
      text +=
          fmt::format("    {}\n", tr("most at {}", find_source_location(reason.call_site).text()));
    text += fmt::format("    {}\n", tr("what helps: {}", reason.help));
  }
  return text;
}

}  // namespace

// How far off the time may be, as far as somebody measured.
std::string error_text(const TimingParameters& parameters) {
  const bool compared = parameters.error_share > 0 && (parameters.mode == LaunchMode::kIssued ||
                                                       parameters.confirmed == Confirmed::kEngines);
  if (!compared) return tr("how far off is unknown");
  if (parameters.confirmed == Confirmed::kEngines)
    return tr("give or take {:.0f} % for commands like those compared",
              100 * parameters.error_share);
  return tr("give or take {:.0f} %", 100 * parameters.error_share);
}

std::string time_line(const Timeline& timeline) {
  const TimeSummary summary = summarise(timeline);
  const TimingParameters& parameters = *timeline.parameters;
  const bool known = parameters.issue_known() && parameters.launch_known();
  const std::string note = calibration_note(parameters);
  const std::string launch = timeline.failed
                                 ? tr("launch {}, until it failed", timeline.launch.number)
                                 : tr("launch {}", timeline.launch.number);
  const std::string time = tr("{:.1f} us = {:.0f} cycles at {:.0f} MHz", summary.kernel_us,
                              summary.kernel_us * parameters.clock_mhz, parameters.clock_mhz);
  std::string text =
      tr("modelled time of '{}' ({}), {}: {}", timeline.launch.kernel, launch,
         translated(launch_mode_text(parameters.mode)), known ? time : tr("engines {}", time));
  text = tr("{}, {}", text,
            timeline.launch.cores == 1
                ? error_text(parameters)
                : tr("on {} cores, engines those of a core on average, how far off is unknown",
                     timeline.launch.cores));
  text = tr("{}, {}", text, tr("bound by {}", bound_text(summary)));
  if (known) {
    text += summary.host_high_us > summary.host_us
                ? tr("; {:.1f} to {:.1f} us as a host measures it, as the SDMA is unknown",
                     summary.host_us, summary.host_high_us)
                : tr("; {:.1f} us as a host measures it", summary.host_us);
  }
  if (!note.empty()) text += tr("; {}", note);
  return text + "\n";
}

std::string time_text(const Timeline& timeline) {
  const TimeSummary summary = summarise(timeline);
  const TimingParameters& parameters = *timeline.parameters;
  std::string text = time_line(timeline);
  text += unknown_text(timeline, summary) + reasons_text(timeline);
  const auto share = [&](std::string_view name, double us) {
    return fmt::format("    {:<18} {:>12.1f} us  {:>5.1f} %\n", translated(name), us,
                       percent(us, summary.kernel_us));
  };
  text += share(msg("GDMA busy"), summary.gdma_busy_us) +
          share(msg("BDC busy"), summary.bdc_busy_us) +
          (summary.hau_busy_us > 0 ? share(msg("HAU busy"), summary.hau_busy_us) : "") +
          (summary.sdma_busy_us > 0 ? share(msg("SDMA busy"), summary.sdma_busy_us) : "") +
          share(msg("overlap"), summary.overlap_us);
  if (parameters.issue_known())
    text += share(msg("issuing"), summary.issue_us) +
            share(msg("waiting for issue"), summary.issue_wait_us);
  const double inside = parameters.inside_gbps > 0 ? parameters.inside_gbps : parameters.read_gbps;
  text += direction_text(msg("DDR to local"), summary.read, parameters.read_gbps) +
          direction_text(msg("local to DDR"), summary.write, parameters.write_gbps) +
          direction_text(msg("DDR to DDR"), summary.inside_system, inside) +
          direction_text(msg("inside local"), summary.inside_local, parameters.read_gbps) +
          direction_text(msg("by the SDMA"), summary.sdma, sdma_range(parameters).fast_gbps);
  text +=
      fmt::format("    {:<18} {:>12.1f} %\n", tr("EU utilisation"), 100 * summary.eu_utilisation);
  const auto won = [&](std::string_view name, double us) {
    return us < 0.05 ? std::string()
                     : fmt::format("    {:<18} {}\n", translated(name),
                                   tr("{:>12.1f} us could be won", us));
  };
  text += won(msg("NPUs idle: C"), summary.idle_npus_us) +
          won(msg("units idle: h*w"), summary.idle_units_us) + won(msg("starts"), summary.start_us);
  if (summary.operations_per_byte > 0) {
    text += fmt::format("    {:<18} {}\n", tr("roofline"),
                        tr("{:>12.3g} operations per byte of DDR, {:.3g} would balance both",
                           summary.operations_per_byte, summary.balanced_operations_per_byte));
  }
  text += fmt::format("    {:<18} {}\n", tr("bound by"), bound_text(summary));
  std::vector<LineTime> lines = bounding_lines(timeline);
  if (lines.size() > kShownLines) lines.resize(kShownLines);
  for (const LineTime& line : lines) {
    const double us = held_us(line, summary);
    const std::string roofline = roofline_text(line);
    text +=
        fmt::format("      {:>14.1f} us  {:>5.1f} %  {}{}\n", us, percent(us, summary.kernel_us),
                    tr("{} at {}", line.op->name(), find_source_location(line.call_site).text()),
                    roofline.empty() ? "" : ": " + roofline);
  }
  return text;
}

}  // namespace tensorlane::observe
