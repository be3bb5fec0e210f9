// What is said of a device function, in words: the parts that the texts and the pages of the ops
// list share. In the language of the process, but for the names that are those of the code.
#ifndef TENSORLANE_TOOLS_OP_FACTS_H_
#define TENSORLANE_TOOLS_OP_FACTS_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tensorlane/ops/op.h"

namespace tensorlane::cli {

// What the function does, one line.
std::string purpose(const Op& op);
// "fp32", the parameter that says it, or "by the arguments".
std::string dtype_text(const OperandSpec& operand);
// "aligned", ..., or "by the arguments"; in English.
std::string_view default_layout(const OperandSpec& operand);
// "(shape.n, shape.c, shape.h, shape.w)"
std::string shape_text(const OperandSpec& operand);
// "aligned", "matrix", "4N, compact"; the stride parameter where there is one, and the condition.
std::string layout_text(const OperandSpec& operand, std::string_view quote);
// "implemented", "not implemented: no public definition", "needs a later chip: an SDMA engine ...".
std::string state_text(const Op& op);
std::string state_in_english(const Op& op);
std::string_view state_or_numerics(const Op& op);
// `first` where that has the function, else a chip of its interface that has.
const Chip& chip_with(const Chip& first, const Op& op);
// "bm1690, sg2260e": where not all chips of its interface have it; else nothing.
std::string only_on_chips(const Op& op);
// What its bits rest on, on each chip of its interface: "model: bm1684x, bm1688; choice: bm1690".
std::string evidence_on_chips(const Op& op);

// "52 cycles per step", "by bytes and runs"; nothing where no engine works. In English, and in the
// language of the process.
std::string cost_text(const Op& op);
std::string cost_in_language(const Op& op);

struct TestsOfOp {
  int recorded = 0;      // calls
  int named = 0;         // test cases and kernels
  int differential = 0;  // the property that all implementations agree on random calls
  int all() const { return recorded + named + differential; }
};
TestsOfOp tests_of(const Op& op);

// The limits by what becomes of a call that breaks one, with a line that says it, both in English.
struct LimitGroup {
  std::string_view title;
  std::string_view says;
  Breach breach;
  bool about_data = false;
};
std::span<const LimitGroup> limit_groups();
std::vector<const Limit*> members(const LimitGroup& group, std::span<const Limit> limits);
std::vector<const Limit*> pointers(std::span<const Limit> limits);
// "every call" for a limit that never holds.
std::string_view shown_rule(const Limit& limit);

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_OP_FACTS_H_
