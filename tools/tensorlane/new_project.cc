#include "new_project.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/base/names.h"
#include "tensorlane/chip/chip.h"
#include "tensorlane/chip/kernel_interface.h"

namespace tensorlane::cli {
namespace {

constexpr ProjectKind kKinds[] = {
    {"elementwise", msg("a factor times every element: any number of elements, part by part")},
    {"reduction", msg("the sum of every row of a matrix, wide rows piece by piece")},
    {"product", msg("the product of two matrices of any size, tile by tile")},
    {"launches",
     msg("two kernels, one after the other: the mean of every row, then the row without it")},
};

// What differs between the interfaces beside the kernel, which is a file of its own.
struct InterfaceWords {
  std::string_view interface, launch, flags;
};
constexpr InterfaceWords kInterfaceWords[] = {
    {kOkkernel.name, "okkernel_launch_sync", "-Wall;-Wextra"},
    {kTpukernel.name, "tpu_kernel_launch_sync", "-Wall;-Wextra;-DBACKEND_1684X;-fsigned-char"},
};

// Words that a function of C, or of this project, cannot be called.
constexpr std::string_view kTaken[] = {
    "auto",     "break",  "case",    "char",     "const",    "continue", "default",  "do",
    "double",   "else",   "enum",    "extern",   "float",    "for",      "goto",     "if",
    "inline",   "int",    "long",    "register", "restrict", "return",   "short",    "signed",
    "sizeof",   "static", "struct",  "switch",   "typedef",  "union",    "unsigned", "void",
    "volatile", "while",  "main",    "class",    "new",      "delete",   "template", "namespace",
    "host",     "test",   "results", "checks",   "run",      "python"};

void check_name(std::string_view name) {
  const auto is_letter = [](char c) {
    return std::islower(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  const bool spelled =
      !name.empty() && is_letter(name.front()) &&
      std::ranges::all_of(name, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
  if (!spelled || name.starts_with('_'))
    user_error("NAME '{}': a kernel is a function of C; a name is lower-case letters, digits and _",
               name);
  if (std::ranges::find(kTaken, name) != std::end(kTaken))
    user_error("NAME '{}' means something else in C or in the project", name);
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

}  // namespace

std::span<const ProjectKind> project_kinds() {
  return kKinds;
}

std::vector<ProjectFile> new_project(const Chip& chip, std::string_view kind,
                                     std::string_view name) {
  check_name(name);
  if (std::ranges::find(kKinds, kind, &ProjectKind::name) == std::end(kKinds)) {
    std::vector<std::string_view> kinds;
    for (const ProjectKind& one : kKinds) kinds.push_back(one.name);
    user_error("no template is called '{}'{}", kind, did_you_mean(kind, kinds));
  }
  const std::string_view api = chip.api.name;
  const auto* const words = std::ranges::find(kInterfaceWords, api, &InterfaceWords::interface);
  if (words == std::end(kInterfaceWords))
    user_error("no template is written for kernels of {}, which {} runs", chip.api.title,
               chip.name);
  std::string upper;
  for (const char c : name) upper += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  std::vector<ProjectFile> files;
  for (const ProjectTemplate& from : project_templates()) {
    const std::string_view folder = from.file.substr(0, from.file.find('/'));
    if (folder != kind && folder != "common") continue;
    std::string file(from.file.substr(folder.size() + 1)), text(from.text);
    if (file.ends_with("kernel.c")) {
      if (file != std::string(api) + ".c") continue;  // that of another interface
      file = "my_kernel.c";
    }
    // Not a hidden folder among the sources of TensorLane, where it would be a workflow of its own.
    if (file == "workflow.yml") file = ".github/workflows/tests.yml";
    for (const auto& [word, value] :
         {std::pair<std::string_view, std::string>{"my_launch_sync", words->launch},
          {"my_flags", std::string(words->flags)},
          {"my_sdk", std::string(api) + "_sdk"},
          {"my_chip", std::string(chip.name)},
          {"my_kernel", std::string(name)},
          {"MY_KERNEL", upper}}) {
      text = replaced(std::move(text), word, value);
    }
    files.push_back({replaced(std::move(file), "my_kernel", name), std::move(text)});
  }
  return files;
}

}  // namespace tensorlane::cli
