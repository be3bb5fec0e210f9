#include "tensorlane/differential/call_form.h"

#include <fmt/format.h>

#include <algorithm>

namespace tensorlane::differential {
namespace {

// The step along a dimension of the tensor: that of its innermost digit, in elements.
std::int64_t step(const Layout& layout, int d) {
  return layout.digits(d).front().stride / std::max<std::int64_t>(layout.element_units(), 1);
}

bool share_bytes(const Operand& one, const Operand& other) {
  if (one.space != other.space) return false;
  const bool local =
      one.layout.space() == AddressSpace::kLocal && other.layout.space() == AddressSpace::kLocal;
  const Layout::Bounds a = one.layout.loose_bounds(local), b = other.layout.loose_bounds(local);
  return a.begin < b.end && b.begin < a.end;
}

// How an operand is walked through from its first element to its last.
std::string walk(const Layout& layout) {
  std::string zeros, backwards;
  for (int d = 0; d < layout.rank(); ++d) {
    if (layout.extent(d) < 2 || layout.digits(d).size() > 1) continue;
    const std::int64_t s = step(layout, d);
    if (s == 0) zeros += std::to_string(d);
    if (s < 0) backwards += std::to_string(d);
  }
  const int last = layout.rank() - 1;
  std::string text = layout.extent(last) < 2 ? "one" : step(layout, last) == 1 ? "dense" : "apart";
  if (!zeros.empty()) text += " zero " + zeros;
  if (!backwards.empty()) text += " back " + backwards;
  if (zeros.empty() && !layout.nested()) text += " folded";
  return text;
}

}  // namespace

NpuRange npus_of(const Operand& operand, const Chip& chip) {
  const Layout& layout = operand.layout;
  const int dim = layout.npu_dim();
  std::int64_t each =
      1;  // indices of the dimension in an NPU before the next: a matrix has several
  for (const Digit& digit : layout.digits(dim)) {
    if (digit.stride == layout.npu_units()) break;
    each *= digit.extent;
  }
  const std::int64_t first = layout.base() / layout.npu_bytes() + layout.offset(dim) / each;
  return {first, std::min<std::int64_t>(ceil_div(layout.extent(dim), each), chip.local.npus)};
}

Along along_of(const Layout& layout) {
  for (int d = layout.rank() - 1; d >= 0; --d) {
    if (layout.extent(d) > 1 && layout.digits(d).front().extent > 1)
      return along(layout.digits(d).front().stride, layout.element_units());
  }
  return Along::kSideBySide;
}

std::vector<std::string> features_of(const Command& command) {
  std::vector<std::string> features;
  const auto operands = command.operands();
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const Operand& operand = operands[k];
    const Layout& layout = operand.layout;
    const auto add = [&](std::string_view feature) {
      features.push_back(fmt::format("{} {}", operand.name(), feature));
    };
    add(dtype_name(layout.dtype()));
    add(walk(layout));
    if (layout.space() == AddressSpace::kLocal) {
      const std::int64_t npu = npus_of(operand, *command.chip).first;
      const bool beside = k > 0 && operands[0].layout.space() == AddressSpace::kLocal &&
                          npu != npus_of(operands[0], *command.chip).first;
      if (beside || npu != 0) add(beside ? "at an NPU of its own" : "not at NPU 0");
    } else if (operand.space != Space::kGlobal) {
      add(space_name(operand.space));
    }
    if (layout.base() % 64 != 0) add("at an odd place");
    for (std::size_t other = 0; other < k; ++other) {
      const bool same =
          layout.same_addresses(operands[other].layout) && operand.space == operands[other].space;
      if (!same && !share_bytes(operand, operands[other])) continue;
      add(fmt::format("{} {}", same ? "in place of" : "over", operands[other].name()));
    }
  }
  return features;
}

std::string form_of(const std::vector<std::string>& features) {
  return fmt::format("{}", fmt::join(features, "; "));
}

}  // namespace tensorlane::differential
