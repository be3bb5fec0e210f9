// tensorlane build: a module of kernels out of sources, those that compilers write among them.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "commands.h"
#include "emulated_program.h"
#include "kernel_build.h"
#include "layout_options.h"
#include "process.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/base/system_text.h"

namespace tensorlane::cli {
namespace {

namespace fs = std::filesystem;

struct BuildOptions {
  std::vector<std::string> paths, includes, defines;
  std::string chip = "bm1690", output = "kernels.so";
  bool verbose = false;
};

// A folder for objects that goes with the command.
class WorkFolder {
 public:
  WorkFolder() : path_(fs::temp_directory_path() / fmt::format("tensorlane-build-{}", getpid())) {
    fs::create_directories(path_);
  }
  ~WorkFolder() {
    std::error_code error;
    fs::remove_all(path_, error);
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  std::string object(std::size_t number) const {
    return (path_ / fmt::format("{}.o", number)).string();
  }

 private:
  fs::path path_;
};

// Whether the command ends well; the compiler has said why where not.
bool succeeds(const std::vector<std::string>& command, bool verbose) {
  if (verbose) {
    std::string line;
    for (const std::string& word : command) line += (line.empty() ? "" : " ") + word;
    fmt::print("{}\n", line);
    std::fflush(stdout);
  }
  const ProcessResult result = run_process(command, {});
  if (result.start_error != 0) {
    user_error("cannot start '{}': {}; install gcc and g++, or set CC and CXX", command.front(),
               error_number_text(result.start_error));
  }
  return result.status == 0;
}

void run(const BuildOptions& options) {
  const Chip& chip = find_chip(options.chip);
  const KernelSources sources = kernel_sources(options.paths, chip);
  const KernelBuild build{&chip, options.includes, options.defines, options.output};
  const WorkFolder work;
  std::vector<std::string> objects;
  std::size_t failed = 0;
  for (std::size_t k = 0; k < sources.kernels.size(); ++k) {
    const std::string object = work.object(k);
    if (succeeds(compile_command(build, sources.kernels[k], object), options.verbose)) {
      objects.push_back(object);
    } else {
      ++failed;
      fmt::print(stderr, "tensorlane build: {}\n",
                 tr("'{}' does not compile", sources.kernels[k].file));
    }
  }
  for (const std::string& other : sources.others)
    fmt::print("{}\n", tr("'{}' is left out: it has no kernels", other));
  if (failed > 0) throw ExitStatus{1};
  if (!succeeds(link_command(build, sources, objects), options.verbose)) throw ExitStatus{1};
  fmt::print("{}\n", tr("{}: kernels of {} sources for the {}", options.output, objects.size(),
                        chip.full_name));
}

}  // namespace

void add_build_command(App& app) {
  auto options = std::make_shared<BuildOptions>();
  App* command = app.add_subcommand("build", "A module of kernels out of C, as compilers write it");
  command->add_option("SOURCES", options->paths, "files, or folders whose kernels are meant")
      ->required()
      ->expected(1, 1 << 16);
  command->add_option("-o,--output", options->output, "the module")->capture_default_str();
  command->add_option("--chip", options->chip, "whose kernels they are")
      ->capture_default_str()
      ->offer(chip_names());
  command->add_option("-I", options->includes, "a folder with headers of the project")->repeated();
  command->add_option("-D", options->defines, "NAME or NAME=VALUE for the compiler")->repeated();
  command->add_flag("--verbose", options->verbose, "Print the commands");
  command->footer(
      "Headers that such C includes are there: tpu_kernel.h, ppl_helper.h, tpu_utils.h, common.h; "
      "a "
      "project's own come first. A finding names the line that #line says. CC and CXX name the "
      "compilers. Exit status: 1 when a source does not compile.\n"
      "\n"
      "Examples:\n"
      "  tensorlane build generated\n"
      "  tensorlane build --chip bm1684x kernel.c -o kernel.so -I include\n");
  command->callback([options] { run(*options); });
}

}  // namespace tensorlane::cli
