#include "tensorlane/observe/why/mistakes.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <set>

#include "tensorlane/base/language.h"
#include "tensorlane/observe/why/tried_line.h"
#include "tensorlane/ops/constants.h"

namespace tensorlane::why {
namespace {

class Mistakes : TriedLine {
 public:
  Mistakes(const LaunchCommands& launch, const Choices& choices, std::size_t line,
           std::span<const std::size_t> behind)
      : TriedLine(launch, line, behind), choices_(choices) {}

  std::vector<Mistake> all() {
    one_thing();
    for (std::size_t param = 0; param < first_.args().size(); ++param) {
      if (source_of(first_, param) == nullptr) continue;
      other_writers(param);
      even_steps(param);
    }
    return std::move(found_);
  }

 private:
  void add(Changes changes, std::string text, int weight) {
    const auto own =
        std::ranges::find_if(behind_, [&](std::size_t number) { return changes.contains(number); });
    const std::size_t at = own != behind_.end() ? *own : line_.issued.front();
    found_at(at, std::move(changes), std::move(text), weight);
  }

  // One thing of all calls, or of those that the value came through.
  void one_thing() {
    struct Of {
      Changes all = {}, own = {};
      std::string text = {};
      bool simple = true;
    };
    std::vector<std::string> order;
    std::map<std::string, Of> by_key;
    for (const std::size_t number : everywhere_) {
      const bool own = std::ranges::find(behind_, number) != behind_.end();
      for (Alternative& each : alternatives_of(command(number), choices_)) {
        const auto [entry, added] = by_key.try_emplace(each.key);
        if (added) order.push_back(each.key);
        Of& of = entry->second;
        if (of.text.empty() || own) of.text = each.text;
        of.simple = of.simple && each.simple;
        if (own) of.own[number] = {each.command};
        of.all[number] = {std::move(each.command)};
      }
    }
    for (const std::string& key : order) {
      Of& of = by_key.at(key);
      const int weight = of.simple ? kSimple : kUsual;
      if (of.own.size() < of.all.size()) {
        // One turn alone: the nearest that it came through, then each of them.
        std::size_t tried = 0;
        for (const std::size_t number : behind_) {
          const auto one = of.own.find(number);
          if (one == of.own.end() || tried++ >= 8) continue;
          add({*one},
              tr("{} in call {} of {}", of.text, launch_.commands[number].turn + 1,
                 line_.issued.size()),
              weight - 3);
        }
      }
      add(std::move(of.all), of.text, weight);
    }
  }

  // What other lines wrote last before each turn, and the turn before that.
  void other_writers(std::size_t param) {
    const Operand& source = *source_of(first_, param);
    for (const Line& other : launch_.lines) {
      const Command& of_other = command(other.issued.front());
      const Operand* const result = result_of(of_other);
      if (result == nullptr || result->space != source.space || of_other.core != first_.core)
        continue;
      for (const std::size_t back : {std::size_t{0}, std::size_t{1}}) {
        Changes all, own;
        for (const std::size_t number : turns_) {
          auto last = std::ranges::lower_bound(other.issued, number);
          if (static_cast<std::size_t>(last - other.issued.begin()) <= back) continue;
          const Operand* const there =
              result_of(command(*(last - 1 - static_cast<std::ptrdiff_t>(back))));
          if (there == nullptr) continue;
          auto changed = with(number, param, static_cast<std::int64_t>(there->address));
          if (!changed) continue;
          if (std::ranges::find(behind_, number) != behind_.end()) own[number] = {*changed};
          all[number] = {std::move(*changed)};
        }
        if (all.empty()) continue;
        const std::string text = tr("{} = what {} wrote", first_.op->params()[param].name,
                                    place_of(launch_, other.issued.front()));
        if (!own.empty() && own.size() < all.size()) add(std::move(own), text, kUsual);
        add(std::move(all), text, kUsual);
      }
    }
  }

  // Addresses from turn to turn: as the first two lead on, or piece after piece.
  void even_steps(std::size_t param) {
    if (line_.issued.size() < 2 || line_.issued.size() > kMostTurns) return;
    const auto value = [&](std::size_t turn) {
      return command(line_.issued[turn]).args()[param].value();
    };
    const Operand& source = *source_of(first_, param);
    if (source.layout.unit_bits() != 8) return;
    std::set<std::int64_t> steps = {value(1) - value(0),
                                    source.layout.size() * source.layout.element_units()};
    for (const std::int64_t step : steps) {
      Changes changes;
      for (std::size_t turn = 0; turn < line_.issued.size(); ++turn) {
        auto changed =
            with(line_.issued[turn], param, value(0) + step * static_cast<std::int64_t>(turn));
        if (changed) changes[line_.issued[turn]] = {std::move(*changed)};
      }
      add(std::move(changes),
          tr("{} in even steps of {} bytes", first_.op->params()[param].name, step), kUsual);
    }
  }

  const Choices& choices_;
};

}  // namespace

std::vector<Mistake> mistakes_of(const LaunchCommands& launch, const Choices& choices,
                                 std::size_t line, std::span<const std::size_t> behind) {
  std::vector<Mistake> all = Mistakes(launch, choices, line, behind).all();
  for (Mistake& each : mistakes_of_order(launch, line, behind)) all.push_back(std::move(each));
  return all;
}

Changes with_constant(const LaunchCommands& launch, std::size_t line, std::size_t param,
                      double value) {
  Changes changes;
  for (const std::size_t number : issued_everywhere(launch, line)) {
    const Command& mine = launch.commands[number].command;
    std::vector<Arg> args(mine.args().begin(), mine.args().end());
    const ArgKind kind = mine.op->types()[param]->kind;
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    if (kind == ArgKind::kFloat) {
      args[param].number = value;
    } else if (kind != ArgKind::kUnion ||
               constant_type(*mine.op, mine.args(), param) != Dtype::kFp32) {
      return {};
    }
    args[param].field[0] = bits;
    auto changed = legal(mine, *mine.op, args);
    if (!changed) return {};
    changes[number] = {std::move(*changed)};
  }
  return changes;
}

}  // namespace tensorlane::why
