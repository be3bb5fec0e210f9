// What form the operands of a call have: what fast paths tell calls apart by.
#ifndef TENSORLANE_DIFFERENTIAL_CALL_FORM_H_
#define TENSORLANE_DIFFERENTIAL_CALL_FORM_H_

#include <string>
#include <vector>

#include "tensorlane/ops/command.h"
#include "tensorlane/ops/operand_forms.h"

namespace tensorlane::differential {

// The NPUs that an operand in local memory lies in, from the first one on.
struct NpuRange {
  std::int64_t first, count;
};
NpuRange npus_of(const Operand& operand, const Chip& chip);
// How elements of an operand follow each other along the last dimension that has more than one.
Along along_of(const Layout& layout);
// Of each operand, in words: "dst_addr fp16", "src_addr W 0", "src_addr on dst_addr", ...
std::vector<std::string> features_of(const Command& command);
// All of them, and by that the form of the call.
std::string form_of(const std::vector<std::string>& features);

}  // namespace tensorlane::differential

#endif  // TENSORLANE_DIFFERENTIAL_CALL_FORM_H_
