// Arguments unlike those of the other turns of their line.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "tensorlane/base/language.h"
#include "tensorlane/observe/why/alternatives.h"
#include "tensorlane/observe/why/departure.h"
#include "tensorlane/observe/why/suspects.h"
#include "tensorlane/ops/call_text.h"

namespace tensorlane::why {
namespace {

constexpr std::size_t kFewest = 3;  // turns that say something of each other

enum class What : std::uint8_t { kAddress, kExtent, kStride, kEdge, kFlag, kConstant };

What what_of(const Op& op, std::size_t param) {
  const Param& at = op.params()[param];
  const ArgType& type = *op.types()[param];
  if (is_stride(op, at.name)) return What::kStride;
  switch (type.kind) {
    case ArgKind::kLocalAddress:
    case ArgKind::kSystemAddress:
      return What::kAddress;
    case ArgKind::kStruct:
      return type.fields[0] == "top" ? What::kEdge : What::kExtent;
    case ArgKind::kInteger:
      if (at.type == "bool") return What::kFlag;
      return at.type == "int" ? What::kExtent : What::kConstant;
    default:
      return What::kConstant;
  }
}

// One that departs in a turn of a line.
struct Unlike {
  std::size_t turn, param, field;
  What what;
  Departure departure;
};

std::int64_t value_of(const Arg& arg, std::size_t field) {
  return arg.is_null ? -1 : arg.field[field];
}

std::vector<Unlike> unlike_of(const LaunchCommands& launch, const Line& line) {
  const Op& op = *launch.commands[line.issued.front()].command.op;
  std::vector<Unlike> found;
  std::vector<std::int64_t> series(line.issued.size());
  for (std::size_t param = 0; param < op.params().size(); ++param) {
    if (op.types()[param]->kind == ArgKind::kPointer) continue;
    const bool dtype = op.types()[param]->kind == ArgKind::kDtype;
    for (std::size_t field = 0; field < (dtype ? 1 : kMaxArgFields); ++field) {
      for (std::size_t k = 0; k < series.size(); ++k)
        series[k] = value_of(launch.commands[line.issued[k]].command.args()[param], field);
      if (const auto departs = departure(series))
        found.push_back({departs->at, param, field, what_of(op, param), *departs});
    }
  }
  return found;
}

// The last turn of a line where only two come before it: steps of addresses that are not alike.
std::optional<Unlike> unlike_last(const LaunchCommands& launch, const Line& line) {
  if (line.issued.size() != kFewest) return std::nullopt;
  const auto args = [&](std::size_t k) { return launch.commands[line.issued[k]].command.args(); };
  const Op& op = *launch.commands[line.issued.front()].command.op;
  for (std::size_t param = 0; param < op.params().size(); ++param) {
    if (op.types()[param]->kind != ArgKind::kSystemAddress) continue;
    const std::int64_t a = args(0)[param].value(), b = args(1)[param].value(),
                       c = args(2)[param].value();
    if (a == b || c - b == b - a) continue;
    return Unlike{2, param, 0, What::kAddress, {2, 2 * b - a, 1, false}};
  }
  return std::nullopt;
}

// Whether some argument of that kind departs in the same turn.
bool also(const std::vector<Unlike>& all, std::size_t turn, std::initializer_list<What> kinds) {
  return std::ranges::any_of(all, [&](const Unlike& each) {
    return each.turn == turn && std::ranges::find(kinds, each.what) != kinds.end();
  });
}

bool writes_global(const Command& command) {
  return std::ranges::any_of(command.operands(), [](const Operand& operand) {
    return operand.writes() && operand.space == Space::kGlobal;
  });
}

class Siblings {
 public:
  explicit Siblings(const LaunchCommands& launch) : launch_(launch) {
    for (const Line& line : launch.lines) {
      std::vector<Unlike> all;
      if (line.issued.size() >= kFewest) all = unlike_of(launch, line);
      if (const auto last = unlike_last(launch, line); last && all.empty()) all.push_back(*last);
      unlike_.push_back(std::move(all));
    }
  }

  void find(Suspects& found) const {
    for (std::size_t k = 0; k < launch_.lines.size(); ++k) {
      std::set<std::size_t> turns;
      for (const Unlike& each : unlike_[k]) turns.insert(each.turn);
      for (const std::size_t turn : turns) report(k, turn, found);
    }
  }

 private:
  bool at_an_end(const Line& line, const Unlike& unlike) const {
    return unlike.turn < unlike.departure.round ||
           unlike.turn + unlike.departure.round >= line.issued.size();
  }
  // First and last tiles are cut otherwise, begin and end rows, begin sums.
  bool is_usual(std::size_t number, const Unlike& unlike) const {
    const Line& line = launch_.lines[number];
    if (!at_an_end(line, unlike)) return false;
    switch (unlike.what) {
      case What::kExtent:
      case What::kStride:
      case What::kEdge:
      case What::kFlag:
        return true;
      case What::kConstant:
        return false;
      case What::kAddress:
        if (is_local(line, unlike)) return comes_again(line, unlike);
        break;
    }
    if (cut_otherwise(line.issued.size(), unlike.turn)) return true;
    return unlike.turn >= unlike.departure.round &&
           (moved_with_results(line.issued.size(), unlike.turn) ||
            launch_.commands[line.issued[unlike.turn]].unread > 0);
  }
  bool is_local(const Line& line, const Unlike& unlike) const {
    const Op& op = *launch_.commands[line.issued.front()].command.op;
    return op.types()[unlike.param]->kind == ArgKind::kLocalAddress;
  }
  // One of a ring of buffers, which begins anew.
  bool comes_again(const Line& line, const Unlike& unlike) const {
    const auto value = [&](std::size_t turn) {
      return launch_.commands[line.issued[turn]].command.args()[unlike.param].value();
    };
    for (std::size_t turn = 0; turn < unlike.turn; ++turn) {
      if (value(turn) == value(unlike.turn)) return true;
    }
    return unlike.turn == 0;
  }
  // Whether in this turn a tile begins or ends otherwise than in the middle, for some line.
  bool cut_otherwise(std::size_t turns, std::size_t turn) const {
    if (turn > 0) return false;  // where the last one begins does not depend on that
    return std::ranges::any_of(launch_.lines, [&](const Line& line) {
      if (line.issued.size() != turns) return false;
      const Command &here = launch_.commands[line.issued[turn]].command,
                    &middle = launch_.commands[line.issued[turns / 2]].command;
      for (std::size_t param = 0; param < here.args().size(); ++param) {
        const What what = what_of(*here.op, param);
        if ((what == What::kExtent || what == What::kEdge) &&
            here.args()[param].field != middle.args()[param].field)
          return true;
      }
      return false;
    });
  }
  // A last tile that was moved back to end with the tensor, its results too.
  bool moved_with_results(std::size_t turns, std::size_t turn) const {
    for (std::size_t k = 0; k < launch_.lines.size(); ++k) {
      const Line& line = launch_.lines[k];
      if (line.issued.size() != turns ||
          !writes_global(launch_.commands[line.issued.front()].command))
        continue;
      if (also(unlike_[k], turn, {What::kAddress})) return true;
    }
    return false;
  }

  // A value of the argument: as in the turn that has it, where there is one.
  std::string value_text(const Line& line, const Unlike& unlike, std::int64_t value) const {
    const Command& first = launch_.commands[line.issued.front()].command;
    const ArgKind kind = first.op->types()[unlike.param]->kind;
    if (unlike.what == What::kAddress) return fmt::format("{:#x}", value);
    if (kind == ArgKind::kStruct) return fmt::format("{}", value);
    for (const std::size_t turn : line.issued) {
      const Command& command = launch_.commands[turn].command;
      if (value_of(command.args()[unlike.param], unlike.field) == value)
        return argument_text(*command.op, command.args(), unlike.param);
    }
    return fmt::format("{}", value);
  }

  void report(std::size_t number, std::size_t turn, Suspects& found) const {
    constexpr std::size_t kShown = 2;
    const Line& line = launch_.lines[number];
    const Command& command = launch_.commands[line.issued[turn]].command;
    int weight = 0;
    std::size_t shown = 0;
    std::string text;
    for (const Unlike& each : unlike_[number]) {
      if (each.turn != turn || is_usual(number, each)) continue;
      const bool middle = !at_an_end(line, each);
      weight = std::max(weight, middle ? 90 : each.what == What::kAddress ? 80 : 70);
      if (shown++ == kShown) continue;
      const Param& param = command.op->params()[each.param];
      const std::string_view field = command.op->types()[each.param]->fields[each.field];
      const std::string name = field.empty() || each.what == What::kConstant
                                   ? std::string(param.name)
                                   : fmt::format("{}.{}", param.name, field);
      const std::string actual =
          value_text(line, each, value_of(command.args()[each.param], each.field));
      const std::string expected = value_text(line, each, each.departure.expected);
      text += text.empty() ? "" : ", ";
      text += each.departure.constant ? tr("{} is {}, {} in all others", name, actual, expected)
                                      : tr("{} is {}, where the steps of the others lead to {}",
                                           name, actual, expected);
    }
    if (weight == 0) return;
    found.push_back({"siblings", weight, line.issued[turn],
                     tr("call {} of {}: {}", turn + 1, line.issued.size(), text)});
  }

  const LaunchCommands& launch_;
  std::vector<std::vector<Unlike>> unlike_;  // per line
};

}  // namespace

void find_siblings(const LaunchCommands& launch, Suspects& found) {
  Siblings(launch).find(found);
}

}  // namespace tensorlane::why
