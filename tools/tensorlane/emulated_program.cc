#include "emulated_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "json_option.h"
#include "program_interface.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/base/system_text.h"

namespace tensorlane::cli {
namespace {

namespace fs = std::filesystem;

// The folder of the libbmlib.so for a program: in the install tree beside bin, in a build tree
// under sdk. A program that is linked for one interface gets that, as without us: functions of
// other interfaces may be its own, of the same names. All others get the library that holds every
// interface, and so do those that are to run on a chip of the user's choice.
fs::path find_library(const std::string& program, bool chip_is_chosen) {
  const FrontEnd* const own = chip_is_chosen ? nullptr : interface_of_program(program);
  const std::string name(own == nullptr ? "run" : own->api.name);
  const fs::path bin = fs::read_symlink("/proc/self/exe").parent_path();
  std::string looked;
  for (const std::string& folder : {"../" TENSORLANE_SDK_DIR "/" + name + "/lib",
                                    "../../sdk/" + name, std::string("../../sdk")}) {
    const fs::path path = (bin / folder).lexically_normal();
    if (fs::exists(path / "libbmlib.so")) return path;
    looked += (looked.empty() ? "" : tr(" and ")) + path.string();
  }
  user_error("libbmlib.so is missing: it is not in {}", looked);
}

[[noreturn]] void cannot_start(const std::string& verb, const std::string& program,
                               const ProcessResult& result) {
  std::string hint;
  std::error_code error;  // names that no file can have do not exist
  const bool exists = fs::exists(program, error);
  if (result.start_error == ENOENT && program.find('/') == std::string::npos && exists) {
    hint = tr("; it is in this folder: write ./{}", program);
  } else if (fs::is_directory(program, error)) {
    hint = tr("; it is a folder");
  } else if (result.start_error == ENOENT && exists) {
    hint = tr("; its interpreter or loader does not exist");
  }
  fmt::print(stderr, "tensorlane {}: {}{}\n", verb,
             tr("cannot start '{}': {}", program, error_number_text(result.start_error)), hint);
  throw ExitStatus{result.status};
}

}  // namespace

std::vector<std::string> cut_program(const App& command, std::vector<std::string>& words) {
  if (words.empty() || words.front() != command.name()) return {};
  std::size_t at = 1;
  while (at < words.size() && words[at].starts_with('-') && words[at] != "--") {
    at += command.takes_value(words[at]) ? 2 : 1;
  }
  at = std::min(at, words.size());
  if (at < words.size() && words[at] != "--" && words[at - 1] == kJsonOption)
    refuse_json_apart(words[at], at + 1 < words.size() && words[at + 1] == "--");
  const std::size_t begin = at < words.size() && words[at] == "--" ? at + 1 : at;
  std::vector<std::string> program(words.begin() + static_cast<std::ptrdiff_t>(begin), words.end());
  words.resize(at);
  return program;
}

void require_program(const std::string& verb, const std::vector<std::string>& program) {
  if (program.empty())
    user_error("no program given; write: tensorlane {} -- PROGRAM ARGS...", verb);
}

ProcessResult run_emulated(const std::string& verb, const std::vector<std::string>& program,
                           std::vector<std::pair<std::string, std::string>> set,
                           ProgramOutput output) {
  const bool chip_is_chosen = std::ranges::any_of(set, [](const auto& variable) {
    return variable.first == "TENSORLANE_CHIP" && !variable.second.empty();
  });
  std::string library_path =
      find_library(program.front(), chip_is_chosen || std::getenv("TENSORLANE_CHIP") != nullptr)
          .string();
  const char* const before = std::getenv("LD_LIBRARY_PATH");
  if (before != nullptr && *before != '\0') library_path += std::string(":") + before;
  set.emplace_back("LD_LIBRARY_PATH", library_path);
  set.emplace_back("TENSORLANE_LANG", language() == Language::kChinese ? "zh" : "en");
  const ProcessResult result = run_process(program, set, output);
  if (result.start_error != 0) cannot_start(verb, program.front(), result);
  return result;
}

}  // namespace tensorlane::cli
