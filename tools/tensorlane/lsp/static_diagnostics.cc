// Limits of the ops list that a call breaks whatever else the program does: those all of whose
// arguments the text names.
#include <fmt/format.h>

#include "lsp/diagnostics.h"
#include "op_facts.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/observe/check/finding.h"
#include "tensorlane/observe/check/limit_diagnostic.h"
#include "tensorlane/ops/command.h"
#include "tensorlane/recording/recorded_args.h"

namespace tensorlane::lsp {
namespace {

constexpr int kErrorSeverity = 1, kWarningSeverity = 2;
// A tensor that does not fit its memory; the rest is limit_diagnostic's.
constexpr std::string_view kBeyondMemory = "TL-MEMORY-001", kMissing = "TL-LAUNCH-001";

Shown finding(const Range& range, std::string_view id, const std::string& message,
              std::string_view repair) {
  const check::Diagnostic& diagnostic = check::find_diagnostic(id);
  std::string advice(repair.empty() ? check::spelled(translated(diagnostic.repair))
                                    : std::string(repair));
  Json json_form{{"range", json(range)},
                 {"severity", diagnostic.severity == check::Severity::kError ? kErrorSeverity
                                                                             : kWarningSeverity},
                 {"code", id},
                 {"source", "tensorlane"},
                 {"message", message + "\n" + tr("repair: {}", advice)}};
  return {std::move(json_form), std::string(id), std::move(advice), nullptr};
}

// The arguments that the text says, and which they are.
struct Partly {
  std::vector<Arg> args;
  Inputs known = kNoInputs;
  bool whole = true;
};

Partly partly(const KernelText::Function& function, const std::map<std::string, Json>& said) {
  const ArgDecoder decoder{*function.front_end};
  Partly partly;
  const auto params = function.op->params();
  for (std::size_t k = 0; k < params.size(); ++k) {
    const auto value = said.find(std::string(params[k].name));
    partly.args.emplace_back();
    if (value == said.end()) {
      partly.whole = false;
      continue;
    }
    partly.args.back() = decoder.decode(arg_type(params[k].type), value->second);
    partly.known |= input_of(static_cast<int>(k));
  }
  return partly;
}

std::string violation_text(std::string_view function, const Violation& violation) {
  std::string text = fmt::format("{}: ", function);
  if (!violation.values.empty()) text += violation.values + "; ";
  return text + tr("the rule is {} [{}]", violation.rule, violation.source);
}

void judge(const KernelText& kernel, const WrittenCall& call, const KernelText::Function& function,
           const Range& range, std::vector<Shown>& out) {
  const Op& op = *function.op;
  if (op.spec().absence != Absence::kNone) {
    out.push_back(finding(range, kMissing, fmt::format("{}: {}", op.name(), cli::state_text(op)),
                          cli::state_text(op)));
    return;
  }
  if (!call.closed || call.arguments.size() != op.params().size()) return;
  const Partly partly_known = partly(function, kernel.known_arguments(call, function));
  const Chip& chip = kernel.chip_of(*function.front_end);
  const Environment environment{partly_known.args, &chip, false};
  bool refused = false;
  for (const Limit& limit : op.limits()) {
    if (limit.about_data() || (limit.inputs() & ~partly_known.known) != 0) continue;
    const std::optional<Violation> violation = limit.check(environment);
    if (!violation) continue;
    refused = refused || violation->breach == Breach::kRefused;
    out.push_back(finding(range, check::limit_diagnostic(limit.breach()),
                          violation_text(op.name(), *violation), violation->repair));
  }
  if (refused || !partly_known.whole || op.engine() == Engine::kNone) return;
  // Of a call that is known whole: whether its tensors fit their memories.
  try {
    Command command;
    decode(op, partly_known.args, chip, false, command, {.keep_going = true});
  } catch (const IllegalCall& illegal) {
    for (const Violation& violation : illegal.violations()) {
      if (violation.about_memory)
        out.push_back(
            finding(range, kBeyondMemory, violation_text(op.name(), violation), violation.repair));
    }
  }
}

}  // namespace

std::vector<Shown> static_diagnostics(const Document& document, std::string_view chip) {
  const KernelText kernel(document.text(), chip);
  std::vector<Shown> all;
  for (const WrittenCall& call : kernel.c().calls()) {
    const KernelText::Function function = kernel.find(kernel.c().word(call.name));
    // A declaration, not a call, stands outside of functions.
    if (!function || !kernel.c().function_around(call.name.begin)) continue;
    judge(kernel, call, function, document.range_of({call.name.begin, call.end}), all);
  }
  return all;
}

}  // namespace tensorlane::lsp
