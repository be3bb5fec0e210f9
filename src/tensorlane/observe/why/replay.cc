#include "tensorlane/observe/why/replay.h"

#include <algorithm>

#include "tensorlane/base/error.h"
#include "tensorlane/device/session.h"
#include "tensorlane/inspect/operand_elements.h"
#include "tensorlane/trail/saved_bytes.h"

namespace tensorlane::why {
namespace {

void transpose(const Operand& operand, const DeviceMemory& memory, int a, int b) {
  const inspect::OperandElements elements(operand, memory.base(operand.space));
  std::byte* const base = memory.base(operand.space);
  const auto bytes = static_cast<std::size_t>(operand.layout.element_units());
  for (std::int64_t number = 0; number < elements.size(); ++number) {
    const Layout::Index here = elements.index(number);
    Layout::Index there = here;
    const auto first = static_cast<std::size_t>(a), second = static_cast<std::size_t>(b);
    std::swap(there[first], there[second]);
    if (here[first] >= here[second]) continue;
    std::byte *const x = base + operand.layout.address(here), *const y =
                                                                  base +
                                                                  operand.layout.address(there);
    std::swap_ranges(x, x + bytes, y);
  }
}

}  // namespace

bool Replay::before(trail::Writer event) {
  if (event == at_) return true;
  if (history_.find(event) == nullptr || event < history_.first_kept()) return false;
  history_.rewind(event);
  at_ = event;
  return true;
}

std::optional<double> Replay::result(const Command& command, int result, const Layout::Index& at) {
  std::int64_t elements = 0;
  for (const Operand& operand : command.operands()) {
    elements += operand.layout.size();
    if (operand.writes() && operand.space == Space::kStatic) return std::nullopt;
  }
  left_ -= elements;
  if (left_ < 0 || result >= command.operand_count()) return std::nullopt;
  const Operand& operand = command.operands()[static_cast<std::size_t>(result)];
  if (!operand.writes()) return std::nullopt;
  for (int dim = 0; dim < operand.layout.rank(); ++dim) {
    if (at[static_cast<std::size_t>(dim)] >= operand.layout.extent(dim)) return std::nullopt;
  }
  std::vector<trail::SavedBytes> saved;
  for (const Operand& each : command.operands()) {
    if (each.writes()) saved.emplace_back(each, *command.chip, memory_);
  }
  std::optional<double> value;
  try {
    execute({command, memory_.bases()}, ImplementationChoice::kFastest);
    value = inspect::OperandElements(operand, memory_.base(operand.space)).value(at);
  } catch (const UserError&) {
    value = std::nullopt;  // an index past the end
  }
  // Operands may overlap; each kept what was there before all of them.
  for (auto each = saved.rbegin(); each != saved.rend(); ++each) each->put_back();
  return value;
}

std::optional<double> Replay::transposed(const Command& command, int result,
                                         const Layout::Index& at, int source, int a, int b) {
  const Operand& operand = command.operands()[static_cast<std::size_t>(source)];
  if (operand.space == Space::kStatic || operand.layout.unit_bits() != 8) return std::nullopt;
  const trail::SavedBytes saved(operand, *command.chip, memory_);
  transpose(operand, memory_, a, b);
  const auto value = this->result(command, result, at);
  saved.put_back();
  return value;
}

}  // namespace tensorlane::why
