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

struct NewOptions {
  std::string where, kind = "elementwise", chip = "bm1684";
  bool list = false;
};

void list_kinds() {
  for (const ProjectKind& kind : project_kinds())
    fmt::print("  {:<12} {}\n", kind.name, translated(kind.what));
}

void run(const NewOptions& options) {
  if (options.list) return list_kinds();
  if (options.where.empty()) user_error("NAME is missing: the folder to make");
  fs::path folder(options.where);
  if (!folder.has_filename()) folder = folder.parent_path();  // "name/"
  const std::vector<ProjectFile> files =
      new_project(find_chip(options.chip), options.kind, folder.filename().string());
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
    fs::create_directories((folder / file.name).parent_path(), error);
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
  auto options = std::make_shared<NewOptions>();
  App* command =
      app.add_subcommand("new", "A project to begin with: kernel, host, tests, build, workflow");
  command->add_option("NAME", options->where, "the folder to make; its last part names the kernel");
  std::vector<std::string> kinds;
  for (const ProjectKind& kind : project_kinds()) kinds.emplace_back(kind.name);
  command->add_option("--template", options->kind, "what the kernel computes to begin with: --list")
      ->capture_default_str()
      ->offer(kinds);
  command->add_option("--chip", options->chip, "whose kernels they are")
      ->capture_default_str()
      ->offer(chip_names());
  command->add_flag("--list", options->list, "Print the templates that there are");
  command->footer(
      "The kernel is there to be changed. Its tests compare it with a loop in C++ and with numpy, "
      "over many sizes.\n"
      "\n"
      "Examples:\n"
      "  tensorlane new --list\n"
      "  tensorlane new scale\n"
      "  tensorlane new row_sums --template reduction --chip bm1684x\n");
  command->callback([options] { run(*options); });
}

}  // namespace tensorlane::cli
