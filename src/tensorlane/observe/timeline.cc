#include "tensorlane/observe/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "tensorlane/base/language.h"
#include "tensorlane/device/source_location.h"
#include "tensorlane/json/json.h"
#include "tensorlane/ops/entry_text.h"

namespace tensorlane::observe {
namespace {

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

constexpr std::size_t kShownLines = 3;  // of what bounds a launch, in the text

Json direction_json(const TimeSummary::Direction& direction) {
  return {{"bytes", direction.bytes}, {"busy_us", direction.busy_us}};
}

}  // namespace

TimeSummary summarise(const Timeline& timeline) {
  const TimeTotals& totals = timeline.totals;
  const TimingParameters& parameters = *timeline.parameters;
  TimeSummary summary = {
      .kernel_us = timeline.kernel_us,
      .host_us = host_time_us(timeline.kernel_us, parameters),
      .kernel_high_us = std::max(timeline.kernel_us, timeline.kernel_high_us),
      .gdma_busy_us = totals.gdma_busy_us,
      .bdc_busy_us = totals.bdc_busy_us,
      .hau_busy_us = totals.hau_busy_us,
      .overlap_us = totals.overlap_us,
      .issue_us = totals.issue_us,
      .issue_high_us = totals.issue_high_us,
      .issue_wait_us = totals.issue_wait_us,
      .read = totals.read,
      .write = totals.write,
      .inside_system = totals.inside_system,
      .inside_local = totals.inside_local,
      .eu_utilisation = timeline.kernel_us > 0 ? totals.useful_bdc_us / timeline.kernel_us : 0,
      .start_us = totals.start_us};
  summary.host_high_us = host_time_at_most_us(summary.kernel_high_us, parameters);
  double work_us = 0, ddr_us = 0;
  for (const TimeTotals::Line& line : totals.lines) {
    summary.idle_npus_us += line.lost_us[kIdleNpus];
    summary.idle_units_us += line.lost_us[kIdleUnits];
    work_us += line.time.least_work_us;
    ddr_us += line.time.least_move_us;
  }
  const auto ddr_bytes = static_cast<double>(summary.read.bytes + summary.write.bytes +
                                             2 * summary.inside_system.bytes);
  if (ddr_bytes > 0) summary.operations_per_byte = totals.operations / ddr_bytes;
  if (work_us > 0 && ddr_bytes > 0)
    summary.balanced_operations_per_byte = totals.operations / work_us * ddr_us / ddr_bytes;
  return summary;
}

namespace {

std::string_view longest(const TimeSummary& summary, double issue_us) {
  const double engine = std::max({summary.gdma_busy_us, summary.bdc_busy_us, summary.hau_busy_us});
  if (issue_us >= engine) return msg("issue");
  if (summary.hau_busy_us == engine) return "HAU";
  return summary.gdma_busy_us == engine ? "GDMA" : "BDC";
}

// A loss of this share of a line's time takes the place of its peak as the reason.
double main_loss(Engine engine) {
  return engine == Engine::kGdma ? 0.2 : 1.0 / 3;
}

// True where both engines have work and do it mostly one after the other: each line then adds to
// the launch, whatever its engine.
bool in_turn(const TimeSummary& summary) {
  const double both = std::min(summary.gdma_busy_us, summary.bdc_busy_us);
  return both > 0 && summary.overlap_us < both / 2 && bound_by(summary) != "issue";
}

// How long a line holds what bounds the launch.
double held_us(const LineTime& line, const TimeSummary& summary) {
  const std::string_view bound = bound_by(summary);
  if (bound == "issue") return line.issue_us;
  return in_turn(summary) || engine_name(line.op->engine()) == bound ? line.busy_us : 0;
}

// "DDR to local", by where a function moves to and from.
std::string_view direction_of(const LineTime& line) {
  const bool reads = line.reads_system, writes = line.writes_system;
  return reads && writes ? msg("DDR to DDR")
         : reads         ? msg("DDR to local")
         : writes        ? msg("local to DDR")
                         : msg("inside local");
}

// The peak that a line runs at where nothing else holds it up.
Reason peak_reason(const LineTime& line) {
  const Op& op = *line.op;
  const std::string roofline = roofline_text(line);
  switch (op.engine()) {
    case Engine::kGdma:
      return {
          .id = direction_of(line),
          .what = tr("{} at its peak, {}", translated(direction_of(line)), roofline),
          .help = tr("nothing but fewer bytes: a narrower type, every byte moved once, results of "
                     "one step kept in local memory for the next")};
    case Engine::kHau:
      return {.id = "HAU",
              .what = tr("{} takes {}", op.name(), entry_text(op.spec().cycles.text)),
              .help = tr("sort or select fewer elements at a time")};
    default:
      break;
  }
  switch (op.spec().work) {
    case Work::kSpecial:
      return {
          .id = "function",
          .what = tr("{} takes {}", op.name(), entry_text(op.spec().cycles.text)),
          .help = tr("a cheaper function: fewer terms or iterations where they are arguments, a "
                     "table for 8-bit values, or once per row instead of once per element")};
    case Work::kIndexed:
      return {.id = "lookup",
              .what = tr("{} takes {}", op.name(), entry_text(op.spec().cycles.text)),
              .help = tr("look up less, spread over all NPUs, or compute what the table holds")};
    case Work::kConvolution:
    case Work::kMatrix:
      return {
          .id = "products",
          .what = fmt::format("{}: {}", op.name(), roofline),
          .help = tr("a narrower type, of which more are multiplied per cycle, or fewer products")};
    case Work::kVector:
      break;
  }
  return {.id = "element-wise",
          .what = tr("{} takes {}", op.name(), entry_text(op.spec().cycles.text)),
          .help = tr("a narrower type, of which a step holds more, or fewer passes over the data")};
}

// Why a line takes as long as it does: of the processor where that bounds the launch, else of its
// engine, whether that bounds the launch or not.
Reason line_reason(const TimeTotals::Line& all, const TimeSummary& summary) {
  const LineTime& line = all.time;
  const double held = held_us(line, summary);
  const bool issue = bound_by(summary) == "issue";
  Reason reason;
  if (issue) {
    reason = {.id = "issue",
              .what = tr_n("the processor issues {} command here, {:.2f} us",
                           "the processor issues {} commands here, {:.2f} us each", line.calls,
                           held / static_cast<double>(line.calls)),
              .help = std::string(translated(causes[kIssue].help))};
  } else {
    std::size_t largest = kIssue;
    for (std::size_t k = 0; k < kCauses; ++k) {
      if (causes[k].engine != Engine::kNone &&
          (largest == kIssue || all.lost_us[k] > all.lost_us[largest]))
        largest = k;
    }
    if (largest != kIssue && all.lost_us[largest] > 0 &&
        all.lost_us[largest] >= main_loss(line.op->engine()) * line.busy_us) {
      reason = {.id = causes[largest].id,
                .what = tr("{} ({})", translated(causes[largest].what), line.op->name()),
                .lost_us = all.lost_us[largest],
                .help = std::string(translated(causes[largest].help))};
    } else {
      reason = peak_reason(line);
    }
  }
  reason.busy_us = held;
  reason.call_site = line.call_site;
  reason.engine = issue ? Engine::kNone : line.op->engine();
  return reason;
}

// The line that holds longest what bounds the launch, and why.
Reason bounding_reason(const Timeline& timeline, const TimeSummary& summary) {
  return line_reason(*std::ranges::max_element(
                         timeline.totals.lines, {},
                         [&](const TimeTotals::Line& line) { return held_us(line.time, summary); }),
                     summary);
}

// What a command may cost to issue before the processor bounds the launch.
double bearable_issue_us(const TimeSummary& summary, const TimingParameters& parameters) {
  const double engine = std::max({summary.gdma_busy_us, summary.bdc_busy_us, summary.hau_busy_us});
  return parameters.issue_high_us * engine / summary.issue_high_us;
}

// Where the issue is unknown and bounds the launch at the upper end of its range only.
Reason unknown_issue_reason(const Timeline& timeline, const TimeSummary& summary) {
  const TimeTotals::Line& line = *std::ranges::max_element(
      timeline.totals.lines, {},
      [](const TimeTotals::Line& each) { return each.time.issue_high_us; });
  return {.id = "unknown issue",
          .what = tr("the processor, if a command costs more than {:.2f} us to issue, "
                     "which is unknown here; at most",
                     bearable_issue_us(summary, *timeline.parameters)),
          .lost_us = summary.kernel_high_us - summary.kernel_us,
          .call_site = line.time.call_site,
          .help = std::string(translated(causes[kIssue].help))};
}

}  // namespace

std::string_view bound_by(const TimeSummary& summary) {
  return longest(summary, summary.issue_us);
}

std::string_view bound_by_at_most(const TimeSummary& summary) {
  return longest(summary, summary.issue_high_us);
}

std::vector<Reason> reasons(const Timeline& timeline, std::size_t most) {
  const TimeSummary summary = summarise(timeline);
  const std::vector<TimeTotals::Line>& lines = timeline.totals.lines;
  if (lines.empty() || most == 0) return {};
  // However fast one engine became, the other would still need its time.
  const auto limit = [&](Reason& reason) {
    if (reason.engine == Engine::kNone) return;
    const double other =
        reason.engine == Engine::kGdma ? summary.bdc_busy_us : summary.gdma_busy_us;
    reason.lost_us = std::min(reason.lost_us, timeline.kernel_us - other);
  };
  Reason first = bounding_reason(timeline, summary);
  limit(first);
  std::vector<Reason> all;
  for (std::size_t k = 0; k < kCauses; ++k) {
    if (causes[k].id == first.id) continue;
    Reason reason{.id = causes[k].id,
                  .what = std::string(translated(causes[k].what)),
                  .help = std::string(translated(causes[k].help)),
                  .engine = causes[k].engine};
    double largest = 0;
    for (const TimeTotals::Line& line : lines) {
      reason.lost_us += line.lost_us[k];
      if (line.lost_us[k] <= largest) continue;
      largest = line.lost_us[k];
      reason.call_site = line.time.call_site;
    }
    if (k == kSerial)
      reason.lost_us = std::min(summary.gdma_busy_us, summary.bdc_busy_us) - summary.overlap_us;
    limit(reason);
    all.push_back(std::move(reason));
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Reason& a, const Reason& b) { return a.lost_us > b.lost_us; });
  std::erase_if(all,
                [&](const Reason& reason) { return reason.lost_us < 0.02 * timeline.kernel_us; });
  if (!timeline.parameters->issue_known() && bound_by(summary) != bound_by_at_most(summary))
    all.insert(all.begin(), unknown_issue_reason(timeline, summary));
  all.insert(all.begin(), first);
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

std::vector<LineTime> bounding_lines(const Timeline& timeline) {
  const TimeSummary summary = summarise(timeline);
  std::vector<LineTime> lines = time_by_line(timeline);
  std::erase_if(lines, [&](const LineTime& line) { return held_us(line, summary) <= 0; });
  std::ranges::stable_sort(lines, [&](const LineTime& a, const LineTime& b) {
    return held_us(a, summary) > held_us(b, summary);
  });
  return lines;
}

std::string roofline_text(const LineTime& line) {
  if (line.busy_us <= 0) return {};
  if (line.op->engine() == Engine::kGdma) {
    return tr("{:.1f} of {:.1f} GB/s", static_cast<double>(line.bytes) / line.busy_us / 1e3,
              line.peak_gbps());
  }
  if (line.least_work_us <= 0) return {};
  return tr("{:.3g} operations per byte, {:.4g} of {:.4g} Gop/s", line.intensity(),
            line.operations / line.busy_us / 1e3, line.peak_gops());
}

std::string calibration_note(const TimingParameters& parameters) {
  if (parameters.confirmed == Confirmed::kLaunches) return {};
  const std::string text = calibration_text(parameters);
  if (parameters.launch_known() && parameters.issue_known()) return text;
  return parameters.issue_known()    ? tr("{}; the launch is unknown here", text)
         : parameters.launch_known() ? tr("{}; the issue is unknown here", text)
                                     : tr("{}; launch and issue are unknown here", text);
}

namespace {

// What launch and issue may cost where nothing public says, and what would bound the launch then.
std::string unknown_text(const TimeSummary& summary, const TimingParameters& parameters) {
  std::string text;
  if (!parameters.issue_known()) {
    text += fmt::format(
        "    {:<18} {}\n", tr("issue unknown:"),
        tr("{:.1f} to {:.1f} us with {:.2f} to {:.2f} us per command", summary.kernel_us,
           summary.kernel_high_us, parameters.issue_us, parameters.issue_high_us));
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

std::string bound_text(const TimeSummary& summary, const Timeline& timeline) {
  const std::string_view bound = bound_by(summary), at_most = bound_by_at_most(summary);
  const std::string text = in_turn(summary) ? tr("{}; GDMA and BDC work in turn", translated(bound))
                                            : std::string(translated(bound));
  if (timeline.parameters->issue_known() || bound == at_most) return text;
  return tr("{}; by {} if a command costs more than {:.2f} us, which is unknown here", text,
            translated(at_most), bearable_issue_us(summary, *timeline.parameters));
}

}  // namespace

std::string time_text(const Timeline& timeline) {
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
  if (known) text += tr("; {:.1f} us as a host measures it", summary.host_us);
  if (!note.empty()) text += tr("; {}", note);
  text += "\n";
  text += unknown_text(summary, parameters);
  const auto share = [&](std::string_view name, double us) {
    return fmt::format("    {:<18} {:>12.1f} us  {:>5.1f} %\n", translated(name), us,
                       percent(us, summary.kernel_us));
  };
  text += share(msg("GDMA busy"), summary.gdma_busy_us) +
          share(msg("BDC busy"), summary.bdc_busy_us) +
          (summary.hau_busy_us > 0 ? share(msg("HAU busy"), summary.hau_busy_us) : "") +
          share(msg("overlap"), summary.overlap_us);
  if (parameters.issue_known())
    text += share(msg("issuing"), summary.issue_us) +
            share(msg("waiting for issue"), summary.issue_wait_us);
  const double inside = parameters.inside_gbps > 0 ? parameters.inside_gbps : parameters.read_gbps;
  text += direction_text(msg("DDR to local"), summary.read, parameters.read_gbps) +
          direction_text(msg("local to DDR"), summary.write, parameters.write_gbps) +
          direction_text(msg("DDR to DDR"), summary.inside_system, inside) +
          direction_text(msg("inside local"), summary.inside_local, parameters.read_gbps);
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
  text += fmt::format("    {:<18} {}\n", tr("bound by"), bound_text(summary, timeline));
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
  int number = 0;
  for (const Reason& reason : reasons(timeline)) {
    const double us = number == 0 ? reason.busy_us : reason.lost_us;
    text += fmt::format("  {} ({:.1f} us, {:.0f} %)\n", tr("why {}: {}", ++number, reason.what), us,
                        percent(us, summary.kernel_us));
    if (reason.call_site != nullptr)
      text +=
          fmt::format("    {}\n", tr("most at {}", find_source_location(reason.call_site).text()));
    text += fmt::format("    {}\n", tr("what helps: {}", reason.help));
  }
  return text;
}

namespace {

Json calibration_json(const TimingParameters& parameters) {
  Json unknown = Json::array();
  if (!parameters.launch_known()) unknown.push_back("launch");
  if (!parameters.issue_known()) unknown.push_back("issue");
  return {{"state", confirmed_name(parameters.confirmed)},
          {"text", calibration_text(parameters)},
          {"unknown", unknown}};
}

Json profile_of(const Timeline& timeline, std::string_view key, std::uint64_t number) {
  const TimeSummary summary = summarise(timeline);
  Json result = {
      {"kernel", timeline.launch.kernel},
      {key, number},
      {"chip", timeline.launch.chip->name},
      {"calibrated", timeline.parameters->confirmed == Confirmed::kLaunches},
      {"calibration", calibration_json(*timeline.parameters)},
      {"launch_mode", launch_mode_name(timeline.parameters->mode)},
      {"clock_mhz", timeline.parameters->clock_mhz},
      {"failed", timeline.failed},
      {"modelled_us", summary.kernel_us},
      {"modelled_host_us", summary.host_us},
      {"modelled_at_most_us", summary.kernel_high_us},
      {"modelled_host_at_most_us", summary.host_high_us},
      {"gdma_busy_us", summary.gdma_busy_us},
      {"bdc_busy_us", summary.bdc_busy_us},
      {"hau_busy_us", summary.hau_busy_us},
      {"overlap_us", summary.overlap_us},
      {"issue_us", summary.issue_us},
      {"issue_at_most_us", summary.issue_high_us},
      {"issue_wait_us", summary.issue_wait_us},
      {"bound_by", bound_by(summary)},
      {"bound_by_at_most", bound_by_at_most(summary)},
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
  };
  result["why"] = Json::array();
  for (const Reason& reason : reasons(timeline, kCauses + 1)) {
    result["why"].push_back(
        {{"id", reason.id},
         {"what", reason.what},
         {"busy_us", reason.busy_us},
         {"lost_us", reason.lost_us},
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
    result["lines"].push_back({{"file", at.file},
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

}  // namespace tensorlane::observe
