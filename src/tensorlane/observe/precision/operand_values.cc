#include "tensorlane/observe/precision/operand_values.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "tensorlane/compare/compare.h"
#include "tensorlane/inspect/operand_elements.h"
#include "tensorlane/inspect/value.h"

namespace tensorlane::precision {

OperandValues values_of(const Operand& operand, const DeviceMemory& memory,
                        const trail::ShadowMemory& shadows) {
  OperandValues values{.operand = &operand};
  const Tensor tensor = inspect::OperandElements(operand, memory.base(operand.space)).tensor();
  const Dtype dtype = operand.layout.dtype();
  values.exact.resize(static_cast<std::size_t>(operand.layout.size()));
  compare::read_elements(inspect::readable(dtype), tensor.data, values.exact);
  if (dtype_bits(dtype) < 8 || values.exact.empty()) return values;
  const Layout::Bounds bounds = operand.layout.loose_bounds(false);
  if (!shadows.any(operand.space, bounds.begin, bounds.end)) return values;
  values.real = values.exact;
  values.blame.resize(values.exact.size());
  std::atomic<bool> wrong = false;
  const Rows rows = rows_of(operand.layout);
  rows.visit([&](std::int64_t /*row*/, std::int64_t first, std::int64_t offset) {
    bool found = false;
    shadows.visit_row({operand.space, offset, rows.count, rows.step, dtype},
                      [&](std::int64_t i, const trail::Shadow& shadow) {
                        values.real[static_cast<std::size_t>(first + i)] = shadow.value;
                        values.blame[static_cast<std::size_t>(first + i)] = shadow.blame;
                        found = true;
                      });
    if (found) wrong.store(true, std::memory_order_relaxed);
  });
  if (!wrong) {
    values.real.clear();
    values.blame.clear();
  }
  return values;
}

bool has_shadow(const Operand& operand, const trail::ShadowMemory& shadows) {
  const Layout::Bounds bounds = operand.layout.loose_bounds(false);
  if (!shadows.any(operand.space, bounds.begin, bounds.end)) return false;
  if (dtype_bits(operand.layout.dtype()) < 8) return true;
  constexpr std::int64_t kWidest = 4;  // what begins before a byte may reach to it
  const std::int64_t bytes = dtype_bytes(operand.layout.dtype());
  bool found = false;
  const auto look = [&](std::int64_t begin, std::int64_t end) {
    shadows.visit(operand.space, std::max<std::int64_t>(begin - kWidest + 1, 0), end,
                  [&](std::int64_t at, const trail::Shadow& shadow) {
                    found = found || at + dtype_bytes(static_cast<Dtype>(shadow.type - 1)) > begin;
                  });
  };
  each_row(operand.layout,
           [&](std::int64_t, std::int64_t offset, std::int64_t count, std::int64_t step) {
             if (found) return;
             if (step == bytes) return look(offset, offset + count * bytes);
             for (std::int64_t i = 0; i < count && !found; ++i)
               look(offset + i * step, offset + i * step + bytes);
           });
  return found;
}

Rows rows_of(const Layout& layout) {
  Rows rows;
  each_row(layout, [&](std::int64_t, std::int64_t offset, std::int64_t count, std::int64_t step) {
    rows.count = count;
    rows.step = step;
    rows.offsets.push_back(offset);
  });
  return rows;
}

int result_dimension(const Operand& source, int dim, const Operand& result) {
  const auto& names = source.spec->shape;
  const auto& of_result = result.spec->shape;
  const std::string_view name = names[static_cast<std::size_t>(dim)];
  if (std::ranges::count(of_result, name) == 1 && !(name.front() >= '0' && name.front() <= '9'))
    return static_cast<int>(std::ranges::find(of_result, name) - of_result.begin());
  // Twice the same name, as in a square: by place.
  const bool in_place =
      names.size() == of_result.size() && of_result[static_cast<std::size_t>(dim)] == name;
  return in_place ? dim : -1;
}

Indices spread_indices(const Operand& source, const Operand& result) {
  const Layout &from = source.layout, &to = result.layout;
  std::array<std::int64_t, Layout::kMaxDims> step{};  // in the source, per dimension of the result
  std::int64_t stride = 1;
  bool same = from.rank() == to.rank();
  for (int d = from.rank() - 1; d >= 0; --d) {
    const int at = result_dimension(source, d, result);
    if (at >= 0 && from.extent(d) == to.extent(at)) step[static_cast<std::size_t>(at)] = stride;
    same = same && at == d && from.extent(d) == to.extent(d);
    stride *= from.extent(d);
  }
  if (same) return {};
  Indices indices(static_cast<std::size_t>(to.size()));
  const int last = to.rank() - 1;
  const std::int64_t row = last < 0 ? 1 : std::max<std::int64_t>(to.extent(last), 1);
  const std::int64_t along = last < 0 ? 0 : step[static_cast<std::size_t>(last)];
  Layout::Index index{};
  for (std::int64_t begin = 0; begin < to.size(); begin += row) {
    std::int64_t number = 0;
    for (int d = 0; d < last; ++d)
      number += index[static_cast<std::size_t>(d)] * step[static_cast<std::size_t>(d)];
    for (std::int64_t i = 0; i < row; ++i)
      indices[static_cast<std::size_t>(begin + i)] = number + i * along;
    for (int d = last - 1; d >= 0; --d) {
      if (++index[static_cast<std::size_t>(d)] < to.extent(d)) break;
      index[static_cast<std::size_t>(d)] = 0;
    }
  }
  return indices;
}

Command part_of(const Command& command, std::int64_t elements) {
  Command part = command;
  const auto result = std::ranges::find_if(command.operands(), &Operand::writes);
  if (result == command.operands().end()) return part;
  std::vector<std::int64_t> extents;
  for (int d = 0; d < result->layout.rank(); ++d) extents.push_back(result->layout.extent(d));
  std::int64_t size = result->layout.size();
  while (size > elements && !extents.empty()) {
    std::int64_t& most = *std::ranges::max_element(extents);
    if (most <= 1) break;
    size = size / most * ((most + 1) / 2);
    most = (most + 1) / 2;
  }
  for (std::size_t k = 0; k < part.operand_storage.size(); ++k) {
    const Operand& operand = command.operands()[k];
    Layout& layout = part.operand_storage[k].layout;
    for (int d = 0; d < operand.layout.rank(); ++d) {
      const int of = &operand == &*result ? d : result_dimension(operand, d, *result);
      if (of < 0 || operand.layout.extent(d) != result->layout.extent(of)) continue;
      const std::int64_t count = extents[static_cast<std::size_t>(of)];
      if (count < operand.layout.extent(d)) layout = layout.slice(d, 0, count);
    }
  }
  return part;
}

OperandValues spread(OperandValues values, std::span<const std::int64_t> indices) {
  OperandValues all{.operand = values.operand, .exact = spread(std::move(values.exact), indices)};
  if (values.real.empty()) return all;
  all.real = spread(std::move(values.real), indices);
  all.blame = spread(std::move(values.blame), indices);
  return all;
}

}  // namespace tensorlane::precision
