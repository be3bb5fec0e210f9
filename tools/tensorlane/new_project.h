// Projects to begin with: a kernel, the host that calls it, a test and a build, from the templates
// in templates/. Those are sources that compile: a project called my_kernel, whose name is
// replaced.
#ifndef TENSORLANE_TOOLS_NEW_PROJECT_H_
#define TENSORLANE_TOOLS_NEW_PROJECT_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tensorlane {
struct KernelInterface;
}

namespace tensorlane::cli {

struct ProjectTemplate {
  std::string_view file, text;
};
std::span<const ProjectTemplate> project_templates();

struct ProjectFile {
  std::string name, text;
};
// The files of a project for kernels of `api`. Throws UserError where `name` cannot name a kernel,
// a function of C.
std::vector<ProjectFile> new_project(const KernelInterface& api, std::string_view name);

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_NEW_PROJECT_H_
