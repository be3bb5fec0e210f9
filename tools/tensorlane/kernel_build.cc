#include "kernel_build.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <sstream>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/io/file.h"

namespace tensorlane::cli {
namespace {

namespace fs = std::filesystem;

// What sources of a chip's kernels ask for: as Sophgo's projects and PPL spell it.
struct ChipDefines {
  std::string_view chip;
  std::vector<std::string> defines;
};
const std::vector<std::string>& defines_of(const Chip& chip) {
  static const std::vector<ChipDefines> all = {
      {"bm1684", {}},
      {"bm1684x", {"BACKEND_1684X", "BACKEND_BM1684X", "__bm1684x__", "__tpu_6_0__"}},
      {"bm1688", {"BACKEND_1688", "BACKEND_BM1686", "__bm1688__", "__tpul_6_0__"}},
      {"bm1690", {"BACKEND_SG2260", "__bm1690__", "__tpub_7_1__"}},
      {"sg2260e", {"BACKEND_SG2260E", "__sg2260e__", "__tpub_7_1_e__"}},
  };
  static const std::vector<std::string> none;
  const auto found = std::ranges::find(all, chip.name, &ChipDefines::chip);
  return found == all.end() ? none : found->defines;
}

bool is_c(const fs::path& file) {
  return file.extension() == ".c";
}
bool is_cpp(const fs::path& file) {
  const std::string extension = file.extension().string();
  return extension == ".cc" || extension == ".cpp" || extension == ".cxx";
}

std::string text_of(const std::string& file) {
  return std::string(FileView(file).text());
}

bool has(const std::string& text, const char* pattern) {
  return std::regex_search(text, std::regex(pattern));
}

// Some compilers write into each file what others leave to ppl_helper.h.
KernelSource described(const std::string& file, const std::string& text) {
  KernelSource source{.file = file, .is_cpp = is_cpp(file)};
  if (has(text, R"(\}\s*__ppl_tensor_info\s*;)"))
    source.flags.emplace_back("-DTENSORLANE_OWN_TENSOR_INFO");
  if (has(text, R"(\b__ppl_get_dtype\s*\(\s*int\s+\w+\s*\)\s*\{)"))
    source.flags.emplace_back("-DTENSORLANE_OWN_GET_DTYPE");
  return source;
}

void add_folder(const fs::path& folder, const Chip& chip, KernelSources& found) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.is_regular_file() && (is_c(entry.path()) || is_cpp(entry.path())))
      files.push_back(entry.path());
  }
  std::ranges::sort(files);
  const std::string calls = "\\b" + std::string(chip.api.prefix) + "(bdc|gdma|initialize|poll)";
  for (const fs::path& file : files) {
    const std::string text = text_of(file.string());
    if (has(text, "KERNEL_FUNC_REGISTER") || (is_c(file) && has(text, calls.c_str()))) {
      found.kernels.push_back(described(file.string(), text));
    } else {
      found.others.push_back(file.string());
    }
  }
}

std::vector<std::string> compiler(bool cpp) {
  const char* const own = std::getenv(cpp ? "CXX" : "CC");
  std::istringstream words(own == nullptr ? "" : own);
  std::vector<std::string> command;
  for (std::string word; words >> word;) command.push_back(word);
  if (command.empty()) command.emplace_back(cpp ? "c++" : "cc");
  return command;
}

// The headers of an interface: in the install tree beside bin, in a build tree under sdk.
std::string sdk_folder(const std::string& name) {
  const fs::path bin = fs::read_symlink("/proc/self/exe").parent_path();
  std::string looked;
  for (const std::string_view root : {"../" TENSORLANE_SDK_DIR "/", "../../sdk/"}) {
    const fs::path path = (bin / (std::string(root) + name)).lexically_normal();
    if (fs::is_directory(path)) return path.string();
    looked += (looked.empty() ? "" : tr(" and ")) + path.string();
  }
  user_error("the headers of the SDK are missing: they are not in {}", looked);
}

}  // namespace

KernelSources kernel_sources(const std::vector<std::string>& paths, const Chip& chip) {
  KernelSources found;
  for (const std::string& path : paths) {
    std::error_code error;
    if (fs::is_directory(path, error)) {
      add_folder(path, chip, found);
    } else if (!fs::exists(path, error)) {
      user_error("'{}' does not exist", path);
    } else if (is_c(path) || is_cpp(path)) {
      found.kernels.push_back(described(path, text_of(path)));
    } else {
      user_error("'{}' is neither a folder nor C nor C++: .c, .cc, .cpp, .cxx", path);
    }
  }
  if (found.kernels.empty()) {
    std::string named;
    for (const std::string& path : paths) named += (named.empty() ? "" : ", ") + path;
    user_error("no kernels in {}: no source there registers one or calls {} functions", named,
               chip.api.title);
  }
  return found;
}

std::vector<std::string> compile_command(const KernelBuild& build, const KernelSource& source,
                                         const std::string& object) {
  std::vector<std::string> command = compiler(source.is_cpp);
  for (const char* flag : {"-O2", "-g", "-w", "-fPIC", "-fsigned-char", "-DUSING_CMODEL"})
    command.emplace_back(flag);
  command.emplace_back(source.is_cpp ? "-std=gnu++17" : "-std=gnu11");
  for (const std::string& define : defines_of(*build.chip)) command.push_back("-D" + define);
  command.insert(command.end(), source.flags.begin(), source.flags.end());
  for (const std::string& define : build.defines) command.push_back("-D" + define);
  for (const std::string& folder : build.includes) command.push_back("-I" + folder);
  const std::string interface = sdk_folder(std::string(build.chip->api.name));
  command.push_back("-I" + interface + "/include");
  // Behind all others: names such as common.h are the project's own first.
  if (fs::is_directory(interface + "/generated")) {
    command.emplace_back("-idirafter");
    command.push_back(interface + "/generated");
  }
  command.insert(command.end(), {"-c", source.file, "-o", object});
  return command;
}

std::vector<std::string> link_command(const KernelBuild& build, const KernelSources& sources,
                                      const std::vector<std::string>& objects) {
  const bool cpp = std::ranges::any_of(sources.kernels, &KernelSource::is_cpp);
  std::vector<std::string> command = compiler(cpp);
  command.insert(command.end(), {"-shared", "-Wl,-Bsymbolic", "-Wl,-z,lazy"});
  command.insert(command.end(), objects.begin(), objects.end());
  command.insert(command.end(), {"-lm", "-o", build.output});
  return command;
}

}  // namespace tensorlane::cli
