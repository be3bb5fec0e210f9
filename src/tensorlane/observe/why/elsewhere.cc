#include "tensorlane/observe/why/elsewhere.h"

#include <cmath>
#include <cstdlib>
#include <cstring>

#include "tensorlane/base/language.h"
#include "tensorlane/inspect/value.h"

namespace tensorlane::why {

Layout::Index index_of_json(const Json& numbers) {
  Layout::Index at{};
  std::size_t dim = 0;
  for (const Json& each : numbers) at[dim++] = each.get<std::int64_t>();
  return at;
}

void stands_elsewhere(const ChainFacts& chain, std::size_t number, const Json& source,
                      double should, Replay& replay, const trail::Allocations& allocations,
                      Suspects& found) {
  constexpr double kClose = 1e-6;
  constexpr std::int64_t kMost = 1 << 22;
  const Issued& issued = chain.launch().commands[number];
  const Operand* const operand = issued.command.find(source["operand"].text());
  if (operand == nullptr || operand->space != Space::kGlobal || operand->layout.unit_bits() != 8 ||
      should == 0 || !source.contains("index"))
    return;
  const std::int64_t from = operand->layout.address(index_of_json(source["index"]));
  const trail::Allocation* const allocation = allocations.find(from, issued.event);
  if (allocation == nullptr || !replay.before(issued.event)) return;
  const std::int64_t bytes = operand->layout.element_units();
  const trail::Range all = allocation->bytes;
  if (all.bytes() / bytes > kMost) return;
  std::int64_t times = 0, nearest = 0;
  for (std::int64_t at = all.begin + (from - all.begin) % bytes; at + bytes <= all.end;
       at += bytes) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, replay.memory().base(operand->space) + at, static_cast<std::size_t>(bytes));
    const double value = inspect::value_of(bits, operand->layout.dtype());
    if (std::fabs(value - should) > kClose * std::fabs(should)) continue;
    if (times++ == 0 || std::abs(at - from) < std::abs(nearest - from)) nearest = at;
  }
  if (times == 0 || times > 2 || nearest == from) return;
  const std::int64_t away = std::abs(nearest - from) / bytes;
  found.push_back(
      {"explains", 93, number,
       nearest > from
           ? tr("the {:.6g} expected stands {} elements further in the same input", should, away)
           : tr("the {:.6g} expected stands {} elements before in the same input", should, away)});
}

}  // namespace tensorlane::why
