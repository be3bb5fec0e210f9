// Runs a program in place of the shell.
#ifndef TENSORLANE_TOOLS_PROCESS_H_
#define TENSORLANE_TOOLS_PROCESS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tensorlane::cli {

struct ProcessResult {
  int status = 0;              // as a shell would have it: exit status, or 128 + signal number
  int signal = 0;              // the signal that ended the program, 0 when none did
  int start_error = 0;         // errno when the program could not be started (status 126 or 127)
  double seconds = 0;          // wall time
  long peak_memory_bytes = 0;  // resident set at its largest
};

// Where standard output and standard error of a program go.
enum class ProgramOutput : std::uint8_t { kInherited, kDiscarded };

// Starts `program` (arguments with the name first; the name is searched in PATH when it has no
// slash) with the environment variables `set` added, and waits for it. Signals sent to this process
// go on to the program; those from the terminal reach it anyway.
ProcessResult run_process(const std::vector<std::string>& program,
                          const std::vector<std::pair<std::string, std::string>>& set,
                          ProgramOutput output = ProgramOutput::kInherited);

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_PROCESS_H_
