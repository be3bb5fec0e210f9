// Projects to begin with: a kernel, the host that calls it, tests in C++ and Python, a build and a
// workflow for GitHub, from templates/. A folder there is a kind of kernel, common/ is what all
// kinds share. They are sources that compile: a project called my_kernel, whose name is replaced.
#ifndef TENSORLANE_TOOLS_NEW_PROJECT_H_
#define TENSORLANE_TOOLS_NEW_PROJECT_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tensorlane {
struct Chip;
}

namespace tensorlane::cli {

// The kinds of kernels there are templates for, and what theirs computes, in English
// (base/language.h).
struct ProjectKind {
  std::string_view name, what;
};
std::span<const ProjectKind> project_kinds();

// A file below templates/: "reduction/main.cpp".
struct ProjectTemplate {
  std::string_view file, text;
};
std::span<const ProjectTemplate> project_templates();

struct ProjectFile {
  std::string name, text;
};
// The files of a project with a kernel of that kind for `chip`. Throws UserError where `name`
// cannot name a kernel, a function of C, and where there is no such kind.
std::vector<ProjectFile> new_project(const Chip& chip, std::string_view kind,
                                     std::string_view name);

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_NEW_PROJECT_H_
