#include "tensorlane/observe/precision/operand_values.h"

#include <algorithm>

#include "tensorlane/compare/compare.h"
#include "tensorlane/inspect/operand_elements.h"
#include "tensorlane/inspect/value.h"

namespace tensorlane::precision {

OperandValues values_of(const Operand& operand, const DeviceMemory& memory,
                        const trail::ShadowMemory& shadows) {
  OperandValues values{.operand = &operand};
  const Tensor tensor = inspect::OperandElements(operand, memory.base(operand.space)).tensor();
  const Dtype dtype = operand.layout.dtype();
  values.exact = compare::elements_of(inspect::readable(dtype), tensor.data,
                                      static_cast<std::size_t>(operand.layout.size()));
  if (dtype_bits(dtype) < 8 || values.exact.empty()) return values;
  const Layout::Bounds bounds = operand.layout.loose_bounds(false);
  if (!shadows.any(operand.space, bounds.begin, bounds.end)) return values;
  each_element(operand.layout, [&](std::int64_t i, std::int64_t offset) {
    const trail::Shadow* const shadow = shadows.find(operand.space, offset, dtype);
    if (shadow == nullptr) return;
    if (values.real.empty()) {
      values.real = values.exact;
      values.blame.resize(values.exact.size());
    }
    values.real[static_cast<std::size_t>(i)] = shadow->value;
    values.blame[static_cast<std::size_t>(i)] = shadow->blame;
  });
  return values;
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

std::vector<std::int64_t> spread_indices(const Operand& source, const Operand& result) {
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
  std::vector<std::int64_t> indices;
  indices.reserve(static_cast<std::size_t>(to.size()));
  Layout::Index index{};
  for (std::int64_t i = 0; i < to.size(); ++i) {
    std::int64_t number = 0;
    for (int d = 0; d < to.rank(); ++d)
      number += index[static_cast<std::size_t>(d)] * step[static_cast<std::size_t>(d)];
    indices.push_back(number);
    for (int d = to.rank() - 1; d >= 0; --d) {
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

OperandValues spread(const OperandValues& values, std::span<const std::int64_t> indices) {
  OperandValues all{.operand = values.operand, .exact = spread(values.exact, indices)};
  if (!values.has_error()) return all;
  all.real = spread(values.real, indices);
  all.blame = spread(values.blame, indices);
  return all;
}

}  // namespace tensorlane::precision
