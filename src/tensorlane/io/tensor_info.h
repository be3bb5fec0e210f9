// What a file with several tensors says of one of them.
#ifndef TENSORLANE_IO_TENSOR_INFO_H_
#define TENSORLANE_IO_TENSOR_INFO_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tensorlane/io/tensor.h"

namespace tensorlane {

struct TensorInfo {
  std::string name;
  std::string stored_type;     // as the file spells it: "<f4", "BF16"
  std::optional<Dtype> dtype;  // none: the caller must say it, or no chip has such elements
  Shape shape;
  std::uint64_t bytes;  // of the elements
  // Of 64-bit elements, which no chip has: what they can be read as, as ReadOptions::dtype.
  std::optional<Dtype> narrowed = {};
};

// Position of the tensor called `name`; UserError with the nearest name if there is none.
std::size_t find_tensor(std::span<const TensorInfo> tensors, std::string_view name,
                        std::string_view where);

}  // namespace tensorlane

#endif  // TENSORLANE_IO_TENSOR_INFO_H_
