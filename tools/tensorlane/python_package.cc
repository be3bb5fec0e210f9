#include "python_package.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "app.h"
#include "process.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/base/system_text.h"

namespace tensorlane::cli {
namespace {

namespace fs = std::filesystem;

using Environment = std::vector<std::pair<std::string, std::string>>;

// The folder with the package: below the prefix of an install, or in a build tree. Empty where
// there is none; a Python may know one all the same.
std::string package_folder() {
  std::error_code error;
  const fs::path bin = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const char* folder : {"../" TENSORLANE_PYTHON_DIR, "../../python"}) {
    const fs::path path = (bin / folder).lexically_normal();
    if (fs::exists(path / "tensorlane/__init__.py", error)) return path.string();
  }
  return {};
}

// PYTHONPATH with `folder` before what it has.
Environment environment_with(const std::string& folder) {
  if (folder.empty()) return {};
  const char* const before = std::getenv("PYTHONPATH");
  const bool more = before != nullptr && *before != '\0';
  return {{"PYTHONPATH", more ? folder + ":" + before : folder}};
}

std::vector<std::string> interpreters() {
  const char* const chosen = std::getenv("TENSORLANE_PYTHON");
  if (chosen != nullptr && *chosen != '\0') return {chosen};
  return {"python3", "/usr/bin/python3"};
}

// Whether `python` loads the package with all that this needs: its version, numpy.
bool loads(const std::string& python, const std::string& module, const Environment& environment) {
  const std::string code = fmt::format("import importlib; importlib.import_module('{}')", module);
  return run_process({python, "-c", code}, environment, ProgramOutput::kDiscarded).status == 0;
}

}  // namespace

void run_python_module(const std::string& module, const std::vector<std::string>& words) {
  const std::string folder = package_folder();
  Environment environment = environment_with(folder);
  environment.emplace_back("TENSORLANE_LANG", language() == Language::kChinese ? "zh" : "en");
  for (const std::string& python : interpreters()) {
    if (!loads(python, module, environment)) continue;
    std::vector<std::string> program = {python, "-m", module};
    program.insert(program.end(), words.begin(), words.end());
    const ProcessResult result = run_process(program, environment);
    if (result.start_error != 0)
      user_error("cannot start '{}': {}", python, error_number_text(result.start_error));
    if (result.status != 0) throw ExitStatus{result.status};
    return;
  }
  const std::string tried = fmt::format("{}", fmt::join(interpreters(), ", "));
  if (folder.empty()) {
    user_error(
        "this needs the Python package tensorlane (Debian: python3-tensorlane), which is neither "
        "beside this program nor known to {}",
        tried);
  }
  user_error(
      "no Python loads the package in '{}': tried {}. It needs numpy and the version of Python "
      "that "
      "it was built for; TENSORLANE_PYTHON names another interpreter. What is missing says: "
      "PYTHONPATH={} python3 -c 'import {}'",
      folder, tried, folder, module);
}

}  // namespace tensorlane::cli
