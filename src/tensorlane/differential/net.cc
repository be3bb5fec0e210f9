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

void count(const Command& command, Overlap overlap, FormCounts& counts) {
  for (const Operand& operand : command.operands()) {
    const auto along = static_cast<std::size_t>(along_of(operand.layout));
    if (operand.space == Space::kStatic) continue;
    ++(operand.writes() ? counts.results : counts.sources)[along];
  }
  ++counts.overlaps[static_cast<std::size_t>(overlap)];
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

}  // namespace

struct Net::Run {
  Net& net;
  const Op& op;
  const NetOptions& options;
  CallGenerator generator;
  FunctionFigures figures;

  std::size_t fast_paths() const { return op.spec().implementations.size() - 1; }

  void one(std::int64_t number) {
    Random random(seed_of(op, options.seed, number));
    const CallBudget budget = draw_budget(random);
    Case next;
    std::optional<Call> call = generator.next(budget, random);
    if (!call) {
      ++figures.none;
      return;
    }
    next.call = std::move(*call);
    Command command;
    if (!decode_legal(next.call, command)) return;
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
    for (std::size_t k = 0; k < fast_paths(); ++k) {
      ImplementationFigures& own = figures.implementations[k];
      if (admits(op.spec().implementations[k].forms, command, overlap))
        count(command, overlap, own.admitted);
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
        count(command, overlap, own.took);
        for (const std::string& feature : features) ++own.features[feature];
      }
    }
  }

  void tell(std::int64_t number, const Case& found, const Way& found_way) {
    Case smallest = found;
    Way way = found_way;
    const std::string difference = shrink(net.trial_, smallest, way);
    std::string text =
        fmt::format("{}\n  {}\n  {} ({})\n", call_text(op, smallest.call.args), difference,
                    op.spec().implementations[way.implementation].name, way.text());
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
