// Lines that are one too many, or stand before what they should stand after.
#include <algorithm>
#include <optional>
#include <utility>

#include "tensorlane/base/language.h"
#include "tensorlane/observe/why/mistakes.h"
#include "tensorlane/observe/why/tried_line.h"

namespace tensorlane::why {
namespace {

bool is_address(const Op& op, std::size_t param) {
  const ArgKind kind = op.types()[param]->kind;
  return kind == ArgKind::kLocalAddress || kind == ArgKind::kSystemAddress;
}

class MistakesOfOrder : TriedLine {
 public:
  MistakesOfOrder(const LaunchCommands& launch, std::size_t line,
                  std::span<const std::size_t> behind)
      : TriedLine(launch, line, behind) {}

  std::vector<Mistake> all() {
    left_out();
    exchanged();
    return std::move(found_);
  }

 private:
  void add(Changes changes, std::string text, int weight) {
    const std::size_t at = behind_.empty() ? line_.issued.front() : behind_.front();
    found_at(at, std::move(changes), std::move(text), weight);
  }

  // Without the line: what its result replaces stays; where that is elsewhere, those who read the
  // result read its source.
  void left_out() {
    Changes changes, own;
    for (const std::size_t number : everywhere_) {
      changes[number] = {};
      if (std::ranges::find(behind_, number) != behind_.end()) own[number] = {};
    }
    const Operand* const result = result_of(first_);
    if (result == nullptr || result->space != Space::kLocal) return;
    if (!own.empty() && own.size() < changes.size()) add(own, tr("this call left out"), kUsual);
    add(changes, tr("the line left out"), kSimple);
    for (std::size_t param = 0; param < first_.args().size(); ++param) {
      const Operand* const source = source_of(first_, param);
      if (source == nullptr || source->space != result->space ||
          source->address == result->address ||
          !(source->layout.dtype() == result->layout.dtype()) ||
          source->layout.size() != result->layout.size())
        continue;
      Changes passed;
      for (const std::size_t number : everywhere_) pass_on(number, param, passed);
      add(std::move(passed), tr("{} passed on as it is", first_.op->params()[param].name),
          kUnusual);
    }
  }
  void pass_on(std::size_t number, std::size_t param, Changes& changes) const {
    const Operand* const result = result_of(command(number));
    if (result == nullptr) return;
    for (const std::size_t reader : launch_.commands[number].readers) {
      for (std::size_t k = 0; k < command(reader).args().size(); ++k) {
        const Operand* const read = source_of(command(reader), k);
        if (read == nullptr || read->address != result->address || read->space != result->space)
          continue;
        if (auto changed = with(reader, k, command(number).args()[param].value()))
          changes[reader] = {std::move(*changed)};
      }
    }
  }

  // The line that reads the result first, in place on the source, then this one.
  void exchanged() {
    Changes changes;
    std::size_t other = 0;
    for (const std::size_t number : everywhere_) {
      const Issued& issued = launch_.commands[number];
      if (issued.readers.size() != 1) continue;
      const std::size_t reader = issued.readers.front();
      const auto mine = only_source(number), its = only_source(reader);
      const Operand *const result = result_of(command(number)), *const after =
                                                                    result_of(command(reader));
      if (!mine || !its || result == nullptr || after == nullptr ||
          command(reader).operands()[0].layout.size() != result->layout.size() ||
          result->space != Space::kLocal || after->space != Space::kLocal)
        continue;
      const auto to = parameter(command(reader), *after),
                 from = parameter(command(number), *result);
      if (!to || !from) continue;
      std::vector<Arg> early(command(reader).args().begin(), command(reader).args().end()),
          late(command(number).args().begin(), command(number).args().end());
      early[*its] = early[*to] = late[*mine];
      late[*from] = command(reader).args()[*to];
      auto a = legal(command(reader), *command(reader).op, early);
      auto b = legal(command(number), *command(number).op, late);
      if (!a || !b) continue;
      changes[number] = {std::move(*a), std::move(*b)};
      changes[reader] = {};
      other = reader;
    }
    if (changes.empty()) return;
    found_.push_back({std::move(changes),
                      tr("it before {} in place of after", place_of(launch_, line_.issued.front())),
                      kSimple, other});
  }
  // The parameter of the only operand that is read from local memory.
  std::optional<std::size_t> only_source(std::size_t number) const {
    std::optional<std::size_t> found;
    for (std::size_t param = 0; param < command(number).args().size(); ++param) {
      const Operand* const source = source_of(command(number), param);
      if (source == nullptr) continue;
      if (found || source->space != Space::kLocal) return std::nullopt;
      found = param;
    }
    return found;
  }
  static std::optional<std::size_t> parameter(const Command& command, const Operand& operand) {
    for (std::size_t param = 0; param < command.args().size(); ++param) {
      if (is_address(*command.op, param) && command.op->params()[param].name == operand.name())
        return param;
    }
    return std::nullopt;
  }
};

}  // namespace

const Operand* source_of(const Command& command, std::size_t param) {
  if (!is_address(*command.op, param)) return nullptr;
  const Operand* const operand = command.find(command.op->params()[param].name);
  return operand != nullptr && operand->role == Role::kIn ? operand : nullptr;
}

const Operand* result_of(const Command& command) {
  for (const Operand& operand : command.operands()) {
    if (operand.writes() && operand.role != Role::kWork) return &operand;
  }
  return nullptr;
}

std::vector<Mistake> mistakes_of_order(const LaunchCommands& launch, std::size_t line,
                                       std::span<const std::size_t> behind) {
  return MistakesOfOrder(launch, line, behind).all();
}

}  // namespace tensorlane::why
