// A tensor in host memory, as files hold it.
//
// Elements are stored in row-major order (last dimension fastest) without gaps, little-endian;
// 4-bit types two per byte over the flattened elements, the first in the low half (int4.h).
#ifndef TENSORLANE_IO_TENSOR_H_
#define TENSORLANE_IO_TENSOR_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tensorlane/tensor/dtype.h"

namespace tensorlane {

using Shape = std::vector<std::int64_t>;

// Largest number of dimensions that a file may have (NumPy's own limit).
inline constexpr std::size_t kMaxRank = 64;

struct Tensor {
  Dtype dtype = Dtype::kFp32;
  Shape shape;  // empty for a scalar
  std::vector<std::byte> data;

  friend bool operator==(const Tensor&, const Tensor&) = default;
};

struct NamedTensor {
  std::string name;
  Tensor tensor;

  friend bool operator==(const NamedTensor&, const NamedTensor&) = default;
};

// Product of the extents, 1 for a scalar. Throws UserError, beginning with `where`, for a rank
// above kMaxRank, a negative extent, or extents (zeros left out) whose product is above 2^62 / 32.
std::int64_t element_count(std::span<const std::int64_t> shape, std::string_view where);

// Bytes that the elements take. Throws like element_count().
std::uint64_t tensor_bytes(Dtype dtype, std::span<const std::int64_t> shape,
                           std::string_view where);

// "2x3x4", or "scalar".
std::string shape_text(std::span<const std::int64_t> shape);

// Throws UserError unless the data of `tensor` is what its dtype and shape ask for.
void check_tensor(const Tensor& tensor, std::string_view where);

}  // namespace tensorlane

#endif  // TENSORLANE_IO_TENSOR_H_
