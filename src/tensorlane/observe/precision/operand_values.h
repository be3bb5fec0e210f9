// The elements of a command's operands as arrays, with their shadows, and how the elements of a
// result belong to those of a source.
#ifndef TENSORLANE_OBSERVE_PRECISION_OPERAND_VALUES_H_
#define TENSORLANE_OBSERVE_PRECISION_OPERAND_VALUES_H_

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "tensorlane/base/kept_allocator.h"
#include "tensorlane/base/parallel.h"
#include "tensorlane/device/memory.h"
#include "tensorlane/ops/command.h"
#include "tensorlane/trail/shadow_memory.h"

namespace tensorlane::precision {

// Every command needs some as large as its operands.
using Numbers = std::vector<double, KeptAllocator<double>>;
using Blames = std::vector<trail::Blame, KeptAllocator<trail::Blame>>;
using Shadows = std::vector<trail::Shadow, KeptAllocator<trail::Shadow>>;
using Indices = std::vector<std::int64_t, KeptAllocator<std::int64_t>>;

// In logical order.
struct OperandValues {
  const Operand* operand = nullptr;
  Numbers exact = {};
  // Empty where no element has a shadow: they are what they should be.
  Numbers real = {};
  Blames blame = {};

  std::size_t size() const { return exact.size(); }
  bool has_error() const { return !real.empty(); }
  // With the shadows where there are some.
  const Numbers& best() const { return has_error() ? real : exact; }
};

OperandValues values_of(const Operand& operand, const DeviceMemory& memory,
                        const trail::ShadowMemory& shadows);
// Whether any byte of it belongs to an element with a shadow, whatever its type.
bool has_shadow(const Operand& operand, const trail::ShadowMemory& shadows);

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

// The rows of each_row(), to be gone over on several threads: the length of all of them and where
// they begin. Calls visit(number of the row, number of its first element, byte offset).
struct Rows {
  std::int64_t count = 0, step = 0;  // elements, and bytes from one to the next
  std::vector<std::int64_t> offsets = {};

  template <class Visit>
  void visit(Visit visit) const {
    constexpr std::int64_t kGrain = 1 << 14;  // elements
    parallel_ranges(
        static_cast<std::int64_t>(offsets.size()),
        std::max<std::int64_t>(least_parallel_work(kGrain) / std::max<std::int64_t>(count, 1), 1),
        [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t r = begin; r < end; ++r)
            visit(r, r * count, offsets[static_cast<std::size_t>(r)]);
        });
  }
};
Rows rows_of(const Layout& layout);

// Which element of a source belongs to each element of a result: dimension by dimension where both
// have the same extents by the list, again and again along those that the source has not. Empty
// where they are the same ones.
Indices spread_indices(const Operand& source, const Operand& result);

// `values` in the places that `indices` say; as they are where it is empty.
template <class Values>
Values spread(Values values, std::span<const std::int64_t> indices) {
  if (indices.empty()) return values;
  Values all(indices.size());
  for (std::size_t i = 0; i < indices.size(); ++i)
    all[i] = values[static_cast<std::size_t>(indices[i])];
  return all;
}
OperandValues spread(OperandValues values, std::span<const std::int64_t> indices);

// The dimension of the result with the index of dimension `dim` of the source, by the names of
// their extents; -1 where there is none.
int result_dimension(const Operand& source, int dim, const Operand& result);

// The command with a smaller result, at most so many elements: the first ones in every dimension,
// of those of its other operands that are extents of the result, too.
Command part_of(const Command& command, std::int64_t elements);

}  // namespace tensorlane::precision

#endif  // TENSORLANE_OBSERVE_PRECISION_OPERAND_VALUES_H_
