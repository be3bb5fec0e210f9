// Whether a program or a shared library of this process has debug information.
#ifndef TENSORLANE_DEVICE_DEBUG_PRESENCE_H_
#define TENSORLANE_DEVICE_DEBUG_PRESENCE_H_

#include <string>

namespace tensorlane {

// Whether debug information may be found of a file, by its headers: false where it has none, no
// name of any, and none is stored under its build id; true where that cannot be said. libdw takes
// 0.2 ms to find out as much, longer than a short launch.
bool may_have_debug_information(const std::string& file);
// The same of the program, whose file is looked at once.
bool program_may_have_debug_information();
// The same of the object that an address lies in; false where there is none.
bool may_have_debug_information(const void* address);

}  // namespace tensorlane

#endif  // TENSORLANE_DEVICE_DEBUG_PRESENCE_H_
