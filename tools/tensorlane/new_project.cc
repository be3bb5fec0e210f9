#include "new_project.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "tensorlane/base/error.h"
#include "tensorlane/chip/kernel_interface.h"

namespace tensorlane::cli {
namespace {

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
    "host",     "test",   "results", "checks"};

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

std::vector<ProjectFile> new_project(const KernelInterface& api, std::string_view name) {
  check_name(name);
  const auto* const words =
      std::ranges::find(kInterfaceWords, api.name, &InterfaceWords::interface);
  TL_INTERNAL_CHECK(words != std::end(kInterfaceWords));
  std::string upper;
  for (const char c : name) upper += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  std::vector<ProjectFile> files;
  for (const ProjectTemplate& from : project_templates()) {
    std::string file(from.file), text(from.text);
    const bool is_kernel = file.ends_with(".c");
    if (is_kernel && file != std::string(api.name) + ".c") continue;  // that of another interface
    if (is_kernel) file = "my_kernel.c";
    for (const auto& [word, value] :
         {std::pair<std::string_view, std::string>{"my_launch_sync", words->launch},
          {"my_flags", std::string(words->flags)},
          {"my_sdk", std::string(api.name) + "_sdk"},
          {"my_kernel", std::string(name)},
          {"MY_KERNEL", upper}}) {
      text = replaced(std::move(text), word, value);
    }
    files.push_back({replaced(std::move(file), "my_kernel", name), std::move(text)});
  }
  return files;
}

}  // namespace tensorlane::cli
