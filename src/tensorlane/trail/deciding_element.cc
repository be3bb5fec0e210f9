#include "tensorlane/trail/deciding_element.h"

#include <cfloat>
#include <cmath>

#include "tensorlane/inspect/operand_elements.h"
#include "tensorlane/trail/dependence.h"

namespace tensorlane::trail {
namespace {

// Denormal numbers of these types become zero on their way.
double flushed(double value, Dtype dtype) {
  const bool flushes = dtype == Dtype::kFp32 || dtype == Dtype::kBf16;
  return flushes && std::fabs(value) < FLT_MIN ? 0 : value;
}

bool equal(double a, double b, Dtype dtype) {
  return flushed(a, dtype) == flushed(b, dtype) || (std::isnan(a) && std::isnan(b));
}

// Calls f(index) for each combination of the indices, in logical order, until it returns false.
void each_index(const Elements& among, std::size_t dim, Layout::Index& index, bool& more,
                const auto& f) {
  if (dim == among.at.size()) {
    more = f(index);
    return;
  }
  for (const Range& range : among.at[dim]) {
    for (index[dim] = range.begin; index[dim] < range.end && more; ++index[dim])
      each_index(among, dim + 1, index, more, f);
  }
}

// The first element of a source, in logical order, for which `is` holds.
std::optional<Layout::Index> first_of(const Command& command, int source, const Elements& among,
                                      const DeviceMemory& memory, const auto& is) {
  const Operand& operand = command.operands()[static_cast<std::size_t>(source)];
  const inspect::OperandElements elements(operand, memory.base(operand.space));
  std::optional<Layout::Index> found;
  Layout::Index at{};
  bool more = true;
  each_index(among, 0, at, more, [&](const Layout::Index& index) {
    if (!is(index, elements.value(index))) return true;
    found = index;
    return false;
  });
  return found;
}

// The results of a sort in the order of the call: values, and where there are any their indices.
std::vector<int> sorted_results(const Command& command) {
  std::vector<int> results;
  for (int k = 0; k < command.operand_count(); ++k) {
    const Operand& operand = command.operands()[static_cast<std::size_t>(k)];
    if (operand.writes() && operand.spec->combination == Combination::kSorted) results.push_back(k);
  }
  return results;
}

// A sort writes values, perhaps with indices: positions, or those that stood beside the values.
DecidingElement sorted_element(const Command& command, int result, const DeviceMemory& memory,
                               const std::function<double(int)>& after) {
  const std::vector<int> sources = candidates(command, result), results = sorted_results(command);
  const int values = sources.front();
  const Operand& operand = command.operands()[static_cast<std::size_t>(values)];
  const Dtype dtype = operand.layout.dtype();
  const bool with_indices = results.size() > 1, own_indices = sources.size() > 1;
  const int asked = own_indices && with_indices && result == results[1] ? sources[1] : values;
  if (with_indices && !own_indices) {
    Layout::Index at{};
    at[3] = static_cast<std::int64_t>(after(results[1]));
    return {values, at};
  }
  const auto beside = [&](const Layout::Index& index) {
    if (!with_indices) return true;
    const Operand& other = command.operands()[static_cast<std::size_t>(sources[1])];
    return inspect::OperandElements(other, memory.base(other.space)).value(index) ==
           after(results[1]);
  };
  const double value = after(results.front());
  const auto found = first_of(command, values, candidates_of(command, result, {}, values), memory,
                              [&](const Layout::Index& index, double each) {
                                return equal(each, value, dtype) && beside(index);
                              });
  return found ? DecidingElement{asked, *found} : DecidingElement{};
}

}  // namespace

bool one_decides(const OperandSpec& result) {
  return result.combination == Combination::kMaximum ||
         result.combination == Combination::kMinimum || result.combination == Combination::kSorted;
}

std::vector<int> candidates(const Command& command, int result) {
  // A selection may give the extreme of what it compares besides.
  const bool compared = command.op->spec().dependence == Dependence::kSelected;
  std::vector<int> found;
  for (int k = 0; k < command.operand_count(); ++k) {
    const Operand& operand = command.operands()[static_cast<std::size_t>(k)];
    if (k != result && operand.role == Role::kIn && operand.spec->decides == compared &&
        !is_table(*operand.spec))
      found.push_back(k);
  }
  return found;
}

Elements candidates_of(const Command& command, int result, const Layout::Index& at, int source) {
  const Operand& to = command.operands()[static_cast<std::size_t>(result)];
  const Operand& from = command.operands()[static_cast<std::size_t>(source)];
  if (to.spec->combination != Combination::kSorted) return made_of(command, to, at, from);
  Elements all;
  for (int dim = 0; dim < from.layout.rank(); ++dim)
    all.at.push_back({{0, from.layout.extent(dim)}});
  return all;
}

DecidingElement deciding_element(const Command& command, int result, const Layout::Index& at,
                                 const DeviceMemory& memory,
                                 const std::function<double(int)>& after) {
  const Operand& to = command.operands()[static_cast<std::size_t>(result)];
  if (to.spec->combination == Combination::kSorted)
    return sorted_element(command, result, memory, after);
  const double value = after(result);
  for (const int source : candidates(command, result)) {
    const auto found = first_of(
        command, source, candidates_of(command, result, at, source), memory,
        [&](const Layout::Index&, double each) { return equal(each, value, to.layout.dtype()); });
    if (found) return {source, *found};
  }
  return {};
}

}  // namespace tensorlane::trail
