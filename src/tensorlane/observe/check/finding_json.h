// Findings as JSON: in reports for others, and on their way from the checked program to
// `tensorlane run`. docs/checker-report.schema.json describes the members.
#ifndef TENSORLANE_OBSERVE_CHECK_FINDING_JSON_H_
#define TENSORLANE_OBSERVE_CHECK_FINDING_JSON_H_

#include "tensorlane/json/json.h"
#include "tensorlane/observe/check/finding.h"

namespace tensorlane::check {

Json json(const Finding& finding);
// The same of one that was not brought together with others yet, with what that takes.
Json single_json(const Finding& finding);
Json json(const FindingLocation& location);
Json json(const FindingLaunches& launches);
// Of what single_json makes.
Finding finding_of(const Json& json);

}  // namespace tensorlane::check

#endif  // TENSORLANE_OBSERVE_CHECK_FINDING_JSON_H_
