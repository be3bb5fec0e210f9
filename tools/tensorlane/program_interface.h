// Which interface of kernels a program is linked for, told by the functions that it takes from
// libraries.
#ifndef TENSORLANE_TOOLS_PROGRAM_INTERFACE_H_
#define TENSORLANE_TOOLS_PROGRAM_INTERFACE_H_

#include <string>
#include <vector>

#include "tensorlane/device/front_end.h"

namespace tensorlane::cli {

// The names that an ELF file of 64 bits takes from other files; nothing for any other file.
std::vector<std::string> imported_names(const std::string& file);

// The only one of the interfaces whose functions `program`, a file or a name in PATH, takes from
// libraries; null where there is none, or more than one.
const FrontEnd* interface_of_program(const std::string& program);

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_PROGRAM_INTERFACE_H_
