// Verbs that the Python package does: it is found beside this program and run by a Python that has
// what it needs.
#ifndef TENSORLANE_TOOLS_PYTHON_PACKAGE_H_
#define TENSORLANE_TOOLS_PYTHON_PACKAGE_H_

#include <string>
#include <vector>

namespace tensorlane::cli {

// Runs `python3 -m MODULE WORDS...` and throws its exit status as ExitStatus where that is not 0.
// The interpreter is that of TENSORLANE_PYTHON, else the first of python3 in PATH and the system's
// that loads the module. Throws UserError for a Python or package that is missing.
void run_python_module(const std::string& module, const std::vector<std::string>& words);

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_PYTHON_PACKAGE_H_
