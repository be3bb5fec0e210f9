// The modelled timeline as a page of its own: one HTML file without links to anything else.
//
// Per launch: the figures and the reasons of `--time`, a timeline of the processor and both
// engines, the map of local memory below it on the same time axis (local_map.h), and the source
// lines. The wheel zooms, dragging moves, a double click shows everything; pointing at a box says
// what it is. What would be thinner than a line on the screen is drawn as one box.
//
// For programs that read the page: a box of an engine carries data-engine and data-us (the engine's
// busy time in it), a box of the map data-bytes.
#ifndef TENSORLANE_OBSERVE_REPORT_PAGE_H_
#define TENSORLANE_OBSERVE_REPORT_PAGE_H_

#include <string>
#include <vector>

#include "tensorlane/observe/timeline.h"

namespace tensorlane::observe {

std::string report_page(const std::vector<Timeline>& launches);

// Throws UserError when the file cannot be written.
void write_report_page(const std::string& path, const std::vector<Timeline>& launches);

}  // namespace tensorlane::observe

#endif  // TENSORLANE_OBSERVE_REPORT_PAGE_H_
