// Functions between packed elements of 8 bits and others, in one pass over their words
// (word_rows.h). For operands apart; work tensors come out as the steps of each function leave
// them.
#ifndef TENSORLANE_COMPUTE_ROWS_WORD_FUNCTIONS_H_
#define TENSORLANE_COMPUTE_ROWS_WORD_FUNCTIONS_H_

#include <functional>
#include <string_view>
#include <vector>

#include "tensorlane/ops/command.h"

namespace tensorlane {

// One of these in front of the steps that it is instead of.
using WordImplementation = std::function<bool(const Invocation&)>;
std::vector<Implementation> in_words(const WordImplementation& words,
                                     std::vector<Implementation> steps);

// dst (int16) = (src0 (int16) * src1 (uint8)) >> right, rounded half up and saturated. src0 is
// split on the way: its high and its low bytes, and its elements with the low byte moved up in
// `work`.
struct WordProduct {
  std::string_view dst, src0, src1, work, high, low;
};
bool multiply_words(const Invocation& invocation, const WordProduct& operands, int right);

// dst (fp32) = src (int8 or uint8), which is copied to `work`.
bool words_to_fp32(const Invocation& invocation, std::string_view dst, std::string_view src,
                   std::string_view work);
// dst (int8 or uint8) = src (fp32), cut toward zero and saturated, a NaN the largest of its sign;
// and the same in `work`.
bool fp32_to_words(const Invocation& invocation, std::string_view dst, std::string_view src,
                   std::string_view work);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_ROWS_WORD_FUNCTIONS_H_
