#include "tensorlane/observe/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "tensorlane/device/source_location.h"
#include "tensorlane/json/json.h"

namespace tensorlane::observe {
namespace {

double limit_gbps(const TimedCommand& command, const TimingParameters& parameters) {
  return command.transfer.writes_system && !command.transfer.reads_system ? parameters.write_gbps
                                                                          : parameters.read_gbps;
}

// Time both engines are busy: each engine's slots are in order and do not overlap.
double overlap(const Timeline& timeline) {
  double total = 0;
  const auto next = [&](std::size_t at, Engine engine) {
    while (at < timeline.commands.size() && timeline.commands[at].op->engine() != engine) ++at;
    return at;
  };
  std::size_t a = next(0, Engine::kGdma), b = next(0, Engine::kBdc);
  while (a < timeline.commands.size() && b < timeline.commands.size()) {
    const Slot& x = timeline.commands[a].slot;
    const Slot& y = timeline.commands[b].slot;
    total += std::max(0.0, std::min(x.end, y.end) - std::max(x.start, y.start));
    if (x.end < y.end) {
      a = next(a + 1, Engine::kGdma);
    } else {
      b = next(b + 1, Engine::kBdc);
    }
  }
  return total;
}

// The time a command's transfer would take at full bandwidth, in one run, aligned.
double ideal_us(const TimedCommand& command, const TimingParameters& parameters) {
  const double sides = command.transfer.reads_system && command.transfer.writes_system ? 2 : 1;
  return sides * static_cast<double>(command.transfer.bytes) /
         (limit_gbps(command, parameters) * 1e3);
}

// The commands of a timeline by the source line that issued them.
class Lines {
 public:
  explicit Lines(const Timeline& timeline) : timeline_(timeline) {
    std::unordered_map<const void*, std::size_t> index;
    for (const TimedCommand& command : timeline.commands) {
      const auto [at, inserted] = index.emplace(command.call_site, call_sites_.size());
      if (inserted) call_sites_.push_back(command.call_site);
      line_.push_back(at->second);
    }
  }
  std::size_t count() const { return call_sites_.size(); }
  std::size_t of(std::size_t command) const { return line_[command]; }

  // Adds up what each command of `engine` (kNone: of both) loses to one reason and remembers the
  // line that loses most.
  template <typename Lost>
  Reason collect(Engine engine, std::string_view what, std::string_view help, Lost lost) const {
    Reason reason{std::string(what), 0, nullptr, std::string(help), engine};
    std::vector<double> by_line(count());
    for (std::size_t k = 0; k < line_.size(); ++k) {
      const TimedCommand& command = timeline_.commands[k];
      if (engine != Engine::kNone && command.op->engine() != engine) continue;
      const double us = lost(command);
      if (us <= 0) continue;
      reason.lost_us += us;
      by_line[line_[k]] += us;
    }
    if (reason.lost_us > 0)
      reason.call_site = call_sites_[static_cast<std::size_t>(std::ranges::max_element(by_line) -
                                                              by_line.begin())];
    return reason;
  }

 private:
  const Timeline& timeline_;
  std::vector<const void*> call_sites_;  // by line
  std::vector<std::size_t> line_;        // of each command
};

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

std::string TimedCommand::name() const {
  const std::string_view function = op->name();
  return std::string(function.substr(function.find('_') + 1));  // okk_, tpu_
}

TimeSummary summarise(const Timeline& timeline) {
  TimeSummary summary;
  summary.kernel_us = timeline.kernel_us;
  summary.host_us = host_time_us(timeline.kernel_us, *timeline.parameters);
  double useful_us = 0;
  for (const TimedCommand& command : timeline.commands) {
    const double us = command.time.duration_us;
    summary.issue_us += command.time.issue_us;
    summary.issue_wait_us += command.issue_wait_us;
    if (command.op->engine() == Engine::kBdc) {
      summary.bdc_busy_us += us;
      useful_us += us * command.lanes_used;
      continue;
    }
    if (command.op->engine() == Engine::kHau) {
      summary.hau_busy_us += us;
      continue;
    }
    summary.gdma_busy_us += us;
    const Transfer& move = command.transfer;
    TimeSummary::Direction& direction = move.reads_system && move.writes_system
                                            ? summary.inside_system
                                        : move.reads_system  ? summary.read
                                        : move.writes_system ? summary.write
                                                             : summary.inside_local;
    direction.bytes += move.bytes;
    direction.busy_us += us;
  }
  summary.overlap_us = overlap(timeline);
  summary.eu_utilisation = timeline.kernel_us > 0 ? useful_us / timeline.kernel_us : 0;
  return summary;
}

std::string_view bound_by(const TimeSummary& summary) {
  const double longest = std::max({summary.gdma_busy_us, summary.bdc_busy_us, summary.hau_busy_us});
  if (summary.issue_us >= longest) return "issue";
  if (summary.hau_busy_us == longest) return "HAU";
  return summary.gdma_busy_us == longest ? "GDMA" : "BDC";
}

std::vector<Reason> reasons(const Timeline& timeline, std::size_t most) {
  const TimingParameters& parameters = *timeline.parameters;
  const TimeSummary summary = summarise(timeline);
  const Lines lines(timeline);
  std::vector<Reason> all;
  all.push_back(lines.collect(
      Engine::kNone, "too many commands: the engines wait for the processor to issue",
      "use fewer, larger commands: bigger tiles, or one strided copy instead of several",
      [](const TimedCommand& command) { return command.issue_wait_us; }));
  all.push_back(
      lines.collect(Engine::kGdma, "GDMA runs are too short to reach the bandwidth",
                    "move longer contiguous pieces: keep w (or h*w) whole, tile n or c instead",
                    [&](const TimedCommand& command) {
                      return command.time.limited_by_runs
                                 ? command.time.duration_us - ideal_us(command, parameters)
                                 : 0;
                    }));
  all.push_back(lines.collect(
      Engine::kGdma,
      "matrix rows are misaligned: row pitch or columns per channel are no multiple of 64 bytes",
      "make the row pitch and cols_per_channel multiples of 16 elements",
      [&](const TimedCommand& command) {
        return command.transfer.misaligned && !command.time.limited_by_runs
                   ? command.time.duration_us * (1 - 1 / parameters.misaligned_matrix)
                   : 0;
      }));
  all.push_back(lines.collect(
      Engine::kBdc,
      "NPUs or execution units idle: too few channels, or planes that do not fill groups of 16",
      "put a dimension of at least 64 on the channels, or fold batches and rows into them",
      [](const TimedCommand& command) {
        return command.time.duration_us * (1 - command.lanes_used);
      }));
  all.push_back(lines.collect(
      Engine::kBdc, "convolutions with few input channels cannot keep the multipliers busy",
      "feed more input channels per call, or fold kernel rows into the channels",
      [](const TimedCommand& command) {
        return command.time.duration_us * command.latency_share;
      }));
  Reason serial = lines.collect(
      Engine::kNone, "the engines work one after the other",
      "double-buffer: load the next tile and store the last one in a parallel region with the "
      "computation",
      [](const TimedCommand& command) {
        return command.region < 0 && command.op->engine() == Engine::kGdma
                   ? command.time.duration_us
                   : 0;
      });
  serial.lost_us = std::min(summary.gdma_busy_us, summary.bdc_busy_us) - summary.overlap_us;
  all.push_back(std::move(serial));
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
  const Lines index(timeline);
  std::vector<LineTime> lines(index.count());
  for (std::size_t k = 0; k < timeline.commands.size(); ++k) {
    const TimedCommand& command = timeline.commands[k];
    LineTime& line = lines[index.of(k)];
    line.call_site = command.call_site;
    line.op = command.op;
    ++line.calls;
    line.busy_us += command.time.duration_us;
    line.issue_us += command.time.issue_us;
    line.issue_wait_us += command.issue_wait_us;
    line.bytes += command.transfer.bytes;
  }
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

Json profile_json(const Timeline& timeline) {
  const TimeSummary summary = summarise(timeline);
  Json result = {
      {"kernel", timeline.launch.kernel},
      {"launch", timeline.launch.number},
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

}  // namespace tensorlane::observe
