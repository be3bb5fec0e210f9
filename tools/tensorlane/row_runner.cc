#include "row_runner.h"

#include <fmt/format.h>
#include <unistd.h>

#include "emulated_program.h"
#include "kernel_build.h"
#include "kernel_launch.h"
#include "process.h"
#include "run_settings.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/base/system_text.h"
#include "tensorlane/observe/run_options.h"
#include "tensorlane/recording/recording.h"

namespace tensorlane::cli {
namespace {

namespace fs = std::filesystem;

void demand(const std::vector<std::string>& command, const std::string& source) {
  const ProcessResult result = run_process(command, {});
  if (result.start_error != 0)
    user_error("cannot start '{}': {}; install gcc and g++, or set CC and CXX", command.front(),
               error_number_text(result.start_error));
  if (result.status != 0) user_error("'{}' does not compile", source);
}

// Of the launches that were recorded to `file` the first, or the first of this kernel.
std::string recording_of(const std::string& file, const std::string& kernel, const Chip& chip) {
  for (int number = 0;; ++number) {
    std::string each = file;
    if (number > 0) each.insert(each.rfind(".jsonl"), fmt::format("-{}", number));
    if (!fs::exists(each)) return {};
    const Json header = RecordingReader(each, &chip).header();
    if (kernel.empty() || header.value("kernel", "") == kernel) return each;
  }
}

}  // namespace

RowRunner::RowRunner(std::string verb)
    : verb_(std::move(verb)),
      folder_(fs::temp_directory_path() / fmt::format("tensorlane-rows-{}", getpid())) {
  fs::create_directories(folder_);
}

RowRunner::~RowRunner() {
  std::error_code error;
  fs::remove_all(folder_, error);
}

std::string RowRunner::file(const char* kind) {
  return (folder_ / fmt::format("{}{}", files_++, kind)).string();
}

std::string RowRunner::module_of(const std::vector<std::string>& sources, const Chip& chip) {
  std::string& module = modules_[{sources, &chip}];
  if (!module.empty()) return module;
  const KernelSources found = kernel_sources(sources, chip);
  const KernelBuild build{&chip, {}, {}, file(".so")};
  std::vector<std::string> objects;
  for (const KernelSource& source : found.kernels) {
    objects.push_back(file(".o"));
    demand(compile_command(build, source, objects.back()), source.file);
  }
  demand(link_command(build, found, objects), sources.front());
  return module = build.output;
}

std::shared_ptr<const CommandList> RowRunner::run(const RowRun& wanted, const Chip& chip) {
  std::vector<std::string> program = wanted.program;
  if (program.empty()) {
    const std::string module =
        wanted.module.empty() ? module_of(wanted.sources, chip) : wanted.module;
    program = launch_words({module, wanted.kernel, &chip, wanted.cores, wanted.arguments});
  }
  const std::string made = file(".jsonl");
  // Nothing else that the environment asks of runs.
  std::vector<std::pair<std::string, std::string>> variables;
  for (const observe::RunOption& option : observe::run_options())
    variables.emplace_back(option.variable, "");
  set_variable(variables, "TENSORLANE_CHIP", std::string(chip.name));
  set_variable(variables, "TENSORLANE_DRY_RUN", "1");
  set_variable(variables, "TENSORLANE_RECORD", made);
  const ProcessResult result = run_emulated(verb_, program, variables);
  const std::string name = wanted.program.empty() ? wanted.kernel : program.front();
  if (result.status != 0) user_error("'{}' ended with exit status {}", name, result.status);
  const std::string recording = recording_of(made, wanted.kernel, chip);
  if (recording.empty()) {
    if (wanted.kernel.empty()) user_error("'{}' launched no kernel", name);
    user_error("'{}' did not launch the kernel '{}'", name, wanted.kernel);
  }
  return std::make_shared<CommandList>(recording, chip);
}

}  // namespace tensorlane::cli
