#include "tensorlane/io/tensor.h"

#include <fmt/ranges.h>

#include "tensorlane/base/error.h"

namespace tensorlane {

std::int64_t element_count(std::span<const std::int64_t> shape, std::string_view where) {
  if (shape.size() > kMaxRank) {
    user_error("{}: {} dimensions; at most {} are allowed", where, shape.size(), kMaxRank);
  }
  // Zeros are left out of the limit's product, so that no stride overflows in an empty tensor.
  constexpr std::int64_t kLimit = (std::int64_t{1} << 62) / 32;
  std::int64_t count = 1;
  bool empty = false;
  for (std::int64_t extent : shape) {
    if (extent < 0) {
      user_error("{}: shape {} has the negative extent {}", where, shape_text(shape), extent);
    }
    if (extent == 0) {
      empty = true;
    } else if (count > kLimit / extent) {
      user_error("{}: shape {} has more elements than 2^57", where, shape_text(shape));
    } else {
      count *= extent;
    }
  }
  return empty ? 0 : count;
}

std::uint64_t tensor_bytes(Dtype dtype, std::span<const std::int64_t> shape,
                           std::string_view where) {
  const auto count = static_cast<std::uint64_t>(element_count(shape, where));
  return (count * static_cast<std::uint64_t>(dtype_bits(dtype)) + 7) / 8;
}

std::string shape_text(std::span<const std::int64_t> shape) {
  return shape.empty() ? "scalar" : fmt::format("{}", fmt::join(shape, "x"));
}

void check_tensor(const Tensor& tensor, std::string_view where) {
  const std::uint64_t bytes = tensor_bytes(tensor.dtype, tensor.shape, where);
  if (tensor.data.size() != bytes) {
    user_error("{}: {} of shape {} takes {} bytes, but the tensor holds {}", where,
               dtype_name(tensor.dtype), shape_text(tensor.shape), bytes, tensor.data.size());
  }
}

}  // namespace tensorlane
