// The elements of a command's operands as arrays, with their shadows, and how the elements of a
// result belong to those of a source.
#ifndef TENSORLANE_OBSERVE_PRECISION_OPERAND_VALUES_H_
#define TENSORLANE_OBSERVE_PRECISION_OPERAND_VALUES_H_

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "tensorlane/device/memory.h"
#include "tensorlane/ops/command.h"
#include "tensorlane/trail/shadow_memory.h"

namespace tensorlane::precision {

// In logical order.
struct OperandValues {
  const Operand* operand = nullptr;
  std::vector<double> exact = {};
  // Empty where no element has a shadow: they are what they should be.
  std::vector<double> real = {};
  std::vector<trail::Blame> blame = {};

  std::size_t size() const { return exact.size(); }
  bool has_error() const { return !real.empty(); }
  // With the shadows where there are some.
  const std::vector<double>& best() const { return has_error() ? real : exact; }
};

OperandValues values_of(const Operand& operand, const DeviceMemory& memory,
                        const trail::ShadowMemory& shadows);

// Calls visit(number of the first element, its byte offset, elements, bytes from one to the next)
// for all elements in logical order: row by row where these go on evenly, else one by one.
template <class Visit>
void each_row(const Layout& layout, Visit visit) {
  Layout::Index index{};
  const std::int64_t size = layout.size();
  const int last = layout.rank() - 1;
  const bool even = last >= 0 && layout.unit_bits() == 8 && !layout.swizzle() &&
                    layout.offset(last) == 0 && layout.digits(last).size() == 1;
  const std::int64_t row = even ? std::max<std::int64_t>(layout.extent(last), 1) : 1;
  const std::int64_t step = even ? layout.digits(last)[0].stride : 0;
  for (std::int64_t i = 0; i < size; i += row) {
    visit(i, layout.address(index) * layout.unit_bits() / 8, row, step);
    for (int d = even ? last - 1 : last; d >= 0; --d) {
      if (++index[static_cast<std::size_t>(d)] < layout.extent(d)) break;
      index[static_cast<std::size_t>(d)] = 0;
    }
  }
}
// Calls visit(element number, byte offset) for every element in logical order.
template <class Visit>
void each_element(const Layout& layout, Visit visit) {
  each_row(layout,
           [&](std::int64_t number, std::int64_t offset, std::int64_t count, std::int64_t step) {
             for (std::int64_t i = 0; i < count; ++i) visit(number + i, offset + i * step);
           });
}

// Which element of a source belongs to each element of a result: dimension by dimension where both
// have the same extents by the list, again and again along those that the source has not. Empty
// where they are the same ones.
std::vector<std::int64_t> spread_indices(const Operand& source, const Operand& result);

// `values` in the places that `indices` say; as they are where it is empty.
template <class T>
std::vector<T> spread(const std::vector<T>& values, std::span<const std::int64_t> indices) {
  if (indices.empty()) return values;
  std::vector<T> all;
  all.reserve(indices.size());
  for (const std::int64_t i : indices) all.push_back(values[static_cast<std::size_t>(i)]);
  return all;
}
OperandValues spread(const OperandValues& values, std::span<const std::int64_t> indices);

// The dimension of the result with the index of dimension `dim` of the source, by the names of
// their extents; -1 where there is none.
int result_dimension(const Operand& source, int dim, const Operand& result);

// The command with a smaller result, at most so many elements: the first ones in every dimension,
// of those of its other operands that are extents of the result, too.
Command part_of(const Command& command, std::int64_t elements);

}  // namespace tensorlane::precision

#endif  // TENSORLANE_OBSERVE_PRECISION_OPERAND_VALUES_H_
