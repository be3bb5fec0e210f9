#include "tensorlane/differential/net.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>

#include "tensorlane/differential/call_form.h"
#include "tensorlane/differential/shrink.h"
#include "tensorlane/ops/call_text.h"

namespace tensorlane::differential {
namespace {

std::uint64_t seed_of(const Op& op, std::uint64_t seed, std::int64_t number) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : op.name()) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash ^ (seed * 0x9e3779b97f4a7c15U) ^ (static_cast<std::uint64_t>(number) << 20U);
}

// Small operands show most; some have the sizes of the tiles and bands of fast paths.
CallBudget draw_budget(Random& random) {
  if (random.chance(200)) return {.elements = 60000, .operations = 4e6};
  if (random.chance(20)) return {.elements = 6000, .operations = 1e6};
  if (random.chance(3)) return {.elements = 1500, .operations = 1e5};
  return {.elements = 300, .operations = 2e4};
}

FormCounts counted(const Command& command, Overlap overlap) {
  FormCounts counts;
  for (const Operand& operand : command.operands()) {
    if (operand.space == Space::kStatic) continue;
    const auto along = static_cast<std::size_t>(along_of(operand.layout));
    (operand.writes() ? counts.results : counts.sources)[along] = 1;
  }
  counts.overlaps[static_cast<std::size_t>(overlap)] = 1;
  return counts;
}

std::uint64_t combination_of(const Command& command, Overlap overlap) {
  std::uint64_t hash = static_cast<std::uint64_t>(overlap) + 1;
  for (const Operand& operand : command.operands()) {
    const auto dtype = static_cast<std::uint64_t>(operand.layout.dtype());
    const auto along = static_cast<std::uint64_t>(along_of(operand.layout));
    hash = (hash * 0x100000001b3U) ^ (dtype << 2U | along);
  }
  return hash;
}

// Whether the statement of an implementation admits the operands of a command as they lie along
// their last dimension: what follows from others on rows it may decline all the same.
bool admits(const OperandForms& forms, const Command& command, Overlap overlap) {
  return overlap <= forms.overlap &&
         std::ranges::all_of(command.operands(), [&](const Operand& operand) {
           const Along along = along_of(operand.layout);
           if (!operand.writes()) return forms.sources.has(along);
           return forms.results.has(along) && operand.layout.nested();
         });
}

template <std::size_t N, class F>
void each_form(std::array<std::int64_t, N>& mine, const std::array<std::int64_t, N>& others, F f) {
  for (std::size_t form = 0; form < N; ++form) f(mine[form], others[form]);
}

}  // namespace

void FormCounts::add(const FormCounts& other) {
  const auto plus = [](std::int64_t& mine, std::int64_t others) { mine += others; };
  each_form(results, other.results, plus);
  each_form(sources, other.sources, plus);
  each_form(overlaps, other.overlaps, plus);
}

bool FormCounts::lacks(const FormCounts& other) const {
  bool found = false;
  FormCounts mine = *this;
  const auto look = [&](std::int64_t own, std::int64_t others) {
    found = found || (own == 0 && others > 0);
  };
  each_form(mine.results, other.results, look);
  each_form(mine.sources, other.sources, look);
  each_form(mine.overlaps, other.overlaps, look);
  return found;
}

std::vector<std::string> ImplementationFigures::never_taken(std::int64_t enough) const {
  std::vector<std::string> texts;
  const auto look = [&](std::string_view what, const auto& met, const auto& had, auto form_name) {
    for (std::size_t form = 0; form < met.size(); ++form) {
      if (had[form] >= enough && met[form] == 0)
        texts.push_back(fmt::format("{} {}: {} calls", what, form_name(form), had[form]));
    }
  };
  const auto along = [](std::size_t form) { return along_name(static_cast<Along>(form)); };
  look("results", took.results, admitted.results, along);
  look("sources", took.sources, admitted.sources, along);
  look("overlap", took.overlaps, admitted.overlaps,
       [](std::size_t form) { return overlap_name(static_cast<Overlap>(form)); });
  return texts;
}

struct Net::Run {
  Net& net;
  const Op& op;
  const NetOptions& options;
  CallGenerator generator;
  FunctionFigures figures;

  std::size_t fast_paths() const { return op.spec().implementations.size() - 1; }

  // Whether some implementation says it takes the command and none of its form came so far.
  bool has_new_form(const Command& command) const {
    const Overlap overlap = command.overlap();
    const FormCounts forms = counted(command, overlap);
    const std::uint64_t combination = combination_of(command, overlap);
    for (std::size_t k = 0; k < fast_paths(); ++k) {
      if (admits(op.spec().implementations[k].forms, command, overlap) &&
          (figures.implementations[k].took.lacks(forms) ||
           !figures.implementations[k].combinations.contains(combination)))
        return true;
    }
    return false;
  }

  void one(std::int64_t number, bool only_new_forms = false) {
    Random random(seed_of(op, options.seed, number));
    const CallBudget budget = draw_budget(random);
    Case next;
    std::optional<Call> call = generator.next(budget, random);
    if (!call) {
      figures.none += only_new_forms ? 0 : 1;
      return;
    }
    next.call = std::move(*call);
    Command command;
    if (!decode_legal(next.call, command)) return;
    if (only_new_forms && !has_new_form(command)) return;
    // Data that make no sense are one case in some, not most.
    for (int tries = 0; tries < 4; ++tries) {
      next.data = draw_data(command, random);
      if (!net.trial_.begin(next)) return;
      if (net.trial_.refusal().empty()) break;
    }
    if (random.chance(2)) next.between = generator.changed(next.call, budget, random);
    ++figures.calls;
    if (options.tells) {
      fmt::print("{}: {}\n", number, call_text(op, next.call.args));
      if (next.between) fmt::print("  between {}\n", call_text(op, next.between->args));
    }
    if (!net.trial_.refusal().empty()) ++figures.refused;
    const std::vector<std::string> features = features_of(command);
    const std::uint64_t form = std::hash<std::string>()(form_of(features));
    const Overlap overlap = command.overlap();
    const FormCounts forms = counted(command, overlap);
    for (std::size_t k = 0; k < fast_paths(); ++k) {
      ImplementationFigures& own = figures.implementations[k];
      own.combinations.insert(combination_of(command, overlap));
      if (admits(op.spec().implementations[k].forms, command, overlap)) own.admitted.add(forms);
      for (int turn = 0; turn < options.ways; ++turn) {
        Way way = turn == 0 ? Way{} : draw_way(random);
        way.implementation = k;
        const Verdict verdict = net.trial_.run(way);
        if (turn == 0) ++own.offered;
        if (verdict.outcome == Outcome::kDifferent) {
          tell(number, next, way);
          return;
        }
        if (verdict.outcome == Outcome::kDeclined) break;
        ++figures.comparisons;
        if (turn > 0) continue;
        ++own.taken;
        own.forms.insert(form);
        own.took.add(forms);
        for (const std::string& feature : features) ++own.features[feature];
      }
    }
    Way way = draw_way(random);
    way.implementation = kDispatched;
    ++figures.comparisons;
    if (net.trial_.run(way).outcome == Outcome::kDifferent) tell(number, next, way);
  }

  void tell(std::int64_t number, const Case& found, const Way& found_way) {
    Case smallest = found;
    Way way = found_way;
    const std::string difference = shrink(net.trial_, smallest, way);
    std::string text = fmt::format(
        "{}\n  {}\n  {} ({})\n", call_text(op, smallest.call.args), difference,
        way.implementation == kDispatched ? "dispatch"
                                          : op.spec().implementations[way.implementation].name,
        way.text());
    if (smallest.between)
      text += fmt::format("  after {}\n", call_text(op, smallest.between->args));
    Command command;
    if (decode_legal(smallest.call, command)) {
      for (std::size_t k = 0; k < command.operands().size(); ++k) {
        text += fmt::format("  {} {}: {}\n", command.operands()[k].name(),
                            dtype_name(command.operands()[k].layout.dtype()),
                            data_kind_name(smallest.data.kinds[k]));
      }
      text += fmt::format("  form: {}\n", form_of(features_of(command)));
    }
    text += fmt::format("  again: differential --function {} --seed {} --first {} --calls 1\n",
                        op.name(), options.seed, number);
    figures.differences.push_back(std::move(text));
  }

  void all() {
    const auto start = std::chrono::steady_clock::now();
    figures.op = &op;
    for (std::size_t k = 0; k < fast_paths(); ++k)
      figures.implementations.push_back({op.spec().implementations[k].name});
    for (std::int64_t k = 0; k < options.calls; ++k) {
      one(options.first + k);
      if (options.stops && !figures.differences.empty()) break;
    }
    for (std::int64_t k = 0; k < options.sought && figures.differences.empty(); ++k)
      one(options.first + options.calls + k, true);
    if (const std::string stray = net.trial_.stray(); !stray.empty()) {
      figures.differences.push_back(
          fmt::format("{}: wrote where no operand lies, {}, in one of {} calls from {}, seed {}\n",
                      op.name(), stray, options.calls, options.first, options.seed));
      net.trial_.wipe();
    }
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    figures.seconds = taken.count();
  }
};

FunctionFigures Net::run(const Op& op, const NetOptions& options) {
  Run run{*this, op, options, CallGenerator(front_end_, op), {}};
  run.all();
  return std::move(run.figures);
}

std::vector<const Op*> functions_with_a_choice(const FrontEnd& front_end) {
  std::vector<const Op*> list;
  for (const Op* op : front_end.ops().all()) {
    if (op->engine() != Engine::kNone && op->spec().absence == Absence::kNone &&
        op->spec().implementations.size() > 1)
      list.push_back(op);
  }
  return list;
}

}  // namespace tensorlane::differential
