// The modelled timeline as a page of its own: one HTML file without links to anything else.
//
// Per launch, of many launches the longest: the figures and the reasons of `--time`, a timeline of
// the processor and both engines, the map of local memory below it on the same time axis
// (local_map.h), and the source lines. The wheel zooms, dragging moves, a double click shows
// everything; pointing at a box says what it is, a click on one of the map by which commands it
// came about, back to the loads. What would be thinner than a line on the screen is drawn as one
// box.
//
// For programs that read the page: a box of an engine carries data-engine and data-us (the engine's
// busy time in it), a box of the map data-bytes and, where it was written, data-command.
#ifndef TENSORLANE_OBSERVE_REPORT_PAGE_H_
#define TENSORLANE_OBSERVE_REPORT_PAGE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tensorlane/observe/timeline.h"

namespace tensorlane::observe {

class ReportPage {
 public:
  // Launches with charts of their own: the longest ones.
  static constexpr std::size_t kMostCharts = 24;
  // Launches with a line of their own: the first ones. The others share a line per kernel.
  static constexpr std::size_t kMostLines = 1000;

  // The next launch of a device.
  void add(const Timeline& timeline);
  std::string text() const;

 private:
  // A line of the table: a launch, or the launches of a kernel that share it.
  struct Line {
    std::string kernel;
    std::uint64_t number = 0;    // of the launch
    std::uint64_t launches = 1;  // that share the line
    std::uint64_t commands = 0;
    double kernel_us = 0, host_us = 0;
  };
  bool is_charted(std::uint64_t launch) const;
  std::string table() const;

  std::vector<Timeline> charted_;  // in the order of launches
  std::vector<Line> lines_;
  std::map<std::string, Line> others_;
  std::uint64_t launches_ = 0;
  const Chip* chip_ = nullptr;
  const TimingParameters* parameters_ = nullptr;
};
std::string report_page(const std::vector<Timeline>& launches);

}  // namespace tensorlane::observe

#endif  // TENSORLANE_OBSERVE_REPORT_PAGE_H_
