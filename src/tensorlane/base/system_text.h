// What the system says of errors and signals, in the language of the process.
#ifndef TENSORLANE_BASE_SYSTEM_TEXT_H_
#define TENSORLANE_BASE_SYSTEM_TEXT_H_

#include <string>

namespace tensorlane {

// "No such file or directory" for ENOENT.
std::string error_number_text(int number);
// "Segmentation fault" for SIGSEGV.
std::string signal_text(int signal);

}  // namespace tensorlane

#endif  // TENSORLANE_BASE_SYSTEM_TEXT_H_
