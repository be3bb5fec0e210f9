// What the steps of a chain show together.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "tensorlane/base/language.h"
#include "tensorlane/observe/check/describe.h"
#include "tensorlane/observe/why/step_facts.h"
#include "tensorlane/observe/why/suspects.h"

namespace tensorlane::why {
namespace {

constexpr std::size_t kMostPaths = 1 << 12;

// Where elements enter a sum: paths of additions and moves from the value back.
class Addends {
 public:
  explicit Addends(const ChainFacts& chain) : chain_(chain) {}

  void follow(int id, std::size_t last_addition, bool any) {
    const Json* const step = chain_.step(id);
    if (step == nullptr || paths_ > kMostPaths) return;
    ++paths_;
    if (const Json* const source = chain_.moved(*step)) {
      if (const auto next = ChainFacts::next(*source)) follow(*next, last_addition, any);
      return;
    }
    if (any) entered_[id].insert(last_addition);
    const auto number = chain_.command(*step);
    const Json* const sources = step->find("sources");
    if (!number || sources == nullptr) return;
    const auto evaluation = evaluation_of(chain_.launch().commands[*number].command, *step);
    for (const Json& source : *sources) {
      const auto next = ChainFacts::next(source);
      if (next && is_added(source, *number, evaluation)) follow(*next, *number, true);
    }
  }

  void find(Suspects& found) const {
    for (const auto& [id, commands] : entered_) {
      const Json& step = *chain_.step(id);
      const std::string kind = step["kind"].text();
      // A value in between that is added twice is a sum of its own; what it is made of says so.
      if (commands.size() < 2 || (kind == "command" && !step.value("moved", false) && is_sum(step)))
        continue;
      const std::size_t last = *commands.rbegin();
      const auto& first = chain_.launch().commands[*commands.begin()].command;
      const std::string from = kind == "host" ? step["place"].text() : step["call"].text();
      found.push_back({"added twice", 89, last,
                       tr("the element of {} is in the sum {} times, first by {} at {}", from,
                          commands.size(), first.op->name(), check::place_text(first.call_site))});
    }
  }

 private:
  bool is_sum(const Json& step) const {
    const auto number = chain_.command(step);
    return number && chain_.launch().commands[*number].command.operands().size() > 2;
  }

  // One more of the source is one more of the result.
  bool is_added(const Json& source, std::size_t number,
                const std::optional<Evaluation>& evaluation) const {
    const std::string part = source["part"].text();
    if (part == "before") return true;
    if (part != "value" || !source.contains("value")) return false;
    if (evaluation) {
      for (std::size_t k = 0; k < evaluation->sources.size(); ++k) {
        if (evaluation->sources[k] != &source) continue;
        std::vector<double> more = evaluation->values;
        more[k] += 1;
        return std::abs(evaluation->at(more) - evaluation->result() - 1) < 1e-6;
      }
      return false;
    }
    // A bias: one value per channel of what is a sum otherwise.
    const Command& command = chain_.launch().commands[number].command;
    const Operand* const operand = command.find(source["operand"].text());
    const auto& combination = command.operands().front().spec->combination;
    return operand != nullptr &&
           (combination == Combination::kSum || combination == Combination::kRotatedSum) &&
           !operand->spec->shape.empty() && operand->spec->shape.front() == "1" &&
           operand->spec->shape.size() == 4 && operand->spec->shape[2] == "1" &&
           operand->spec->shape[3] == "1";
  }

  const ChainFacts& chain_;
  std::map<int, std::set<std::size_t>> entered_;  // steps: the additions that they entered by
  std::size_t paths_ = 0;
};

// Commands that read what nobody wrote.
void find_unwritten(const ChainFacts& chain, const Json& steps, Suspects& found) {
  for (const Json& step : steps) {
    const auto number = chain.command(step);
    const Json* const sources = step.find("sources");
    if (!number || sources == nullptr) continue;
    const Command& command = chain.launch().commands[*number].command;
    const OpSpec& spec = command.op->spec();
    if (spec.fixed_if && spec.fixed_if(command)) continue;  // x ^ x
    for (const Json& source : *sources) {
      // What is not written stays, whatever it is.
      if (source["part"].text() == "before" && spec.dependence == Dependence::kMoved) continue;
      const auto next = ChainFacts::next(source);
      const Json* const from = next ? chain.step(*next) : nullptr;
      if (from == nullptr || (*from)["kind"].text() != "nobody") continue;
      found.push_back({"uninitialised", 93, *number,
                       tr("{}{} is at {}, which nobody wrote", source["operand"].text(),
                          source["element"].text(), (*from)["place"].text())});
    }
  }
}

// Padding that was larger than all that it stands beside, of a maximum over windows.
void find_padding(const ChainFacts& chain, const Json& steps, Suspects& found) {
  for (const Json& step : steps) {
    const auto number = chain.command(step);
    const Json* const chosen = step.find("chosen");
    if (!number || chosen == nullptr || !chosen->value("constant", false) ||
        chain.launch().commands[*number].command.op->windows().empty())
      continue;
    found.push_back({"padding", 76, *number,
                     tr("what padding counts as, {}, decides over all {} elements of the window",
                        step["value"].text(), (*chosen)["of"].get<std::int64_t>())});
  }
}

}  // namespace

void find_in_chain(const ChainFacts& chain, const Json& steps, Suspects& found) {
  find_unwritten(chain, steps, found);
  find_padding(chain, steps, found);
  Addends addends(chain);
  if (!steps.empty()) addends.follow(steps.front()["id"].get<int>(), 0, false);
  addends.find(found);
}

}  // namespace tensorlane::why
