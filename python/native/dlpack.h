// Arrays in the form in which numpy, PyTorch, JAX and others hand them to each other (DLPack), by
// the layout that dmlc/dlpack publishes.
#ifndef TENSORLANE_PYTHON_DLPACK_H_
#define TENSORLANE_PYTHON_DLPACK_H_

#include <cstdint>
#include <vector>

#include "bindings.h"

namespace tensorlane::python {

// A capsule with row-major elements in the memory of `buffer`, which it keeps. `code` and `bits`:
// the element type as DLPack numbers it. `versioned`: the form of DLPack 1.0, which can say that
// the memory is to be read only; `copied`: it belongs to whoever takes it.
py::capsule dlpack_capsule(const py::buffer& buffer, std::vector<std::int64_t> shape, int code,
                           int bits, bool versioned, bool copied);

}  // namespace tensorlane::python

#endif  // TENSORLANE_PYTHON_DLPACK_H_
