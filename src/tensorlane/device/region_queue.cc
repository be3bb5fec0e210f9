#include "tensorlane/device/region_queue.h"

#include <algorithm>
#include <charconv>

#include "tensorlane/base/error.h"

namespace tensorlane {

RegionOrder parse_region_order(std::string_view text) {
  using Kind = RegionOrder::Kind;
  constexpr std::string_view kNames[] = {"issue", "early", "late", "random"};
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  for (std::size_t k = 0; k < std::size(kNames); ++k) {
    if (name != kNames[k]) continue;
    RegionOrder order{.kind = static_cast<Kind>(k)};
    if (colon == std::string_view::npos) return order;
    const std::string_view seed = text.substr(colon + 1);
    const auto [end, error] = std::from_chars(seed.data(), seed.data() + seed.size(), order.seed);
    if (order.kind != Kind::kRandom || error != std::errc() || end != seed.data() + seed.size())
      break;
    return order;
  }
  user_error("order of DMA commands is '{}'; there are issue, early, late and random[:SEED]", text);
}

void RegionQueue::run_first(std::deque<Command>& commands, const Run& run) {
  run(commands.front());
  commands.pop_front();
}

void RegionQueue::add(const Command& command, const Run& run) {
  using Kind = RegionOrder::Kind;
  const bool gdma = command.engine() == Engine::kGdma;
  if (order_.kind == Kind::kIssue || (order_.kind == Kind::kEarly && gdma) ||
      (order_.kind == Kind::kLate && !gdma)) {
    run(command);
    return;
  }
  waiting(command.engine()).push_back(command);
  if (order_.kind != Kind::kRandom) return;
  while (coin()) {
    std::deque<Command>& commands = waiting_[coin() ? 0 : 1];
    if (!commands.empty()) run_first(commands, run);
  }
}

void RegionQueue::wait(Engine engine, const Run& run) {
  std::deque<Command>& commands = waiting(engine);
  while (std::any_of(commands.begin(), commands.end(),
                     [&](const Command& command) { return command.engine() == engine; })) {
    run_first(commands, run);
  }
}

void RegionQueue::finish(const Run& run) {
  auto& [gdma, bdc] = waiting_;
  while (!gdma.empty() || !bdc.empty()) {
    const bool take_gdma =
        bdc.empty() || (!gdma.empty() && order_.kind == RegionOrder::Kind::kRandom && coin());
    run_first(take_gdma ? gdma : bdc, run);
  }
}

}  // namespace tensorlane
