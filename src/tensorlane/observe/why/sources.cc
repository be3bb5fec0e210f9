#include "tensorlane/observe/why/sources.h"

#include <fmt/format.h>

#include <algorithm>

#include "tensorlane/inspect/operand_elements.h"
#include "tensorlane/ops/engines.h"
#include "tensorlane/trail/deciding_element.h"
#include "tensorlane/trail/dependence.h"
#include "tensorlane/trail/moved_elements.h"

namespace tensorlane::why {
namespace {

trail::Elements one(const Layout::Index& at, int rank) {
  trail::Elements elements;
  for (int dim = 0; dim < rank; ++dim) {
    const std::int64_t index = at[static_cast<std::size_t>(dim)];
    elements.at.push_back({{index, index + 1}});
  }
  return elements;
}

trail::Elements all_of(const Layout& layout) {
  trail::Elements elements;
  for (int dim = 0; dim < layout.rank(); ++dim) elements.at.push_back({{0, layout.extent(dim)}});
  return elements;
}

// Bits that are not looked at, each in one place of the result.
bool copies_bits(const Command& command, const Operand& result) {
  const int sources = static_cast<int>(std::ranges::count_if(
      command.operands(), [](const Operand& operand) { return operand.reads(); }));
  return is_dma(command.engine()) && sources == 1 && !result.reads();
}

// Of a result that one element decides: that element, and what it was compared with. What decides
// about a selection takes no part in an extreme of what it compares, and the other way round.
Sources decided_sources(const Command& command, int result, const Layout::Index& at,
                        const DeviceMemory& memory, const std::map<int, double>& after) {
  Sources sources;
  const std::vector<int> candidates = trail::candidates(command, result);
  const trail::DecidingElement deciding = trail::deciding_element(
      command, result, at, memory, [&](int operand) { return after.at(operand); });
  sources.constant = deciding.operand < 0;
  for (const int k : candidates) {
    const Operand& source = command.operands()[static_cast<std::size_t>(k)];
    trail::Elements among = trail::candidates_of(command, result, at, k);
    const std::int64_t size = count(among);
    sources.chosen_of += size;
    if (deciding.operand == k)
      sources.list.insert(sources.list.begin(),
                          {k, one(deciding.index, source.layout.rank()), Source::Part::kValue});
    if (sources.constant)
      sources.list.push_back({k, std::move(among)});
    else if (size > 1 || deciding.operand != k)
      sources.list.push_back({k, std::move(among), Source::Part::kCompared});
  }
  const bool selects = command.op->spec().dependence == Dependence::kSelected;
  for (int k = 0; k < command.operand_count() && !selects; ++k) {
    const Operand& operand = command.operands()[static_cast<std::size_t>(k)];
    const Operand& to = command.operands()[static_cast<std::size_t>(result)];
    if (operand.role != Role::kIn || std::ranges::count(candidates, k) > 0) continue;
    sources.list.push_back(
        {k, trail::made_of(command, to, at, operand),
         trail::is_table(*operand.spec) ? Source::Part::kTable : Source::Part::kDecides});
  }
  return sources;
}

}  // namespace

std::map<int, double> values_after(const Command& command, const Layout::Index& at,
                                   const DeviceMemory& memory) {
  std::map<int, double> after;
  for (int k = 0; k < command.operand_count(); ++k) {
    const Operand& operand = command.operands()[static_cast<std::size_t>(k)];
    if (!operand.writes() || !trail::one_decides(*operand.spec)) continue;
    bool inside = true;
    for (int dim = 0; dim < operand.layout.rank(); ++dim)
      inside = inside && at[static_cast<std::size_t>(dim)] < operand.layout.extent(dim);
    if (!inside) continue;
    after[k] = inspect::OperandElements(operand, memory.base(operand.space)).value(at);
  }
  return after;
}

Sources sources_of(const Command& command, int result, const Layout::Index& at,
                   const DeviceMemory& memory, const std::map<int, double>& after) {
  if (after.contains(result)) return decided_sources(command, result, at, memory, after);
  const Operand& to = command.operands()[static_cast<std::size_t>(result)];
  const Dependence dependence = command.op->spec().dependence;
  Sources sources;
  bool values = true;                     // by the names of the indices
  const Operand* from_operand = nullptr;  // that the element moved from
  Layout::Index from_index{};
  if (dependence == Dependence::kMoved || dependence == Dependence::kSelected) {
    const auto from = trail::moved_from(command, result, at, &memory);
    if (from && from->kind == trail::MovedFrom::Kind::kKept) return {.kept = true};
    if (from && from->kind == trail::MovedFrom::Kind::kElement) {
      const Operand& source = command.operands()[static_cast<std::size_t>(from->operand)];
      sources.list.push_back({from->operand, one(from->index, source.layout.rank())});
      sources.moved = true;
      values = false;
      from_index = from->index;
      from_operand = &source;
    }
  } else {
    sources.moved = copies_bits(command, to);
  }
  // A sort or a suppression: values of the whole source decide.
  const bool whole = dependence == Dependence::kByShape && !trail::element_wise(*command.op);
  const auto elements_of = [&](const Operand& source) {
    return whole ? all_of(source.layout) : trail::made_of(command, to, at, source);
  };
  for (int k = 0; k < command.operand_count(); ++k) {
    const Operand& operand = command.operands()[static_cast<std::size_t>(k)];
    if (!operand.reads()) continue;
    if (operand.writes()) {
      if (k == result)
        sources.list.push_back({k, one(at, to.layout.rank()), Source::Part::kBefore});
      continue;
    }
    if (trail::is_table(*operand.spec)) {
      sources.list.push_back({k, elements_of(operand), Source::Part::kTable});
    } else if (operand.spec->decides) {
      // The indices of a gather are those of its results, the ones of a scatter of its sources.
      trail::Elements deciding = elements_of(operand);
      if (from_operand != nullptr) {
        trail::Elements other = trail::made_of(command, *from_operand, from_index, operand);
        if (count(other) < count(deciding)) deciding = std::move(other);
      }
      sources.list.push_back({k, std::move(deciding), Source::Part::kDecides});
    } else if (values) {
      sources.list.push_back({k, elements_of(operand)});
    }
  }
  return sources;
}

std::int64_t count(const trail::Elements& elements) {
  std::int64_t count = 1;
  for (const trail::Indices& dim : elements.at) {
    std::int64_t here = 0;
    for (const trail::Range& range : dim) here += range.bytes();
    count *= here;
  }
  return count;
}

std::vector<Layout::Index> indices(const trail::Elements& elements, std::size_t most) {
  std::vector<Layout::Index> all;
  if (elements.empty()) return all;
  const std::size_t rank = elements.at.size();
  std::array<std::size_t, Layout::kMaxDims> range{};
  Layout::Index at{};
  for (std::size_t dim = 0; dim < rank; ++dim) at[dim] = elements.at[dim].front().begin;
  while (all.size() < most) {
    all.push_back(at);
    std::size_t dim = rank;
    for (; dim > 0; --dim) {
      const trail::Indices& ranges = elements.at[dim - 1];
      std::size_t& here = range[dim - 1];
      if (++at[dim - 1] < ranges[here].end) break;
      if (++here < ranges.size()) {
        at[dim - 1] = ranges[here].begin;
        break;
      }
      here = 0;
      at[dim - 1] = ranges.front().begin;
    }
    if (dim == 0) break;
  }
  return all;
}

std::string elements_text(const trail::Elements& elements) {
  std::string text;
  for (const trail::Indices& dim : elements.at) {
    std::string part;
    for (const trail::Range& range : dim) {
      if (!part.empty()) part += ",";
      part += range.bytes() == 1 ? fmt::format("{}", range.begin)
                                 : fmt::format("{}..{}", range.begin, range.end - 1);
    }
    if (dim.size() > 1) part = "{" + part + "}";
    text += (text.empty() ? "" : ",") + part;
  }
  return "[" + text + "]";
}

}  // namespace tensorlane::why
