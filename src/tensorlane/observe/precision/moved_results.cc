#include <algorithm>

#include "tensorlane/observe/precision/results.h"
#include "tensorlane/trail/element_origins.h"

namespace tensorlane::precision {
namespace {

// Those of all elements; empty where there is none.
Shadows shadows_of(const Operand& operand, const trail::ShadowMemory& shadows) {
  Shadows all;
  const Dtype dtype = operand.layout.dtype();
  const Layout::Bounds bounds = operand.layout.loose_bounds(false);
  if (dtype_bits(dtype) < 8 || !shadows.any(operand.space, bounds.begin, bounds.end)) return all;
  each_row(operand.layout,
           [&](std::int64_t number, std::int64_t offset, std::int64_t count, std::int64_t step) {
             shadows.visit_row({operand.space, offset, count, step, dtype},
                               [&](std::int64_t i, const trail::Shadow& shadow) {
                                 all.resize(static_cast<std::size_t>(operand.layout.size()));
                                 all[static_cast<std::size_t>(number + i)] = shadow;
                               });
           });
  return all;
}

}  // namespace

std::vector<MovedResult> moved_results(const Command& command, const Meaning& meaning,
                                       const DeviceMemory& memory,
                                       const trail::ShadowMemory& shadows) {
  std::vector<Shadows> held;
  bool any = false, partly = false;
  for (const Operand& operand : command.operands()) {
    const bool source = operand.role == Role::kIn && !operand.spec->decides;
    held.push_back(source ? shadows_of(operand, shadows) : Shadows());
    any = any || !held.back().empty();
    partly = partly || operand.role == Role::kInOut;
  }
  std::vector<MovedResult> results;
  for (const Operand& operand : command.operands()) {
    if (operand.writes()) results.push_back({.operand = &operand});
  }
  if (meaning.kind == Meaning::Kind::kCopy) {
    if (!any || results.size() != 1) return results;
    for (std::size_t k = 0; k < held.size(); ++k) {
      if (held[k].empty()) continue;
      results[0].shadows =
          spread(std::move(held[k]), spread_indices(command.operands()[k], *results[0].operand));
    }
    return results;
  }
  // Where all of a result is overwritten by what is right, nothing is to be found out.
  if (!any && !partly) return results;
  const std::vector<std::vector<trail::Origin>> origins = trail::origins_of(command, memory);
  for (std::size_t r = 0; r < results.size(); ++r) {
    const std::size_t size = origins[r].size();
    results[r].shadows.resize(size);
    results[r].kept.resize(size);
    for (std::size_t i = 0; i < size; ++i) {
      const trail::Origin& origin = origins[r][i];
      results[r].kept[i] = origin.kept;
      if (origin.operand < 0) continue;
      const Shadows& from = held[static_cast<std::size_t>(origin.operand)];
      if (!from.empty()) results[r].shadows[i] = from[static_cast<std::size_t>(origin.element)];
    }
  }
  return results;
}

}  // namespace tensorlane::precision
