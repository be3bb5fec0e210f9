// Two layouts of a tensor and the file that has it in one of them: what `layout convert` makes and
// `layout verify` checks.
#ifndef TENSORLANE_TOOLS_LAYOUT_ENDPOINTS_H_
#define TENSORLANE_TOOLS_LAYOUT_ENDPOINTS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "layout_options.h"
#include "tensorlane/io/tensor_file.h"
#include "tensorlane/layout/convert.h"

namespace tensorlane::cli {

// The options as given.
struct LayoutEndpoints {
  std::string input, tensor_name;
  std::string from, to;
  std::string chip = "bm1684", from_chip, to_chip;
  std::string dtype, to_dtype, shape, to_shape;
  // Of the two layouts, where they take one.
  std::int64_t from_start_npu = 0, to_start_npu = 0;
  std::optional<std::int64_t> from_cols, to_cols;
  std::string from_strides, to_strides;
  std::optional<std::int64_t> npus;
  int winograd_block = 2;
  std::string rounding = "half_to_even";
  bool saturate = false;
};

// One of the two layouts, its element type and extents still to be said.
LayoutOptions endpoint_options(const LayoutEndpoints& ends, bool target);

// "bm1684x:aligned" names the chip too.
void split_chip(std::string& layout, std::string& chip);

std::string comma(std::span<const std::int64_t> values);

// The extents of the array that holds a tensor's memory in a file.
Shape array_shape(const NamedLayout& tensor);

// The source as the options and what a file says of its tensor have it.
NamedLayout source_layout(const LayoutEndpoints& ends, const TensorInfo& tensor);
// The same of the file that the options name, and what that calls the tensor.
NamedLayout source_layout(const LayoutEndpoints& ends, std::string& name);
NamedLayout target_layout(const LayoutEndpoints& ends, const NamedLayout& from);
// The bytes of a tensor in a file, in the layout that it is said to have.
Tensor read_in_layout(const std::string& file, const std::string& name, const NamedLayout& layout);
LayoutConversion conversion_of(const LayoutEndpoints& ends);

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_LAYOUT_ENDPOINTS_H_
