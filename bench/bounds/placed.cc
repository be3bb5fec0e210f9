#include "placed.h"

#include <algorithm>

namespace tensorlane::bench {
namespace {

constexpr int kByte = 8;

struct View {
  const Layout* layout;
  std::byte* base;

  // Of the element of the result: its only index where the operand has but one.
  std::byte* at(Layout::Index index) const {
    for (int d = 0; d < layout->rank(); ++d) {
      if (layout->extent(d) == 1) index[static_cast<std::size_t>(d)] = 0;
    }
    return base + layout->address({index.data(), static_cast<std::size_t>(layout->rank())});
  }
  // Bytes from one element of the last dimension to the next, as far as its innermost digit goes.
  std::int64_t step(const Layout& result) const {
    const int last = layout->rank() - 1;
    if (layout->extent(last) == 1 && result.extent(last) > 1) return 0;
    return layout->extent(last) == 1 ? layout->element_units() : layout->digits(last)[0].stride;
  }
};

bool fits(const Layout& layout, const Layout& result) {
  if (layout.unit_bits() != kByte || layout.swizzle() || layout.rank() != result.rank())
    return false;
  for (int d = 0; d < layout.rank(); ++d) {
    if (layout.extent(d) != 1 && layout.extent(d) != result.extent(d)) return false;
  }
  return true;
}

// Elements of a row that every operand has at equal steps, from index 0 on.
bool even_rows(const std::vector<View>& views) {
  return std::ranges::all_of(views, [](const View& view) {
    return view.layout->digits(view.layout->rank() - 1).size() == 1;
  });
}

// Appends a run, or makes the one before it longer where it goes on at the same steps.
void append(Placed& placed, const Run& run) {
  if (!placed.runs.empty()) {
    Run& before = placed.runs.back();
    bool goes_on = true;
    for (std::size_t k = 0; k < placed.operands; ++k)
      goes_on = goes_on && run.at[k] == before.at[k] + before.count * placed.steps[k];
    if (goes_on) {
      before.count += run.count;
      return;
    }
  }
  placed.runs.push_back(run);
}

}  // namespace

bool Placed::dense() const {
  for (std::size_t k = 0; k < operands; ++k) {
    if (steps[k] != 0 && steps[k] != dtype_bits(types[k]) / kByte) return false;
  }
  return true;
}

Placed place(const Command& command, Memories memory) {
  std::vector<View> views;
  Placed placed;
  for (const bool results : {true, false}) {
    for (const Operand& operand : command.operands()) {
      if (operand.role == Role::kWork || operand.writes() != results) continue;
      if (placed.operands == kPlaced) return {};
      views.push_back({&operand.layout, memory[static_cast<std::size_t>(operand.space)]});
      placed.types[placed.operands++] = operand.layout.dtype();
    }
  }
  if (views.empty() || views[0].layout->rank() == 0) return {};
  const Layout& result = *views[0].layout;
  for (std::size_t k = 0; k < placed.operands; ++k) {
    if (!fits(*views[k].layout, result)) return {};
    placed.steps[k] = views[k].step(result);
  }
  const int last = result.rank() - 1;
  const std::int64_t part = even_rows(views) ? result.extent(last) : 1;
  Layout::Index index{};
  for (std::int64_t done = 0; done < result.size(); done += part) {
    Run run;
    run.count = part;
    for (std::size_t k = 0; k < placed.operands; ++k) run.at[k] = views[k].at(index);
    append(placed, run);
    index[static_cast<std::size_t>(last)] += part;
    for (int d = last; d > 0 && index[static_cast<std::size_t>(d)] == result.extent(d); --d) {
      index[static_cast<std::size_t>(d)] = 0;
      ++index[static_cast<std::size_t>(d - 1)];
    }
  }
  return placed;
}

}  // namespace tensorlane::bench
