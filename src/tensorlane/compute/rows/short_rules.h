// Rules of integers (integer_rows.h) on elements of 16 bits in lanes of as many: halved sums and
// differences, also of one source with a sign and one without, and shifts by a constant or of one.
// For rows of a vector or more of such elements side by side, or one for the row: the last vector
// of a row ends with it, for rows of small tensors have few.
#ifndef TENSORLANE_COMPUTE_ROWS_SHORT_RULES_H_
#define TENSORLANE_COMPUTE_ROWS_SHORT_RULES_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tensorlane/compute/rows/integer_rows.h"

namespace tensorlane {

enum class ShortOperation : std::uint8_t { kAdd, kSubtract, kShift, kShiftConstant };

struct ShortRule {
  ShortOperation operation = ShortOperation::kAdd;
  bool first_signed = false, second_signed = false, result_signed = false;
  int left = 0, right = 0;
};
// Nothing for other rules and types.
std::optional<ShortRule> short_rule(const IntegerRule& rule, std::span<const Dtype> sources,
                                    Dtype dst);
// False where the elements of a frame stand otherwise, or vectors of this processor do not have the
// rule; then nothing is written.
bool run_short_rule(const ShortRule& rule, const Row& frame);

// Shorts in front of `rest`, which are implementations of the same function.
std::vector<Implementation> shorts_before(std::vector<Implementation> rest, std::string_view dst,
                                          const std::vector<SourceParam>& sources,
                                          const IntegerRuleOf& rule);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_ROWS_SHORT_RULES_H_
