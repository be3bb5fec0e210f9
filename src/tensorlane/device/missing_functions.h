// Functions that a module of kernels calls and nobody defines.
//
// Published kernels refer to functions of the vendor's closed libraries. Bound lazily, such a
// module loads, but the loader ends the process at the first such call. Here the call ends its
// launch instead, with a message that names the function. Outside a launch nothing can go on: the
// front end says so and ends the process.
#ifndef TENSORLANE_DEVICE_MISSING_FUNCTIONS_H_
#define TENSORLANE_DEVICE_MISSING_FUNCTIONS_H_

#include <string>

namespace tensorlane {

// Says `text`, which is whole lines, and ends the process.
using EndProcess = void (*)(const std::string& text);

// Catches the calls of undefined functions in the program or library that `address` lies in. Once
// is enough. No effect on modules that are bound as a whole, and on processors other than x86-64.
void catch_missing_functions(const void* address, EndProcess outside_launch);

}  // namespace tensorlane

#endif  // TENSORLANE_DEVICE_MISSING_FUNCTIONS_H_
