#include "tensorlane/observe/precision/precision_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tensorlane/base/language.h"
#include "tensorlane/observe/check/describe.h"

namespace tensorlane::precision {
namespace {

// A line of the kernel, which may have several calls: those of a macro, or on both ways of a
// branch.
struct Row {
  check::FindingLocation location;
  LineErrors errors;
};

std::vector<Row> rows_of(const std::vector<LineErrors>& lines) {
  std::vector<Row> rows;
  for (const LineErrors& line : lines) {
    check::FindingLocation location =
        check::make_location("", std::string(line.function), line.call_site);
    check::complete(location);
    const auto same = std::ranges::find_if(rows, [&](const Row& row) {
      return row.location.place == location.place && row.location.call == location.call;
    });
    if (same == rows.end()) {
      rows.push_back({std::move(location), line});
      continue;
    }
    LineErrors& sum = same->errors;
    sum.calls += line.calls;
    sum.elements += line.elements;
    sum.values += line.values;
    sum.entered += line.entered;
    sum.handed_on += line.handed_on;
    sum.arrived += line.arrived;
    sum.overflows += line.overflows;
    sum.flushed += line.flushed;
    sum.saturated += line.saturated;
    sum.unknown += line.unknown;
    sum.share += line.share;
  }
  return rows;
}

double relative(double errors, double values) {
  return values > 0 ? std::sqrt(errors / values) : 0;
}

// How many times what a line hands on is larger than what arrives and enters there; 0 where that is
// no amplification worth a word.
double amplification(const LineErrors& errors) {
  constexpr double kLeast = 4;
  const double came =
      relative(errors.arrived, errors.values) + relative(errors.entered, errors.values);
  if (came == 0) return 0;
  const double times = relative(errors.handed_on, errors.values) / came;
  return times >= kLeast ? times : 0;
}

// What happened to a line's results that is no error in size.
std::string events(const Json& line) {
  std::string text;
  const auto add = [&](const char* name, std::string_view what) {
    const auto count = line.at(name).get<std::uint64_t>();
    if (count == 0) return;
    text += (text.empty() ? "" : tr(", ")) +
            fmt::vformat(translated(what), fmt::make_format_args(count));
  };
  add("overflows", msg("{} overflowed"));
  add("flushed", msg("{} flushed to 0"));
  add("saturated", msg("{} saturated"));
  add("unknown", msg("{} calls without a shadow"));
  if (const double times = line.value("amplifies", 0.0); times > 0)
    text += (text.empty() ? "" : tr(", ")) + tr("amplifies what arrives {:.0f} times", times);
  return text;
}

std::string number(double value) {
  return value == 0 ? "0" : fmt::format("{:.1e}", value);
}

}  // namespace

Json precision_json(const std::vector<LineErrors>& lines,
                    const std::map<const void*, ReadErrors>& reads, int device) {
  const auto place = [](const void* call_site) {
    check::FindingLocation location = check::make_location("", "", call_site);
    check::complete(location);
    return location.place;
  };
  Json read_list = Json::array();
  for (const auto& [site, read] : reads) {
    Json worst{{"address", fmt::format("{:#x}", read.address)},
               {"value", fmt::format("{:.9g}", read.got)},
               {"double", fmt::format("{:.9g}", read.real)}};
    if (read.line != trail::Blame::kNobody) {
      worst["line"] = place(lines[read.line].call_site);
      worst["part"] = read.part;
    }
    read_list.push_back({{"place", tr("{} at {}", read.function, place(site))},
                         {"elements", read.elements},
                         {"error", relative(read.errors, read.values)},
                         {"not_finite", read.not_finite},
                         {"worst", worst}});
  }
  std::vector<Row> rows = rows_of(lines);
  double all = 0;
  for (const Row& row : rows) all += row.errors.share;
  std::ranges::stable_sort(rows, std::greater<>(), [](const Row& row) {
    const bool amplifies = amplification(row.errors) > 0;
    return std::pair(
        row.errors.share,
        relative(amplifies ? row.errors.handed_on : row.errors.entered, row.errors.values));
  });
  Json line_list = Json::array();
  for (const Row& row : rows) {
    const LineErrors& errors = row.errors;
    line_list.push_back({{"place", row.location.place},
                         {"source", row.location.source},
                         {"function", row.location.call},
                         {"calls", errors.calls},
                         {"elements", errors.elements},
                         {"entered", relative(errors.entered, errors.values)},
                         {"handed_on", relative(errors.handed_on, errors.values)},
                         {"arrived", relative(errors.arrived, errors.values)},
                         {"amplifies", amplification(errors)},
                         {"share", all > 0 ? errors.share / all : 0},
                         {"overflows", errors.overflows},
                         {"flushed", errors.flushed},
                         {"saturated", errors.saturated},
                         {"unknown", errors.unknown}});
  }
  return {{"tool", "precision"}, {"device", device}, {"reads", read_list}, {"lines", line_list}};
}

std::string precision_text(const Json& report) {
  constexpr std::size_t kShown = 12;
  std::string text;
  for (const Json& read : report.at("reads")) {
    const Json& worst = read.at("worst");
    text += "tensorlane precision: " +
            tr("{}: {} elements with error, {} of their magnitude", read.value("place", ""),
               read.at("elements").get<std::uint64_t>(), number(read.at("error").get<double>()));
    if (const auto count = read.at("not_finite").get<std::uint64_t>(); count > 0)
      text += tr(", {} of them not finite", count);
    text += fmt::format("\n  {}\n",
                        tr("worst at {}: {}, in double precision {}", worst.value("address", ""),
                           worst.value("value", ""), worst.value("double", "")));
    const std::string line = worst.value("line", "");
    if (!line.empty()) {
      text += fmt::format("  {}\n", tr("most of it from {} ({:.0f} %)", line,
                                       100 * worst.at("part").get<double>()));
    }
  }
  const Json& lines = report.at("lines");
  if (lines.size() == 0)
    return fmt::format("{}tensorlane precision: {}\n", text, tr("no command computed anything"));
  if (report.at("reads").size() == 0)
    text += fmt::format("tensorlane precision: {}\n", tr("no error reaches what the host reads"));
  std::size_t shown = 0;
  for (const Json& line : lines) {
    if (line.at("entered").get<double>() == 0 && line.at("share").get<double>() == 0 &&
        events(line).empty())
      continue;  // exact
    if (shown == 0) {
      text += fmt::format("  {:>7} {:>8} {:>9} {:>7}  {}\n", tr("of all"), tr("enters"),
                          tr("handed on"), tr("calls"), tr("line"));
    }
    if (shown++ == kShown) {
      text += fmt::format("  {}\n", tr("and more lines, in --precision-json FILE"));
      break;
    }
    const std::string source = line.value("source", ""), said = events(line);
    text += fmt::format(
        "  {:>5.0f} % {:>8} {:>9} {:>7}  {}{}{}\n", 100 * line.at("share").get<double>(),
        number(line.at("entered").get<double>()), number(line.at("handed_on").get<double>()),
        line.at("calls").get<std::uint64_t>(),
        tr("{} at {}", line.value("function", ""), line.value("place", "")),
        said.empty() ? "" : "; ", said);
    if (!source.empty()) text += fmt::format("  {:>35}| {}\n", "", source);
  }
  return text;
}

}  // namespace tensorlane::precision
