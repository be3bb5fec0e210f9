// The modelled timeline as a page of its own: one HTML file without links to anything else.
//
// Per launch, of many launches the longest: why it takes its time and what helps, a timeline of the
// processor and the engines over the map of local memory (local_map.h), how far each command is
// from its peak, the figures of `--time`, the source lines. Two runs are compared on one page. The
// page is made by its script (page/*.js) from data that stands in it as JSON:
//
//   {"runs": [{"name": "",                          a title where there are several runs
//              "full_name": "BM1684", "npu_bytes": .., "banks": .., "read_gbps": ..,
//              "mode": "issued", "note": "",        calibration_note(); empty: confirmed
//              "count": 30,                         launches
//              "launches": [{"launch": 0, "kernel": "k", "commands": .., "us": .., "host_us": ..},
//                           {"launches": 3, ..}],   those that share a line
//              "charts": [..],                      see report_data.h
//              "sources": {"FILE": {"41": "text", ..}},   around the lines that are named
//              "evidence": {..},                    what results rest on: evidence_use.h
//              "findings": [..]}]}                  of the checker, as --json has them; without it
//                                                   nothing was checked
//
// A page is written when its device ends; `tensorlane run` adds the findings, which are complete
// only then. Its size is bounded whatever the length of the run: by kMostCharts, kMostLines and
// kMostDrawn.
#ifndef TENSORLANE_OBSERVE_TIME_REPORT_PAGE_H_
#define TENSORLANE_OBSERVE_TIME_REPORT_PAGE_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tensorlane/json/json.h"
#include "tensorlane/observe/time/timeline.h"

namespace tensorlane::observe {

class ReportPage {
 public:
  // Launches with charts of their own: the longest ones.
  static constexpr std::size_t kMostCharts = 24;
  // Launches with a line of their own: the first ones. The others share a line per kernel.
  static constexpr std::size_t kMostLines = 1000;
  // Commands in all charts together; the longest launches come first.
  static constexpr std::size_t kMostDrawn = 49152;

  // The next launch of a device.
  void add(const Timeline& timeline);
  std::string text() const;
  // The run as the page holds it.
  Json run() const;

 private:
  // A line of the table: a launch, or the launches of a kernel that share it.
  struct Line {
    std::string kernel;
    std::uint64_t number = 0;    // of the launch
    std::uint64_t launches = 1;  // that share the line
    std::uint64_t commands = 0;
    double kernel_us = 0, host_us = 0;
  };
  Json lines() const;
  Json charts() const;

  std::vector<Timeline> charted_;  // in the order of launches
  std::vector<Line> lines_;
  std::map<std::string, Line> others_;
  std::uint64_t launches_ = 0;
  const Chip* chip_ = nullptr;
  const TimingParameters* parameters_ = nullptr;
};
std::string report_page(const std::vector<Timeline>& launches, const Json& evidence = {});

// The page of runs, each as ReportPage::run() gives it: one, or two to compare.
std::string page_of_runs(const Json& runs);
// Adds findings, each as check::json has it, and their source lines to a run of a page.
void add_findings(Json& run, const Json& findings);
// The runs on a page. Throws UserError for a text that is no such page; `name` says whose it is.
Json runs_of_page(std::string_view page, std::string_view name);

// The page without data, made by the build: see embed_page.cmake.
extern const std::string_view kPageTemplate;
// Its texts in English, a JSON object; their Chinese is in po/zh.po.
extern const std::string_view kPageTexts;

}  // namespace tensorlane::observe

#endif  // TENSORLANE_OBSERVE_TIME_REPORT_PAGE_H_
