// What happens to the exit status of a script whose last errors come when nobody can catch them.
#ifndef TENSORLANE_PYTHON_EXIT_STATUS_H_
#define TENSORLANE_PYTHON_EXIT_STATUS_H_

namespace tensorlane::python {

// Once, as the module is loaded.
void watch_exit_status();
// The process, should it end with status 0, ends with 1.
void end_as_failed();

}  // namespace tensorlane::python

#endif  // TENSORLANE_PYTHON_EXIT_STATUS_H_
