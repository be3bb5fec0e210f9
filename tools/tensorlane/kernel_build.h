// Which files of a folder are kernels, and the commands that make a module of them.
//
// Compilers for the chips (PPL, the TPU back ends of TileLang) write C against tpu_kernel.h into a
// folder, beside the host that launches it. The flags are those of the device compiler that matter
// here: char is signed; a module's own functions are called, though a host has some of their names,
// `main` among them; functions that nobody defines are looked for when they are called.
#ifndef TENSORLANE_TOOLS_KERNEL_BUILD_H_
#define TENSORLANE_TOOLS_KERNEL_BUILD_H_

#include <string>
#include <vector>

#include "tensorlane/chip/chip.h"

namespace tensorlane::cli {

// A source of kernels, and what it says that others leave to the headers in `sdk/.../generated`.
struct KernelSource {
  std::string file;
  std::vector<std::string> flags = {};
  bool is_cpp = false;
};

struct KernelSources {
  std::vector<KernelSource> kernels;
  std::vector<std::string> others;  // sources of hosts, which are no part of a module
};

// The sources that `paths` name: files are kernels; of folders those that register a kernel or call
// the chip's functions. UserError where there is none.
KernelSources kernel_sources(const std::vector<std::string>& paths, const Chip& chip);

struct KernelBuild {
  const Chip* chip;
  std::vector<std::string> includes, defines;  // -I, -D
  std::string output;
};

// How the compiler is called for one source, with `object` as its result, and for the module.
std::vector<std::string> compile_command(const KernelBuild& build, const KernelSource& source,
                                         const std::string& object);
std::vector<std::string> link_command(const KernelBuild& build, const KernelSources& sources,
                                      const std::vector<std::string>& objects);

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_KERNEL_BUILD_H_
