// tensorlane new: a project to begin with.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "commands.h"
#include "layout_options.h"
#include "new_project.h"
#include "output_file.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/base/system_text.h"
#include "tensorlane/chip/chip.h"

namespace tensorlane::cli {
namespace {

namespace fs = std::filesystem;

// Where this program is installed, as CMake wants to hear it; PREFIX where it is not.
std::string installed_prefix() {
  std::error_code error;
  const fs::path prefix = fs::read_symlink("/proc/self/exe", error).parent_path().parent_path();
  for (const char* lib : {"lib", "lib64"}) {
    if (!error && fs::exists(prefix / lib / "cmake/tensorlane", error)) return prefix.string();
  }
  // Debian has a folder below lib for the machine.
  if (fs::is_directory(prefix / "lib", error)) {
    for (const fs::directory_entry& entry : fs::directory_iterator(prefix / "lib", error)) {
      if (fs::exists(entry.path() / "cmake/tensorlane", error)) return prefix.string();
    }
  }
  return "PREFIX";
}

void run(const std::string& where, const std::string& chip) {
  fs::path folder(where);
  if (!folder.has_filename()) folder = folder.parent_path();  // "name/"
  const std::vector<ProjectFile> files =
      new_project(find_chip(chip).api, folder.filename().string());
  std::error_code error;
  if (fs::exists(folder, error) &&
      !(fs::is_directory(folder, error) && fs::is_empty(folder, error)))
    user_error("'{}' is there already", folder.string());
  fs::create_directories(folder, error);
  if (error)
    user_error("cannot make the folder '{}': {}", folder.string(),
               error_number_text(error.value()));
  std::vector<std::string> names;
  for (const ProjectFile& file : files) {
    write_output((folder / file.name).string(), file.text);
    names.push_back(file.name);
  }
  fmt::print(
      "{0}: {1}\n\n"
      "  cmake -S {0} -B {0}/build -DCMAKE_PREFIX_PATH={2}\n"
      "  cmake --build {0}/build\n"
      "  ctest --test-dir {0}/build --output-on-failure\n",
      folder.string(), fmt::join(names, ", "), installed_prefix());
}

}  // namespace

void add_new_command(App& app) {
  struct Options {
    std::string where, chip = "bm1684";
  };
  auto options = std::make_shared<Options>();
  App* command = app.add_subcommand("new", "A project to begin with: kernel, host, test, build");
  command->add_option("NAME", options->where, "the folder to make; its last part names the kernel")
      ->required();
  command->add_option("--chip", options->chip, "whose kernels they are")
      ->capture_default_str()
      ->offer(chip_names());
  command->footer(
      "The kernel multiplies any number of elements by a factor, part by part: change that.\n"
      "\n"
      "Examples:\n"
      "  tensorlane new scale\n"
      "  tensorlane new scale --chip bm1684x\n");
  command->callback([options] { run(options->where, options->chip); });
}

}  // namespace tensorlane::cli
