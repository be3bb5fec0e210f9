// Messages between the process of a script and those that run launches for it.
#ifndef TENSORLANE_PYTHON_EXCHANGE_H_
#define TENSORLANE_PYTHON_EXCHANGE_H_

#include "bindings.h"

namespace tensorlane::python {

// send(socket, message) and receive(socket), and both at once: exchange(). A message goes as a
// whole, whatever signals Python gets meanwhile. Receiving gives None when nobody is there any
// more.
void add_exchange(py::module_& module);

}  // namespace tensorlane::python

#endif  // TENSORLANE_PYTHON_EXCHANGE_H_
