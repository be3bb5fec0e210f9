// Why a launch takes as long as it does: what remedies win, and what its lines are held up by.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tensorlane/base/language.h"
#include "tensorlane/observe/time/timeline.h"
#include "tensorlane/ops/engines.h"
#include "tensorlane/ops/entry_text.h"

namespace tensorlane::observe {
namespace {

// A loss of this share of a line's time takes the place of its peak as the reason.
double main_loss(Engine engine) {
  return is_dma(engine) ? 0.2 : 1.0 / 3;
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
    case Engine::kSdma:
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

}  // namespace

bool in_turn(const TimeSummary& summary) {
  const double both = std::min(summary.gdma_busy_us, summary.bdc_busy_us);
  const bool theirs = summary.bound == "GDMA" || summary.bound == "BDC";
  return both > 0 && summary.overlap_us < both / 2 && theirs;
}

double held_us(const LineTime& line, const TimeSummary& summary) {
  if (summary.bound == "issue") return line.issue_us / summary.cores;
  const bool holds = in_turn(summary) || engine_name(line.op->engine()) == summary.bound;
  return holds ? line.busy_us / summary.cores : 0;
}

// Of the processor where that bounds the launch, else of the line's engine, whether that bounds the
// launch or not.
Reason line_reason(const TimeTotals::Line& all, const TimeSummary& summary) {
  const LineTime& line = all.time;
  const double held = held_us(line, summary);
  const bool issue = summary.bound == "issue";
  Reason reason;
  if (issue) {
    reason = {.id = "issue",
              .what = tr_n("the processor issues {} command here, {:.2f} us",
                           "the processor issues {} commands here, {:.2f} us each", line.calls,
                           line.issue_us / static_cast<double>(line.calls)),
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
                .lost_us = all.lost_us[largest] / summary.cores,
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

namespace {

const TimeTotals::Line* line_at(const TimeTotals& totals, const Rerun::Payer& payer) {
  for (const TimeTotals::Line& line : totals.lines) {
    if (line.time.call_site == payer.call_site && line.time.op == payer.op) return &line;
  }
  return nullptr;
}

Reason remedy_reason(const Won& won, const TimeTotals& totals) {
  const Cause& cause = causes[won.cause];
  const Op* const op = won.most_at.op;
  Reason reason{.id = cause.id,
                .what = std::string(translated(cause.what)),
                .lost_us = won.us,
                .alone_us = won.alone_us,
                .call_site = won.most_at.call_site,
                .help = std::string(translated(cause.help)),
                .engine = cause.engine};
  if (op == nullptr) return reason;
  if (cause.engine != Engine::kNone) reason.what += fmt::format(" ({})", op->name());
  const Doc& way = op->spec().cheaper.way;
  if (won.cause == kCheaper && !way.words.empty()) reason.help = std::string(translated(way.words));
  if (const TimeTotals::Line* const line = line_at(totals, won.most_at))
    reason.busy_us = won.cause == kIssue ? line->time.issue_us : line->time.busy_us;
  return reason;
}

}  // namespace

std::vector<Reason> reasons(const Timeline& timeline, std::size_t most) {
  const TimeSummary summary = summarise(timeline);
  const std::vector<TimeTotals::Line>& lines = timeline.totals.lines;
  std::vector<Reason> all;
  if (lines.empty()) return all;
  for (const Won& won : timeline.verdict.remedies)
    all.push_back(remedy_reason(won, timeline.totals));
  const Reason bound = line_reason(
      *std::ranges::max_element(
          lines, {}, [&](const TimeTotals::Line& line) { return held_us(line.time, summary); }),
      summary);
  const bool said = std::ranges::find(all, bound.id, &Reason::id) != all.end();
  if (!said && bound.busy_us > 0) {
    if (all.size() + 1 > most && most > 0) all.resize(most - 1);
    all.push_back(bound);
    all.back().lost_us = 0;
  }
  if (all.size() > most) all.resize(most);
  return all;
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

}  // namespace tensorlane::observe
