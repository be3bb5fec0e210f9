// Tensors as `layout plan` and `layout locate` take them: "input:16,64,112,112:int8:4N:x2".
#ifndef TENSORLANE_TOOLS_LAYOUT_TENSOR_WORDS_H_
#define TENSORLANE_TOOLS_LAYOUT_TENSOR_WORDS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tensorlane/layout/plan.h"

namespace tensorlane::cli {

// The chip that they are on.
struct TensorChip {
  std::string chip;
  std::optional<std::int64_t> npus, npu_bytes;
};

struct TensorWords {
  PlanTensor planned;
  std::optional<std::int64_t> address;  // @ADDRESS: where it begins, linear
};

// The parts of a text between separators.
std::vector<std::string> split_text(const std::string& text, char separator);
// Decimal, or hexadecimal behind 0x; nothing for another text.
std::optional<std::int64_t> parse_address(std::string_view text);

// NAME:SHAPE and, in any order, element type, layout, xK, whole, cols=, start= and @ADDRESS.
TensorWords parse_tensor(const std::string& text, const TensorChip& chip);

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_LAYOUT_TENSOR_WORDS_H_
