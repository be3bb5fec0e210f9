// tensorlane why: who wrote a value, and from what.
#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands.h"
#include "emulated_program.h"
#include "expect_options.h"
#include "json_option.h"
#include "run_settings.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/chip/chip.h"
#include "tensorlane/device/region_queue.h"
#include "tensorlane/inspect/place.h"
#include "tensorlane/observe/why/chain_text.h"
#include "tensorlane/tensor/dtype.h"
#include "why_run.h"

namespace tensorlane::cli {
namespace {

struct WhyOptions {
  std::string element, global, local;
  std::string shape, dtype = "fp32";
  std::optional<std::int64_t> read, launch, device;
  bool at_end = false, all = false;
  std::optional<double> expected;
  ExpectOptions expect;
  int depth = 16, width = 4, terms = 3, memory = 512;
  JsonOption json;
  RunSettings settings;
  std::vector<std::string> program;
};

std::vector<std::int64_t> index_numbers(std::string_view text, std::string_view what) {
  std::vector<std::int64_t> all;
  const std::string_view whole = text;
  do {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool more = error == std::errc() && end != text.data() + text.size();
    if (error != std::errc() || number < 0 || (more && *end != ','))
      user_error("{} '{}': it must be numbers with commas between them", what, whole);
    all.push_back(number);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()) + (more ? 1 : 0));
    if (more && text.empty()) user_error("{} '{}': it ends in a comma", what, whole);
  } while (!text.empty());
  return all;
}

// "output_addr[0,3,1,2]"
void take_element(const WhyOptions& options, why::Question& question) {
  const std::string& text = options.element;
  const std::size_t bracket = text.find('[');
  if (bracket == std::string::npos || bracket == 0 || !text.ends_with(']'))
    user_error("--element '{}': it must be a name and an index, such as output[0,3,1,2]", text);
  question.name = text.substr(0, bracket);
  question.element =
      index_numbers(std::string_view(text).substr(bracket + 1, text.size() - bracket - 2),
                    tr("the index in --element"));
  if (question.name.starts_with("read:")) {
    const std::vector<std::int64_t> read =
        index_numbers(std::string_view(question.name).substr(5), tr("the read in --element"));
    if (read.size() != 1 || options.read || options.launch || options.at_end)
      user_error("--element '{}': one read, which says when as well", text);
    question.read = static_cast<std::uint64_t>(read.front());
  }
  if (!options.shape.empty()) question.shape = index_numbers(options.shape, "--shape");
  question.dtype = options.dtype;
  parse_dtype(options.dtype);
  if (question.shape.empty()) return;
  if (question.shape.size() != question.element.size()) {
    user_error("--element '{}': {} numbers, and --shape {} has {}", text, question.element.size(),
               options.shape, question.shape.size());
  }
  for (std::size_t dim = 0; dim < question.shape.size(); ++dim) {
    if (question.element[dim] >= question.shape[dim])
      user_error("--element '{}': outside --shape {}", text, options.shape);
  }
}

// How far it goes, and on which device.
void take_limits(const WhyOptions& options, why::Question& question) {
  if (options.device) question.device = static_cast<int>(*options.device);
  question.limits.depth = options.depth;
  question.limits.width = options.width;
  question.limits.terms = options.terms;
  question.memory_bytes = static_cast<std::uint64_t>(options.memory) << 20;
}

why::Question question_of(const WhyOptions& options) {
  why::Question question;
  const int given = static_cast<int>(!options.element.empty()) +
                    static_cast<int>(!options.global.empty()) +
                    static_cast<int>(!options.local.empty());
  if (given != 1) user_error("give one of --element, --global, --local and --expect");
  if (!options.element.empty()) take_element(options, question);
  if (!options.global.empty()) question.place = options.global;
  if (!options.local.empty()) question.place = options.local;
  if (!options.global.empty() && inspect::parse_place(options.global, "--global").npu)
    user_error("--global '{}': an NPU and an offset are for --local", options.global);
  if (!options.local.empty() && !inspect::parse_place(options.local, "--local").npu)
    user_error("--local '{}': it must be NPU:OFFSET, such as 3:0x1000", options.local);
  if (static_cast<int>(options.read.has_value()) + static_cast<int>(options.launch.has_value()) +
          static_cast<int>(options.at_end) >
      1)
    user_error("give one of --read, --launch and --end");
  if (options.read) {
    if (*options.read < 0) user_error("--read {}: reads count from 0", *options.read);
    question.read = static_cast<std::uint64_t>(*options.read);
  }
  if (options.launch) {
    if (*options.launch < 0) user_error("--launch {}: launches count from 0", *options.launch);
    question.launch = static_cast<std::uint64_t>(*options.launch);
  }
  question.at_end = options.at_end;
  question.expected = options.expected;
  take_limits(options, question);
  return question;
}

// Of --expect: the first element that differs.
why::Question question_of_reference(const WhyOptions& options, const WhyRun& run,
                                    const std::string& expectations) {
  if (!options.element.empty() || !options.global.empty() || !options.local.empty())
    user_error("give one of --element, --global, --local and --expect");
  if (options.expected || options.read || options.launch || options.at_end)
    user_error("--expect FILE says which element, when, and what should stand there");
  why::Question question = ask_what_differs(run, expectations);
  const std::optional<int> device = question.device;
  take_limits(options, question);
  question.device = device;
  return question;
}

void run_why(const WhyOptions& options) {
  require_program("why", options.program);
  const std::string expectations = expect_variable(options.settings, options.expect);
  why::Question question;
  if (expectations.empty()) question = question_of(options);
  options.settings.check();
  options.json.check();
  const WhyRun run = {.program = options.program, .environment = options.settings.variables()};
  if (!expectations.empty()) question = question_of_reference(options, run, expectations);
  const Json answer = ask_why(run, question);
  std::fflush(stdout);
  if (!options.json.replaces_text())
    std::fputs(why::chain_text(answer, options.all).c_str(), stdout);
  options.json.write(answer);
}

}  // namespace

void add_why_command(App& app, std::vector<std::string>& words) {
  auto options = std::make_shared<WhyOptions>();
  App* command = app.add_subcommand(
      "why", "Run a program and say who wrote a value, and from what, back to the host");
  command
      ->add_option("--element", options->element,
                   "An element of a tensor whose address a field of the kernel's arguments holds: "
                   "output_addr[17], or output_addr[0,3,1,2] with --shape; read:2[17] of what the "
                   "host copies at its read 2")
      ->type_name("NAME[INDEX]");
  command->add_option("--shape", options->shape, "Of that tensor, whose elements follow each other")
      ->type_name("N,C,H,W");
  command->add_option("--dtype", options->dtype, "Type of its elements")->capture_default_str();
  command->add_option("--global", options->global, "An address in global memory, L2 or DTCM")
      ->type_name("ADDRESS");
  command->add_option("--local", options->local, "A byte of an NPU's local memory")
      ->type_name("NPU:OFFSET");
  command
      ->add_option("--read", options->read,
                   "When: at the host's read of this number, from 0; without any of these "
                   "three: when it last read the value, or at the end")
      ->type_name("N");
  command->add_option("--launch", options->launch, "When: at the end of launch N, from 0")
      ->type_name("N");
  command->add_flag("--end", options->at_end, "When: at the end of the program");
  command
      ->add_option("--device", options->device, "Device, from 0; without it one that has the value")
      ->type_name("N");
  command
      ->add_option("--expected", options->expected,
                   "What should stand there: says which commands would have given it, had one "
                   "thing of them been another")
      ->type_name("NUMBER");
  add_reference_options(*command, options->expect);
  command->add_flag("--all", options->all, "Print all steps and not only the nearest ones");
  command->add_option("--depth", options->depth, "How many steps to go back")
      ->range(0, 1000)
      ->capture_default_str();
  command->add_option("--width", options->width, "How many writers to follow per step")
      ->range(1, 1000)
      ->capture_default_str();
  command->add_option("--terms", options->terms, "How many terms of a sum to show, largest first")
      ->range(0, 64)
      ->capture_default_str();
  command
      ->add_option("--memory", options->memory,
                   "MiB that the past may take; the program runs again where that is too little")
      ->range(1, 1 << 20)
      ->capture_default_str();
  options->settings.add_to(*command, {"--expect", "--chip", "--impl", "--dma", "--keep-going",
                                      "--strict", "--red-zones", "--timeout"});
  options->json.add_to(*command);
  command->usage("Usage: tensorlane why [OPTIONS] -- PROGRAM ARGS...\n");
  command->footer(
      "Exit status: 0 when the chain was found, whatever the program's; 2 when there is no such\n"
      "place, time or device, or the program does not run the same way twice; 126 and 127 when "
      "the\nprogram cannot start.\n\n"
      "Examples:\n"
      "  tensorlane why --element output_addr[0] -- ./plus_one\n"
      "  tensorlane why --element output_addr[0,3,1,2] --shape 1,64,56,56 -- ./conv2d 64 56 56\n"
      "  tensorlane why --local 3:0x1000 --launch 0 -- ./softmax\n"
      "  tensorlane why --expect reference.npy --output output_addr -- ./softmax\n");
  options->program = cut_program(*command, words);
  command->callback([options] { run_why(*options); });
}

}  // namespace tensorlane::cli
