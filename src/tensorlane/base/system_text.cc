#include "tensorlane/base/system_text.h"

#include <cstring>

#include "tensorlane/base/language.h"

namespace tensorlane {
namespace {

// The C library's own texts come in Chinese only where its catalogues are installed: those that
// users meet stand in ours.
[[maybe_unused]] constexpr std::string_view kOfTheSystem[] = {
    msg("No such file or directory"),
    msg("Permission denied"),
    msg("Is a directory"),
    msg("Not a directory"),
    msg("File exists"),
    msg("No space left on device"),
    msg("Exec format error"),
    msg("File name too long"),
    msg("Too many levels of symbolic links"),
    msg("Too many open files"),
    msg("Read-only file system"),
    msg("Bad file descriptor"),
    msg("Broken pipe"),
    msg("Input/output error"),
    msg("Invalid argument"),
    msg("Cannot allocate memory"),
    msg("Segmentation fault"),
    msg("Bus error"),
    msg("Floating point exception"),
    msg("Illegal instruction"),
    msg("Aborted"),
    msg("Killed"),
    msg("Terminated"),
    msg("Interrupt"),
    msg("Hangup"),
    msg("Quit"),
    msg("Alarm clock"),
    msg("Trace/breakpoint trap"),
};

}  // namespace

std::string error_number_text(int number) {
  return std::string(translated(std::strerror(number)));
}

std::string signal_text(int signal) {
  return std::string(translated(strsignal(signal)));
}

}  // namespace tensorlane
