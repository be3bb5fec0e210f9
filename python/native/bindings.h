// What the files of the Python module share. Results that are records come as JSON, which the
// package makes into its own classes; arrays are passed as buffers, never copied on the way.
#ifndef TENSORLANE_PYTHON_BINDINGS_H_
#define TENSORLANE_PYTHON_BINDINGS_H_

#include <pybind11/pybind11.h>

#include <cstddef>
#include <span>

namespace tensorlane::python {

namespace py = pybind11;

// The bytes of an object with a C-contiguous buffer; ValueError for another one.
class Bytes {
 public:
  explicit Bytes(const py::buffer& buffer, bool writable = false);
  std::span<std::byte> span() const {
    return {static_cast<std::byte*>(view_.ptr), static_cast<std::size_t>(size_)};
  }

 private:
  py::buffer_info view_;
  py::ssize_t size_;
};

// The line of the script that called into the package, as an address_of_place(); null without one.
const void* caller_place();
// The same for who has no script of its own: what other processes ask for is said to come from
// there, (file, line, function), from now on; None for nowhere.
void set_caller(const py::object& place);
// Where this process stands, in that form.
py::object caller();

void add_algebra(py::module_& module);
void add_comparisons(py::module_& module);
void add_devices(py::module_& module);
void add_layouts(py::module_& module);
void add_timelines(py::module_& module);

}  // namespace tensorlane::python

#endif  // TENSORLANE_PYTHON_BINDINGS_H_
