// TOML as people write settings: read into a Json object.
//
//   chip = "bm1684x"                 # a comment
//   [[rule]]
//   match = ["conv*.weight", "fc.weight"]
//   start_npu = 3
//
//   parse_toml(text, "rules.toml")   // {"chip":"bm1684x","rule":[{"match":[...],"start_npu":3}]}
//
// Read are tables, lists of tables, keys (bare, quoted, dotted in the names of tables), texts in
// one line, whole numbers, other numbers, true and false, lists over several lines, tables in
// braces. Dates and texts over several lines are not: settings of ours have none.
//
// Errors: UserError that names the file, the line, the character of it and what was expected there.
#ifndef TENSORLANE_JSON_TOML_H_
#define TENSORLANE_JSON_TOML_H_

#include <string_view>

#include "tensorlane/json/json.h"

namespace tensorlane {

// `where` is the name of the file, for messages. Every table gets the member "" with the number of
// the line that it begins in: messages about what it holds can say so.
Json parse_toml(std::string_view text, std::string_view where);

}  // namespace tensorlane

#endif  // TENSORLANE_JSON_TOML_H_
