// Results that are the same everywhere, though what they were computed from is not.
#include <algorithm>
#include <optional>

#include "tensorlane/base/language.h"
#include "tensorlane/inspect/operand_elements.h"
#include "tensorlane/observe/why/step_facts.h"
#include "tensorlane/observe/why/suspects.h"
#include "tensorlane/ops/engines.h"

namespace tensorlane::why {
namespace {

// Heavy among weak marks: maxima of short patterns are the same everywhere, too.
constexpr int kWeight = 48;
constexpr std::int64_t kFewest = 16, kMost = 1 << 16;  // elements

// The text of all elements where they are alike.
std::optional<std::string> only_value(const Operand& operand, const DeviceMemory& memory) {
  const inspect::OperandElements elements(operand, memory.base(operand.space));
  const std::uint32_t first = elements.bits({});
  for (std::int64_t k = 1; k < elements.size(); ++k) {
    if (elements.bits(elements.index(k)) != first) return std::nullopt;
  }
  return elements.text({});
}

bool looked_at(const Operand& operand) {
  return operand.space != Space::kStatic && operand.role != Role::kWork &&
         operand.layout.size() >= kFewest && operand.layout.size() <= kMost;
}

}  // namespace

void find_constant_results(const ChainFacts& chain, const Json& steps, trail::History& history,
                           const DeviceMemory& memory, Suspects& found) {
  std::vector<std::size_t> numbers;
  for (const Json& step : steps) {
    const auto number = chain.command(step);
    if (number && !step.value("moved", false)) numbers.push_back(*number);
  }
  // Memory goes back from the latest to the oldest.
  std::ranges::sort(numbers, std::greater{});
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  for (const std::size_t number : numbers) {
    const Issued& issued = chain.launch().commands[number];
    const Command& command = issued.command;
    if (is_dma(command.engine()) || issued.event < history.first_kept()) continue;
    const Operand& result = command.operands().front();
    if (!result.writes() || !looked_at(result)) continue;
    history.rewind_behind(issued.event);
    const auto value = only_value(result, memory);
    if (!value) continue;
    history.rewind(issued.event);
    const bool varies = std::ranges::any_of(command.operands(), [&](const Operand& source) {
      return source.reads() && !source.spec->decides && looked_at(source) &&
             !only_value(source, memory);
    });
    if (varies)
      found.push_back({"constant", kWeight, number,
                       tr("all {} elements of its result are {}, though those of its source differ",
                          result.layout.size(), *value)});
  }
  history.restore();
}

}  // namespace tensorlane::why
