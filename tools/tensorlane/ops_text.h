// The ops list as people and programs read it.
#ifndef TENSORLANE_TOOLS_OPS_TEXT_H_
#define TENSORLANE_TOOLS_OPS_TEXT_H_

#include <span>
#include <string>
#include <vector>

#include "progress.h"
#include "tensorlane/json/json.h"
#include "tensorlane/ops/op.h"

namespace tensorlane::cli {

// The C declaration.
std::string signature_text(const Op& op);
// One row per function.
std::string ops_table(std::span<const Op* const> ops, const Terminal& terminal);
// One line per function: its name and what it does.
std::string ops_lines(std::span<const Op* const> ops);
// Everything about one function.
std::string op_details(const Op& op, const Terminal& terminal);
// What its entry says of results on each source, a line per source.
std::vector<std::string> in_place_lines(const Op& op);
Json op_json(const Chip& chip, const Op& op);

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_OPS_TEXT_H_
