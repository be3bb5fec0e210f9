#include "tensorlane/compare/patterns.h"

#include <fmt/format.h>

namespace tensorlane::compare {

std::string axis_name(std::size_t axis, std::size_t rank) {
  constexpr const char* kNames[] = {"batch", "channel", "row", "column"};
  if (rank == 1) return "element";
  if (rank <= 4) return kNames[axis + 4 - rank];
  return fmt::format("index of axis {}", axis);
}

std::string plural_name(std::size_t axis, std::size_t rank) {
  const std::string one = axis_name(axis, rank);
  if (one == "batch") return "batches";
  if (rank > 4) return fmt::format("indices of axis {}", axis);
  return one + "s";
}

std::string axis_letter(std::size_t axis, std::size_t rank) {
  constexpr const char* kNames[] = {"n", "c", "h", "w"};
  if (rank == 2) return axis == 0 ? "rows" : "columns";
  if (rank <= 4) return kNames[axis + 4 - rank];
  return fmt::format("axis {}", axis);
}

std::vector<std::int64_t> strides_of(const Shape& shape) {
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t stride = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= shape[d];
  }
  return strides;
}

}  // namespace tensorlane::compare
