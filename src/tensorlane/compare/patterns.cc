#include "tensorlane/compare/patterns.h"
#include "tensorlane/base/language.h"

#include <fmt/format.h>

namespace tensorlane::compare {

std::string axis_name(std::size_t axis, std::size_t rank) {
  constexpr std::string_view kNames[] = {msg("batch"), msg("channel"), msg("row"), msg("column")};
  if (rank == 1) return tr("element");
  if (rank <= 4) return std::string(translated(kNames[axis + 4 - rank]));
  return tr("index of axis {}", axis);
}

std::string plural_name(std::size_t axis, std::size_t rank) {
  constexpr std::string_view kNames[] = {msg("batches"), msg("channels"), msg("rows"),
                                         msg("columns")};
  if (rank == 1) return tr("elements");
  if (rank <= 4) return std::string(translated(kNames[axis + 4 - rank]));
  return tr("indices of axis {}", axis);
}

std::string axis_letter(std::size_t axis, std::size_t rank) {
  constexpr const char* kNames[] = {"n", "c", "h", "w"};
  if (rank == 2) return axis == 0 ? tr("rows") : tr("columns");
  if (rank <= 4) return kNames[axis + 4 - rank];
  return tr("axis {}", axis);
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
