// A program on the emulated device: found on the command line, started with our libbmlib.so.
#ifndef TENSORLANE_TOOLS_EMULATED_PROGRAM_H_
#define TENSORLANE_TOOLS_EMULATED_PROGRAM_H_

#include <string>
#include <utility>
#include <vector>

#include "app.h"
#include "process.h"

namespace tensorlane::cli {

// Takes the program and its arguments off the words after a verb that runs one: what follows "--",
// or the first word that is neither an option of `command` nor its value. Empty where the words
// name another verb, or no program.
std::vector<std::string> cut_program(const App& command, std::vector<std::string>& words);

// UserError where no program was given. `verb` is that of messages, here and below.
void require_program(const std::string& verb, const std::vector<std::string>& program);

// Runs `program` with the environment variables `set`; its libbmlib.so is the one that holds every
// interface. An empty value switches its tool off, also when the variable comes from outside.
// Throws UserError where the library is missing, ExitStatus, having said why, where the program
// cannot start.
ProcessResult run_emulated(const std::string& verb, const std::vector<std::string>& program,
                           std::vector<std::pair<std::string, std::string>> set,
                           ProgramOutput output = ProgramOutput::kInherited);

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_EMULATED_PROGRAM_H_
