// tensorlane diff: two runs side by side.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "commands.h"
#include "emulated_program.h"
#include "json_option.h"
#include "output_file.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/command_log/compare.h"
#include "tensorlane/command_log/log_reader.h"
#include "tensorlane/compare/compare.h"
#include "tensorlane/device/region_queue.h"
#include "tensorlane/inspect/value.h"
#include "tensorlane/io/file.h"
#include "tensorlane/io/npy.h"

namespace tensorlane::cli {
namespace {

constexpr int kDiffer = 1;

struct DiffOptions {
  std::vector<std::string> logs;
  std::string chip, dma;
  bool reference = false;
  JsonOption json;
  command_log::CompareOptions compare;
  std::vector<std::string> words;  // behind "--"
};

using Variables = std::vector<std::pair<std::string, std::string>>;

// One of the runs.
struct Side {
  std::string name;
  command_log::Log log = {};
  std::vector<std::string> program = {};  // empty: there is only the log
  Variables variables = {};
};

Side read_side(const std::string& path) {
  const FileView file(path);
  if (file.text().starts_with("\177ELF") || file.text().starts_with("#!"))
    user_error("'{}' is a program; programs follow --: tensorlane diff -- PROGRAM --versus PROGRAM",
               path);
  return {path, command_log::read_log(file.text(), path)};
}

// Runs a program with a log of its own. `changed`: what the second run does otherwise.
Side run_side(const std::vector<std::string>& program, const DiffOptions& options, bool changed) {
  Side side{fmt::format("{}", fmt::join(program, " ")), {}, program, {}};
  side.variables = {{"TENSORLANE_CHIP", options.chip},
                    {"TENSORLANE_IMPL", changed && options.reference ? "reference" : ""},
                    {"TENSORLANE_DMA", changed ? options.dma : ""}};
  if (changed && options.reference) side.name += " (--reference)";
  if (changed && !options.dma.empty()) side.name += fmt::format(" (--dma {})", options.dma);
  const ForeignOutput file(std::string(kStandardOutput), ".jsonl");
  write_output(file.path(), "");
  Variables variables = side.variables;
  variables.emplace_back("TENSORLANE_LOG", file.path());
  const ProcessResult result = run_emulated("diff", program, variables);
  side.log = command_log::read_log(FileView(file.path()).text(), tr("log of {}", side.name));
  if (result.status != 0) side.name += tr(" (exit status {})", result.status);
  return side;
}

// All elements of a result, by another run of the program, whose own output nobody wants twice.
Tensor result_of(const Side& side, const command_log::LoggedLaunch& launch, std::size_t command,
                 const command_log::LoggedOperand& operand) {
  const ForeignOutput file(std::string(kStandardOutput), ".npy");
  Variables variables = side.variables;
  variables.emplace_back("TENSORLANE_DUMP",
                         fmt::format("#{}.{}.{}:{}={}", launch.device, launch.number,
                                     launch.commands[command].number, operand.name, file.path()));
  std::vector<std::string> quiet = {"/bin/sh", "-c", "exec \"$0\" \"$@\" > /dev/null 2>&1"};
  quiet.insert(quiet.end(), side.program.begin(), side.program.end());
  run_emulated("diff", quiet, variables);
  const Dtype dtype = inspect::readable(parse_dtype(operand.dtype));
  // A file has a byte for each element of 4 bits.
  return read_npy_file(file.path(), dtype_bits(dtype) == 4 ? std::nullopt : std::optional(dtype));
}

// Which elements of the first result that differs do so, and what that looks like. Nothing where
// tiles stand against each other, or there are only logs.
std::string elements_text(const command_log::Comparison& comparison, const Side& a, const Side& b,
                          const DiffOptions& options) {
  if (a.program.empty()) return "";
  for (const command_log::LaunchComparison& launch : comparison.launches) {
    const command_log::Counterpart* const first = launch.first_difference();
    if (first == nullptr) continue;
    const auto differing = command_log::differing_result(launch, *first, options.compare);
    if (!differing) return "";
    const auto& [left, right] = *differing;
    const Tensor want = result_of(a, *launch.a, first->a.front(), *left),
                 got = result_of(b, *launch.b, first->b.front(), *right);
    const auto values = [](const Tensor& tensor) {
      return compare::elements_of(
          tensor.dtype, tensor.data,
          static_cast<std::size_t>(element_count(tensor.shape, tr("the result"))));
    };
    const std::vector<double> wanted = values(want);
    const double room =
        options.compare.between(left->dtype, right->dtype) * compare::largest_magnitude(wanted);
    std::string text =
        fmt::format("\n  {}\n", tr("{} of B against A, by another run of both:", left->name));
    for (const std::string& line : compare::comparison_lines(compare::compare(
             values(got), wanted, want.shape, {.absolute = room, .dtype = want.dtype})))
      text += "  " + line + "\n";
    return text;
  }
  return "";
}

// The same; a program that does something else the next time is no reason to say nothing.
std::string details(const command_log::Comparison& comparison, const Side& a, const Side& b,
                    const DiffOptions& options) {
  try {
    return elements_text(comparison, a, b, options);
  } catch (const UserError& error) {
    return fmt::format("\n  {}\n",
                       tr("another run of both did not show the elements: {}", error.what()));
  }
}

void run(const DiffOptions& options) {
  Side a, b;
  if (options.words.empty()) {
    if (options.logs.size() != 2)
      user_error(
          "two logs are compared; write: tensorlane diff A.jsonl B.jsonl, or tensorlane "
          "diff -- ./program --versus ./other");
    if (options.reference || !options.dma.empty() || !options.chip.empty())
      user_error("--reference, --dma and --chip are for programs, not for logs");
    a = read_side(options.logs[0]);
    b = read_side(options.logs[1]);
  } else {
    if (!options.logs.empty())
      user_error("'{}' stands before --; logs and programs are not compared", options.logs[0]);
    if (!options.dma.empty()) parse_region_order(options.dma);
    const auto versus = std::ranges::find(options.words, "--versus");
    const std::vector<std::string> first(options.words.begin(), versus);
    std::vector<std::string> second = first;
    if (versus != options.words.end()) {
      second.assign(versus + 1, options.words.end());
    } else if (!options.reference && options.dma.empty()) {
      user_error(
          "one program alone is compared with --reference or --dma; else add --versus "
          "PROGRAM ARGS...");
    }
    if (first.empty() || second.empty()) user_error("a program is missing beside --versus");
    a = run_side(first, options, false);
    b = run_side(second, options, true);
  }
  for (const Side* side : {&a, &b}) {
    if (side->log.launches.empty()) user_error("{}: there is no launch in it", side->name);
  }
  const command_log::Comparison comparison = command_log::compare(a.log, b.log, options.compare);
  if (!options.json.replaces_text()) {
    write_output(std::string(kStandardOutput),
                 command_log::comparison_text(comparison, a.name, b.name, options.compare,
                                              details(comparison, a, b, options)));
  }
  options.json.write(command_log::comparison_json(comparison, a.name, b.name));
  if (!comparison.same()) throw ExitStatus{kDiffer};
}

}  // namespace

void add_diff_command(App& app, std::vector<std::string>& words) {
  auto options = std::make_shared<DiffOptions>();
  App* command = app.add_subcommand(
      "diff", "Compare two runs: the first results that differ, and the time of each line");
  command->add_option("LOGS", options->logs, "Two logs that 'run --log' wrote")->expected(0, 2);
  command
      ->add_option("--tolerance", options->compare.tolerance,
                   "How far values may be apart, as a share of the largest magnitude; without it "
                   "bits are compared, and values of different types to within 0.01")
      ->type_name("SHARE");
  command->add_flag("--reference", options->reference,
                    "The second program runs on the reference implementation of every function");
  command
      ->add_option("--dma", options->dma,
                   "When copies take effect in the second program: issue, early, late or "
                   "random[:SEED]")
      ->type_name("ORDER");
  command->add_option("--chip", options->chip, "Chip of both programs")->type_name("CHIP");
  options->json.add_to(*command);
  command->usage(
      "Usage: tensorlane diff [OPTIONS] A.jsonl B.jsonl\n"
      "       tensorlane diff [OPTIONS] -- PROGRAM ARGS... [--versus PROGRAM ARGS...]\n");
  command->footer(
      "Without --versus the same program runs twice, the second time with --reference or --dma.\n"
      "Exit status: 0 when every command has its counterpart with the same results, 1 when not,\n"
      "2 when there is nothing to compare.\n\n"
      "Examples:\n"
      "  tensorlane run --log a.jsonl -- ./plus_one\n"
      "  tensorlane diff a.jsonl b.jsonl\n"
      "  tensorlane diff -- ./softmax_plain --versus ./softmax_bounded\n"
      "  tensorlane diff --dma late -- ./conv2d 64 56 56\n");
  if (!words.empty() && words.front() == command->name()) {
    const auto dashes = std::ranges::find(words, "--");
    if (dashes != words.end()) options->words.assign(dashes + 1, words.end());
    words.erase(dashes, words.end());
  }
  command->callback([options] {
    if (!(options->compare.tolerance >= 0))
      user_error("--tolerance {}: it must not be negative", options->compare.tolerance);
    run(*options);
  });
}

}  // namespace tensorlane::cli
