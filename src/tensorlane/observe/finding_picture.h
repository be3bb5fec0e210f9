// A finding of the checker as a picture: the lines that it names beside the memory that it hits.
//
// For pages, slides and issues, where a page of its own (report_page.h) is too much: one SVG
// without scripts or links, at most 900 wide.
#ifndef TENSORLANE_OBSERVE_FINDING_PICTURE_H_
#define TENSORLANE_OBSERVE_FINDING_PICTURE_H_

#include <cstddef>
#include <string>

#include "tensorlane/json/json.h"

namespace tensorlane::observe {

// Where the bytes stand: right of the text, for a page, or below it, for a phone.
enum class PictureForm { kWide, kNarrow };

// A member of the "findings" of a report (docs/checker-report.schema.json), drawn: its
// message, its places with their source and its repair, and its bytes: local memory as one column
// per NPU, other memories as one. Without bytes the text alone. UserError for what
// is no finding.
std::string finding_picture(const Json& finding, PictureForm form = PictureForm::kWide);

// Number `number`, from 0, of a report that `--json` wrote. UserError for what is no report or has
// fewer findings; `name` is what the report is called there.
const Json& finding_of_report(const Json& report, std::size_t number, const std::string& name);

}  // namespace tensorlane::observe

#endif  // TENSORLANE_OBSERVE_FINDING_PICTURE_H_
