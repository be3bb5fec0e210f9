#include "tensorlane/trail/dependence_test_support.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <vector>

#include "tensorlane/base/error.h"
#include "tensorlane/device/session.h"
#include "tensorlane/inspect/operand_elements.h"
#include "tensorlane/trail/deciding_element.h"
#include "tensorlane/trail/dependence.h"
#include "tensorlane/trail/moved_elements.h"
#include "tensorlane/trail/provenance.h"

namespace tensorlane::trail {
namespace {

using Pick = std::function<std::int64_t(std::int64_t)>;
using Bytes = std::vector<std::byte>;
// By space: which bytes are written.
using Written = std::array<MarkMap, kSpaces>;

bool is_result(const Operand& operand) {
  return operand.role == Role::kOut || operand.role == Role::kInOut;
}

// A part of a tensor: some dimensions cut at random.
Layout any_part(Layout layout, const Pick& pick) {
  for (int dim = 0; dim < layout.rank(); ++dim) {
    if (pick(2) == 0) continue;
    const std::int64_t first = pick(layout.extent(dim));
    layout = layout.slice(dim, first, 1 + pick(layout.extent(dim) - first));
  }
  return layout;
}

class Trial {
 public:
  Trial(const Command& command, DeviceMemory& memory) : command_(command), memory_(memory) {}

  // Everything that is read but parts of some operands; nothing is missing of those that decide
  // where elements go.
  void leave_out(const Pick& pick) {
    for (const Operand& operand : command_.operands()) {
      if (operand.reads()) write(operand, operand.layout, 1);
    }
    for (const Operand& operand : command_.operands()) {
      if (operand.reads() && pick(2) == 0) write(operand, any_part(operand.layout, pick), 0);
    }
    for (const Operand& operand : command_.operands()) {
      const bool places = command_.op->spec().dependence == Dependence::kMoved;
      if ((places && operand.spec->decides) || operand.space == Space::kStatic)
        write(operand, operand.layout, 1);
    }
  }

  std::string run() {
    FootprintCache footprints;
    Provenance history(*command_.chip, footprints, &memory_);
    history.allocated({0, static_cast<std::int64_t>(memory_.bytes(Space::kGlobal))});
    for (std::size_t space = 0; space < written_.size(); ++space) {
      for (const MarkMap::Interval& each : written_[space].intervals())
        history.processor_wrote(static_cast<Space>(space), {each.begin, each.end});
    }
    CheckedCommand checked;
    checked.assign(command_, footprints);
    history.read(checked);
    for (int k = 0; k < checked.size(); ++k) {
      if (checked.operand(k).reads() && history.source(k).undefined_use) return {};  // found
    }
    history.write(checked);
    const std::vector<Bytes> before = bytes();
    try {
      execute({command_, memory_.bases()}, ImplementationChoice::kFastest);
      const std::vector<Bytes> plain = bytes();
      restore_turned(before);
      execute({command_, memory_.bases()}, ImplementationChoice::kFastest);
      return compare(history.shadow(), plain, bytes());
    } catch (const UserError&) {
      return {};  // an index past the end
    }
  }

 private:
  std::vector<Range> runs_of(const Operand& operand, const Layout& layout) const {
    return runs(
        footprint(layout, operand.space == Space::kLocal ? command_.chip->local.npu_bytes : 0));
  }
  void write(const Operand& operand, const Layout& layout, Mark mark) {
    written_[static_cast<std::size_t>(operand.space)].assign(runs_of(operand, layout), mark);
  }
  std::byte* at(const Operand& operand, std::int64_t address) const {
    return memory_.base(operand.space) + address;
  }

  // What the operands hold.
  std::vector<Bytes> bytes() const {
    std::vector<Bytes> all;
    for (const Operand& operand : command_.operands()) {
      Bytes& own = all.emplace_back();
      for (const Range& run : runs_of(operand, operand.layout))
        own.insert(own.end(), at(operand, run.begin), at(operand, run.end));
    }
    return all;
  }

  // The same again, with the complement in bytes that are not written.
  void restore_turned(const std::vector<Bytes>& before) {
    for (std::size_t k = 0; k < before.size(); ++k) {
      const Operand& operand = command_.operands()[k];
      if (operand.space == Space::kStatic) continue;
      const std::byte* from = before[k].data();
      for (const Range& run : runs_of(operand, operand.layout)) {
        std::memcpy(at(operand, run.begin), from, static_cast<std::size_t>(run.bytes()));
        from += run.bytes();
        written_[static_cast<std::size_t>(operand.space)].visit(
            run, [&](std::int64_t begin, std::int64_t end, Mark mark) {
              for (std::byte* b = at(operand, begin); mark == 0 && b != at(operand, end); ++b)
                *b = ~*b;
              return true;
            });
      }
    }
  }

  std::string compare(const InitShadow& shadow, const std::vector<Bytes>& plain,
                      const std::vector<Bytes>& turned) const {
    const bool exact = command_.op->spec().dependence == Dependence::kMoved;
    std::string text;
    for (std::size_t k = 0; k < plain.size(); ++k) {
      const Operand& operand = command_.operands()[k];
      if (!is_result(operand)) continue;
      const std::byte *a = plain[k].data(), *b = turned[k].data();
      for (const Range& run : runs_of(operand, operand.layout)) {
        shadow.visit(static_cast<int>(operand.space), run,
                     [&](std::int64_t begin, std::int64_t end, Mark mark) {
                       for (std::int64_t i = begin; i < end; ++i, ++a, ++b) {
                         const bool same = *a == *b, defined = is_defined(mark);
                         if (same == defined || (same && !exact)) continue;
                         text = fmt::format(
                             "{} {:#x} of {} {} when unwritten bytes change, but counts as {}",
                             space_name(operand.space), i, operand.name(),
                             same ? "stays" : "changes", defined ? "defined" : "undefined");
                         return false;
                       }
                       return true;
                     });
        if (!text.empty()) return text;
      }
    }
    return text;
  }

  const Command& command_;
  DeviceMemory& memory_;
  Written written_;
};

Layout::Index any_index(const Layout& layout, const Pick& pick) {
  Layout::Index index{};
  for (int dim = 0; dim < layout.rank(); ++dim)
    index[static_cast<std::size_t>(dim)] = pick(layout.extent(dim));
  return index;
}

bool contains(const Elements& elements, const Layout::Index& index) {
  for (std::size_t dim = 0; dim < elements.at.size(); ++dim) {
    if (std::ranges::none_of(elements.at[dim], [&](const Range& range) {
          return range.begin <= index[dim] && index[dim] < range.end;
        }))
      return false;
  }
  return true;
}

std::string made_of_violation(const Command& command, const Operand& result, const Pick& pick) {
  const Layout::Index to = any_index(result.layout, pick);
  for (const Operand& source : command.operands()) {
    if (source.role != Role::kIn) continue;
    const Layout::Index from = any_index(source.layout, pick);
    ElementBox box;
    for (int dim = 0; dim < source.layout.rank(); ++dim) {
      const auto d = static_cast<std::size_t>(dim);
      box.at[d] = {from[d], from[d] + 1};
    }
    const bool made = contains(made_of(command, result, to, source), from);
    if (made != contains(reach(command, source, box, result).results, to)) {
      return fmt::format("an element of {} is {}made of one of {}, which says otherwise",
                         result.name(), made ? "" : "not ", source.name());
    }
  }
  return {};
}

Bytes element(const Operand& operand, const Layout::Index& at, const DeviceMemory& memory) {
  const std::byte* const begin = memory.base(operand.space) + operand.layout.address(at);
  return {begin, begin + operand.layout.element_units()};
}

std::string moved_violation(const Command& command, int k, DeviceMemory& memory, const Pick& pick) {
  const Operand& result = command.operands()[static_cast<std::size_t>(k)];
  const Layout::Index at = any_index(result.layout, pick);
  const auto from = moved_from(command, k, at, &memory);
  if (!from || from->kind == MovedFrom::Kind::kOther) return {};
  const bool kept = from->kind == MovedFrom::Kind::kKept;
  const Operand& source =
      kept ? result : command.operands()[static_cast<std::size_t>(from->operand)];
  const Bytes before = element(source, kept ? at : from->index, memory);
  execute({command, memory.bases()}, ImplementationChoice::kFastest);
  if (element(result, at, memory) == before) return {};
  return fmt::format("an element of {} is not the one of {} that it came from", result.name(),
                     source.name());
}

}  // namespace

std::string origin_violation(const Command& command, DeviceMemory& memory, const Pick& pick) {
  const Dependence dependence = command.op->spec().dependence;
  for (int k = 0; k < command.operand_count(); ++k) {
    const Operand& result = command.operands()[static_cast<std::size_t>(k)];
    if (!is_result(result) || result.layout.size() == 0) continue;
    if (dependence == Dependence::kMoved || dependence == Dependence::kSelected)
      return moved_violation(command, k, memory, pick);
    if (const std::string found = made_of_violation(command, result, pick); !found.empty())
      return found;
  }
  return {};
}

void fix_results(const Op& op, std::vector<Arg>& args) {
  constexpr std::string_view kSecond = "src1_";
  for (std::size_t k = 0; k < args.size(); ++k) {
    const std::string_view name = op.params()[k].name;
    if (name.starts_with(kSecond)) {
      const std::string first = "src0_" + std::string(name.substr(kSecond.size()));
      args[k] = args[static_cast<std::size_t>(op.param(first))];
    }
    if (name == "C") args[k] = {};
  }
}

std::string misnamed_window(const Op& op) {
  for (const WindowSpec& window : op.spec().windows) {
    bool source = false, result = false;
    for (const OperandSpec& operand : op.spec().operands) {
      const bool reads = operand.role == Role::kIn;
      source = source || (reads && std::ranges::count(operand.shape, window.source) == 1);
      result = result || (!reads && std::ranges::count(operand.shape, window.result) == 1);
    }
    if (!source || !result)
      return fmt::format("no window from {} to {}", window.source, window.result);
  }
  return {};
}

// A dimension of the source that names no index of the result, and is no number.
bool runs_over(const OperandSpec& source, const OperandSpec& result) {
  return std::ranges::any_of(source.shape, [&](std::string_view extent) {
    return (extent.front() < '0' || extent.front() > '9') &&
           std::ranges::count(result.shape, extent) != 1;
  });
}

std::string unstated_combination(const Op& op) {
  const OpSpec& spec = op.spec();
  if (spec.dependence == Dependence::kMoved || spec.dependence == Dependence::kSelected) return {};
  if (spec.dependence == Dependence::kByShape && element_wise(op)) return {};
  for (const OperandSpec& result : spec.operands) {
    if (result.role != Role::kOut && result.role != Role::kInOut) continue;
    const bool several = std::ranges::any_of(spec.operands, [&](const OperandSpec& source) {
      return source.role == Role::kIn && !is_table(source) && runs_over(source, result);
    });
    if (several && !result.combination) return std::string(result.param);
  }
  return {};
}

int first_result(const Command& command) {
  int k = 0;
  while (!is_result(command.operands()[static_cast<std::size_t>(k)])) ++k;
  return k;
}

// Where a constant decided: an element that should have. Regions are windows that values state.
std::string exceeded(const Command& command, int result, const Layout::Index& at,
                     const DeviceMemory& memory, double value) {
  const Operand& to = command.operands()[static_cast<std::size_t>(result)];
  const bool largest = to.spec->combination == Combination::kMaximum;
  for (const Operand& operand : command.operands()) {
    if (operand.spec->decides) return {};
  }
  for (const int source : candidates(command, result)) {
    const Operand& from = command.operands()[static_cast<std::size_t>(source)];
    const inspect::OperandElements elements(from, memory.base(from.space));
    const Elements among = candidates_of(command, result, at, source);
    for (std::int64_t number = 0; number < elements.size(); ++number) {
      const Layout::Index index = elements.index(number);
      const double each = elements.value(index);
      if (!contains(among, index) || std::isnan(value)) continue;
      if (largest ? each > value : each < value)
        return fmt::format("{} of {} decides {}, which is {}", each, from.name(), to.name(), value);
    }
  }
  return {};
}

std::string decision_violation(const Command& command, DeviceMemory& memory, const Pick& pick) {
  int asked = -1;
  for (int k = 0; k < command.operand_count(); ++k) {
    const Operand& operand = command.operands()[static_cast<std::size_t>(k)];
    if (is_result(operand) && operand.layout.size() > 0 && one_decides(*operand.spec) &&
        (asked < 0 || pick(2) == 0))
      asked = k;
  }
  if (asked < 0) return {};
  const Operand& result = command.operands()[static_cast<std::size_t>(asked)];
  const Layout::Index at = any_index(result.layout, pick);
  try {
    execute({command, memory.bases()}, ImplementationChoice::kFastest);
  } catch (const UserError&) {
    return {};
  }
  const auto after = [&](int operand) {
    const Operand& read = command.operands()[static_cast<std::size_t>(operand)];
    return inspect::OperandElements(read, memory.base(read.space)).value(at);
  };
  const DecidingElement found = deciding_element(command, asked, at, memory, after);
  const bool sorts = result.spec->combination == Combination::kSorted;
  if (found.operand < 0 && !sorts) return exceeded(command, asked, at, memory, after(asked));
  if (found.operand < 0)
    return fmt::format("no element of a source became that of {}", result.name());
  const Operand& from = command.operands()[static_cast<std::size_t>(found.operand)];
  const double held = inspect::OperandElements(from, memory.base(from.space)).value(found.index);
  // A value goes with the values, whichever result was asked about.
  const bool is_value = sorts && found.operand == candidates(command, asked).front();
  const double became = after(is_value ? first_result(command) : asked);
  if (held == became || (std::isnan(held) && std::isnan(became)) || std::fabs(held) < FLT_MIN)
    return {};
  return fmt::format("an element of {} is {}, the one of {} that decided {}", result.name(), became,
                     from.name(), held);
}

bool judged_whole(const Op& op) {
  const bool reads = std::ranges::any_of(op.spec().operands, [](const OperandSpec& operand) {
    return operand.role == Role::kIn && operand.memory != MemoryKind::kStatic;
  });
  return reads && op.spec().dependence == Dependence::kByShape && !element_wise(op);
}

std::string dependence_violation(const Command& command, DeviceMemory& memory, const Pick& pick) {
  Trial trial(command, memory);
  trial.leave_out(pick);
  return trial.run();
}

}  // namespace tensorlane::trail
