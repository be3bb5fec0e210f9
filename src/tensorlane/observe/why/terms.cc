#include "tensorlane/observe/why/terms.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "tensorlane/inspect/operand_elements.h"
#include "tensorlane/trail/dependence.h"

namespace tensorlane::why {
namespace {

using trail::Relation;

constexpr std::int64_t kMostTerms = 1 << 24;

// A source of the sum, with how its dimensions lie to those of the result.
struct Summed {
  int operand;
  const Operand* spec;
  std::vector<Relation> dims;
  std::vector<bool> reversed;  // the dimensions that count from their end
};

// What is summed over: "input_shape.c", "kernel_h".
struct Counter {
  std::string_view name;
  std::int64_t extent;
};

std::int64_t extent_of(const Relation& relation, const Operand& source, int dim) {
  return relation.kind == Relation::Kind::kWindows ? relation.windows.kernel
                                                   : source.layout.extent(dim);
}

// Whether a dimension is one of the kernel that windows slide.
bool counts_taps(const Command& command, const Relation& relation) {
  return relation.kind == Relation::Kind::kAll &&
         std::ranges::any_of(command.op->windows(), [&](const Op::CompiledWindow& window) {
           return window.spec->kernel == relation.counted;
         });
}

// The counters of a source, by name; extents that are no names (a literal 1) count nothing.
std::vector<Counter> counters_of(const Summed& source) {
  std::vector<Counter> counters;
  for (int dim = 0; dim < static_cast<int>(source.dims.size()); ++dim) {
    const Relation& relation = source.dims[static_cast<std::size_t>(dim)];
    if (relation.kind == Relation::Kind::kSame) continue;
    const std::int64_t extent = extent_of(relation, *source.spec, dim);
    if (extent != 1) counters.push_back({relation.counted, extent});
  }
  std::ranges::sort(counters, {}, &Counter::name);
  return counters;
}

bool alike(const std::vector<Counter>& a, const std::vector<Counter>& b) {
  return std::ranges::equal(a, b, [](const Counter& x, const Counter& y) {
    return x.name == y.name && x.extent == y.extent;
  });
}

bool distinct(const std::vector<Counter>& counters) {
  return std::ranges::adjacent_find(counters, {}, &Counter::name) == counters.end();
}

// The element of a source for these values of the counters; nothing in padding.
std::optional<Layout::Index> element(const Summed& source, const Layout::Index& at,
                                     const std::vector<Counter>& counters,
                                     const std::vector<std::int64_t>& counts) {
  Layout::Index index{};
  for (std::size_t dim = 0; dim < source.dims.size(); ++dim) {
    const Relation& relation = source.dims[dim];
    if (relation.kind == Relation::Kind::kSame) {
      index[dim] = at[static_cast<std::size_t>(relation.dim)];
      continue;
    }
    const auto counter = std::ranges::find(counters, relation.counted, &Counter::name);
    const std::int64_t count = counter == counters.end()
                                   ? 0
                                   : counts[static_cast<std::size_t>(counter - counters.begin())];
    const std::int64_t extent = source.spec->layout.extent(static_cast<int>(dim));
    if (relation.kind == Relation::Kind::kAll) {
      index[dim] = source.reversed[dim] ? extent - 1 - count : count;
      continue;
    }
    const auto on =
        relation.windows.element(at[static_cast<std::size_t>(relation.dim)], count, extent);
    if (!on) return std::nullopt;
    index[dim] = *on;
  }
  return index;
}

}  // namespace

double weight(double value) {
  return std::isnan(value) ? std::numeric_limits<double>::infinity() : std::abs(value);
}

std::optional<Terms> terms_of(const Command& command, int result, const Layout::Index& at,
                              std::span<const Source> sources, const DeviceMemory& memory,
                              std::size_t most) {
  const Operand& to = command.operands()[static_cast<std::size_t>(result)];
  const bool rotated = to.spec->combination == Combination::kRotatedSum;
  if (!rotated && to.spec->combination != Combination::kSum &&
      to.spec->combination != Combination::kMean)
    return std::nullopt;
  // Windows that values state are not known here.
  if (std::ranges::any_of(command.operands(),
                          [](const Operand& operand) { return operand.spec->decides; }))
    return std::nullopt;
  std::vector<Summed> summed;
  for (const Source& source : sources) {
    if (source.part != Source::Part::kValue || count(source.elements) <= 1) continue;
    const Operand& operand = command.operands()[static_cast<std::size_t>(source.operand)];
    Summed& added = summed.emplace_back(Summed{source.operand, &operand, {}, {}});
    for (int dim = 0; dim < operand.layout.rank(); ++dim) {
      added.dims.push_back(trail::relation(command, operand, dim, to));
      added.reversed.push_back(rotated && counts_taps(command, added.dims.back()));
    }
  }
  if (summed.empty()) return std::nullopt;
  const std::vector<Counter> counters = counters_of(summed.front());
  std::int64_t combinations = 1;
  for (const Counter& counter : counters) combinations *= counter.extent;
  if (!distinct(counters) || combinations > kMostTerms) return std::nullopt;
  if (!std::ranges::all_of(
          summed, [&](const Summed& other) { return alike(counters_of(other), counters); }))
    return std::nullopt;

  Terms terms;
  std::vector<std::int64_t> counts(counters.size());
  const auto larger = [](const Term& a, const Term& b) {
    return weight(a.value) > weight(b.value);
  };
  std::vector<Factor> factors;
  for (std::int64_t k = 0; k < combinations; ++k) {
    std::int64_t rest = k;
    for (std::size_t dim = counters.size(); dim-- > 0;) {
      counts[dim] = rest % counters[dim].extent;
      rest /= counters[dim].extent;
    }
    factors.clear();
    double product = 1;
    for (const Summed& source : summed) {
      const auto index = element(source, at, counters, counts);
      if (!index) break;
      const double value =
          inspect::OperandElements(*source.spec, memory.base(source.spec->space)).value(*index);
      factors.push_back({source.operand, *index, value});
      product *= value;
    }
    if (factors.size() != summed.size()) continue;
    ++terms.count;
    terms.sum += product;
    if (terms.largest.size() == most && most > 0 &&
        weight(product) <= weight(terms.largest.back().value))
      continue;
    if (most == 0) continue;
    Term term{factors, product};
    terms.largest.insert(std::ranges::upper_bound(terms.largest, term, larger), std::move(term));
    if (terms.largest.size() > most) terms.largest.pop_back();
  }
  return terms;
}

}  // namespace tensorlane::why
