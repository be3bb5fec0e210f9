// Rules of integers (integer_rows.h) on packed elements of 8 bits whose results have 16, in one
// pass over their words (word_rows.h): a word of the sources makes two of the result. Where rows of
// elements are short, as those of small tensors spread over NPUs are, passes over them cost more
// than the arithmetic.
#ifndef TENSORLANE_COMPUTE_ROWS_WORD_INTEGERS_H_
#define TENSORLANE_COMPUTE_ROWS_WORD_INTEGERS_H_

#include <string_view>
#include <vector>

#include "tensorlane/compute/rows/integer_rows.h"

namespace tensorlane {

// Words in front of `rest`, which are implementations of the same function. Sources are tensors of
// 8 bits, but for one that may be a constant, and for the sum of a multiplication with addition,
// which is the result; calls of other types are left to the rest.
std::vector<Implementation> words_before(std::vector<Implementation> rest, std::string_view dst,
                                         const std::vector<SourceParam>& sources,
                                         const IntegerRuleOf& rule);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_ROWS_WORD_INTEGERS_H_
