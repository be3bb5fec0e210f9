#include "tensorlane/observe/time/report_page.h"

#include <algorithm>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/device/source_location.h"
#include "tensorlane/draw/svg.h"
#include "tensorlane/observe/time/report_data.h"
#include "tensorlane/observe/time/source_excerpts.h"

namespace tensorlane::observe {
namespace {

constexpr std::string_view kDataBegin = "<script type=\"application/json\" id=\"data\">",
                           kDataEnd = "</script>";

void fill_in(std::string& page, std::string_view mark, std::string_view text) {
  page.replace(page.find(mark), mark.size(), text);
}

}  // namespace

void ReportPage::add(const Timeline& timeline) {
  ++launches_;
  chip_ = timeline.launch.chip;
  parameters_ = timeline.parameters;
  Line line{timeline.launch.kernel,
            timeline.launch.number,
            1,
            timeline.totals.commands,
            timeline.kernel_us,
            host_time_us(timeline.kernel_us, *timeline.parameters, timeline.launch.cores)};
  if (lines_.size() < kMostLines) {
    lines_.push_back(std::move(line));
  } else if (const auto [at, first] = others_.try_emplace(line.kernel, line); !first) {
    Line& all = at->second;
    ++all.launches;
    all.commands += line.commands;
    all.kernel_us += line.kernel_us;
    all.host_us += line.host_us;
  }
  if (charted_.size() == kMostCharts) {
    auto shortest = charted_.begin();  // of equal ones the last
    for (auto at = charted_.begin(); at != charted_.end(); ++at) {
      if (at->kernel_us <= shortest->kernel_us) shortest = at;
    }
    if (timeline.kernel_us <= shortest->kernel_us) return;
    charted_.erase(shortest);
  }
  charted_.push_back(timeline);
}

Json ReportPage::lines() const {
  Json lines = Json::array();
  for (const Line& line : lines_) {
    lines.push_back({{"launch", line.number},
                     {"kernel", line.kernel},
                     {"commands", line.commands},
                     {"us", line.kernel_us},
                     {"host_us", line.host_us}});
  }
  for (const auto& [kernel, line] : others_) {
    lines.push_back({{"launches", line.launches},
                     {"kernel", kernel},
                     {"commands", line.commands},
                     {"us", line.kernel_us},
                     {"host_us", line.host_us}});
  }
  return lines;
}

Json ReportPage::charts() const {
  std::vector<const Timeline*> longest_first;
  for (const Timeline& timeline : charted_) longest_first.push_back(&timeline);
  std::ranges::stable_sort(longest_first, std::greater(), &Timeline::kernel_us);
  std::size_t left = kMostDrawn;
  std::map<const Timeline*, std::size_t> drawn;
  for (const Timeline* const timeline : longest_first)
    left -= drawn[timeline] = std::min(left, timeline->commands.size());
  Json charts = Json::array();
  for (const Timeline& timeline : charted_)
    charts.push_back(chart_json(timeline, drawn.at(&timeline)));
  return charts;
}

Json ReportPage::run() const {
  SourceExcerpts sources;
  for (const Timeline& timeline : charted_) {
    for (const TimeTotals::Line& line : timeline.totals.lines) {
      const SourceLocation at = find_source_location(line.time.call_site);
      sources.add(at.path(), at.line, at.file);
    }
  }
  Json run = {{"name", ""},
              {"count", launches_},
              {"launches", lines()},
              {"charts", charts()},
              {"sources", sources.json()}};
  if (chip_ == nullptr) return run;
  std::string note = calibration_note(*parameters_);
  if (const std::string more = one_group_note(*chip_); !more.empty())
    note = note.empty() ? more : tr("{}; {}", note, more);
  run.update({{"full_name", chip_->full_name},
              {"npu_bytes", chip_->local.npu_bytes},
              {"banks", chip_->banks_per_npu},
              {"read_gbps", parameters_->read_gbps},
              {"mode", launch_mode_name(parameters_->mode)},
              {"note", note}});
  return run;
}

std::string ReportPage::text() const {
  return page_of_runs(Json::array({run()}));
}

std::string report_page(const std::vector<Timeline>& launches, const Json& evidence) {
  ReportPage page;
  for (const Timeline& timeline : launches) page.add(timeline);
  Json run = page.run();
  if (!evidence.is_null()) run["evidence"] = evidence;
  return page_of_runs(Json::array({run}));
}

namespace {

// In every language: the page is read where no library is.
Json texts_of_page() {
  Json texts{{"en", Json::parse(kPageTexts)}, {"zh", Json::object()}};
  for (const auto& [key, text] : texts.at("en").items())
    texts["zh"][key] = std::string(translated(text.get<std::string>(), Language::kChinese));
  return texts;
}

}  // namespace

std::string page_of_runs(const Json& runs) {
  std::string page(kPageTemplate);
  // The data last: it may hold what looks like a mark.
  fill_in(page, "@LANG@", language() == Language::kChinese ? "zh" : "en");
  fill_in(page, "@TEXTS@", texts_of_page().dump());
  fill_in(page, "@TITLE@", escape_xml(runs.front().value("full_name", "no launch")));
  std::string text = Json{{"runs", runs}}.dump();
  // A name of C++ may hold what ends a script.
  for (std::size_t at = 0; (at = text.find('<', at)) != std::string::npos;)
    text.replace(at, 1, "\\u003c");
  fill_in(page, "@DATA@", text);
  return page;
}

void add_findings(Json& run, const Json& findings) {
  SourceExcerpts sources;
  const auto add = [&](const Json& place) {
    sources.add(place.value("file", ""), static_cast<int>(place.value("line", std::int64_t{0})));
  };
  for (const Json& finding : findings) {
    for (const Json& location : finding.at("locations")) add(location);
  }
  Json& known = run["sources"];
  const Json more = sources.json();
  for (const auto& [file, lines] : more.items()) {
    Json& texts = known[file];
    for (const auto& [line, text] : lines.items()) texts[line] = text;
  }
  run["findings"] = findings;
}

Json runs_of_page(std::string_view page, std::string_view name) {
  const std::size_t begin = page.find(kDataBegin);
  const std::size_t end = begin == std::string_view::npos ? begin : page.find(kDataEnd, begin);
  if (end == std::string_view::npos)
    user_error("'{}' is no page that 'tensorlane run --report FILE.html' wrote", name);
  const std::size_t from = begin + kDataBegin.size();
  return Json::parse(page.substr(from, end - from)).at("runs");
}

}  // namespace tensorlane::observe
