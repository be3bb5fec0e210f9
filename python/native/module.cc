// The Python module tensorlane._native.
#include <Python.h>
#include <frameobject.h>
#include <pybind11/stl.h>

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bindings.h"
#include "dlpack.h"
#include "exchange.h"
#include "exit_status.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/labelled.h"
#include "tensorlane/base/language.h"
#include "tensorlane/chip/chip.h"
#include "tensorlane/device/source_location.h"
#include "tensorlane/observe/check/finding.h"

namespace tensorlane::python {
namespace {

// Where the package lies: frames of its own files are not the script's.
std::string& package_folder() {
  static std::string& folder = *new std::string;
  return folder;
}

// Errors of the library become those of the package (errors.py).
void translate(std::exception_ptr thrown) {
  const auto raise = [](const char* name, const std::exception& error) {
    const py::object type = py::module_::import("tensorlane.errors").attr(name);
    PyErr_SetString(type.ptr(), error.what());
  };
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const UserError& error) {
    raise("UserError", error);
  } catch (const InternalError& error) {
    raise("InternalError", error);
  }
}

std::string text_of(PyObject* object) {
  const char* const text = object == nullptr ? nullptr : PyUnicode_AsUTF8(object);
  if (text == nullptr) PyErr_Clear();
  return text == nullptr ? "" : text;
}

}  // namespace

Bytes::Bytes(const py::buffer& buffer, bool writable) : view_(buffer.request(writable)) {
  size_ = view_.size * view_.itemsize;
  py::ssize_t expected = view_.itemsize;
  for (py::ssize_t dim = view_.ndim - 1; dim >= 0; --dim) {
    if (view_.shape[dim] > 1 && view_.strides[dim] != expected)
      throw py::value_error("the buffer is not contiguous");
    expected *= view_.shape[dim];
  }
}

// A line of the script, and its address; the package's own code has none. Code objects are kept, so
// that no other one gets the place in memory of one that is known.
struct KnownLines {
  static constexpr std::size_t kMost = 4096;
  std::map<std::pair<PyObject*, int>, const void*> addresses;
  std::unordered_map<PyObject*, bool> is_own;
  std::vector<py::object> kept;

  void forget() {
    addresses.clear();
    is_own.clear();
    kept.clear();
  }
};

KnownLines& known_lines() {
  static KnownLines& known = *new KnownLines;  // Python's lock is held
  return known;
}

// The innermost frame of the script: its code and line. No code where there is none.
std::pair<py::object, int> script_line() {
  KnownLines& known = known_lines();
  if (known.kept.size() >= KnownLines::kMost || known.addresses.size() >= KnownLines::kMost)
    known.forget();
  auto frame = py::reinterpret_steal<py::object>(
      reinterpret_cast<PyObject*>(PyThreadState_GetFrame(PyThreadState_Get())));
  while (frame) {
    auto* const current = reinterpret_cast<PyFrameObject*>(frame.ptr());
    auto code =
        py::reinterpret_steal<py::object>(reinterpret_cast<PyObject*>(PyFrame_GetCode(current)));
    const auto* const facts = reinterpret_cast<PyCodeObject*>(code.ptr());
    const auto [own, is_new] = known.is_own.try_emplace(code.ptr());
    if (is_new) {
      known.kept.push_back(code);
      own->second = text_of(facts->co_filename).starts_with(package_folder());
    }
    if (!own->second) return {std::move(code), PyFrame_GetLineNumber(current)};
    frame =
        py::reinterpret_steal<py::object>(reinterpret_cast<PyObject*>(PyFrame_GetBack(current)));
  }
  return {};
}

// Whom this process works for, see set_caller().
using CallerPlace = std::tuple<std::string, int, std::string>;  // file, line, function
struct OtherCaller {
  bool is_set = false;
  const void* place = nullptr;
  std::map<CallerPlace, const void*> known;
};
OtherCaller& other_caller() {
  static OtherCaller& other = *new OtherCaller;
  return other;
}

const void* place_known_to(OtherCaller& other, const CallerPlace& key) {
  const auto [entry, is_new] = other.known.try_emplace(key);
  if (is_new)
    entry->second = address_of_place(std::get<0>(key), std::get<1>(key), std::get<2>(key));
  return entry->second;
}

void set_caller(const py::object& place) {
  OtherCaller& other = other_caller();
  other.is_set = true;
  other.place = nullptr;
  if (place.is_none()) return;
  other.place = place_known_to(other, place.cast<CallerPlace>());
}

// What this thread does in the stead of a program that calls it back, see stand_in().
thread_local std::optional<CallerPlace> stead;

void stand_in(const py::object& place) {
  stead.reset();
  if (!place.is_none()) stead = place.cast<CallerPlace>();
}

py::object caller() {
  if (stead) return py::cast(*stead);
  const auto [code, line] = script_line();
  if (!code) return py::none();
  const auto* const facts = reinterpret_cast<PyCodeObject*>(code.ptr());
  return py::make_tuple(text_of(facts->co_filename), line, text_of(facts->co_name));
}

const void* caller_place() {
  if (stead) return place_known_to(other_caller(), *stead);
  if (other_caller().is_set) return other_caller().place;
  const auto [code, line] = script_line();
  if (!code) return nullptr;
  const auto [entry, is_new_line] = known_lines().addresses.try_emplace({code.ptr(), line});
  if (is_new_line) {
    const auto* const facts = reinterpret_cast<PyCodeObject*>(code.ptr());
    entry->second = address_of_place(text_of(facts->co_filename), line, text_of(facts->co_name));
  }
  return entry->second;
}

}  // namespace tensorlane::python

PYBIND11_MODULE(_native, module) {
  using namespace tensorlane;
  using namespace tensorlane::python;
  module.doc() = "The emulator behind the package tensorlane; not to be used by itself.";
  set_language(language_of_environment());
  py::register_exception_translator(translate);
  module.attr("version") = TENSORLANE_VERSION;
  module.def("translated",
             [](const std::string& english) { return std::string(translated(english)); });
  module.def("labelled", [](const std::string& label, const std::string& text) {
    return labelled(label, text);
  });
  module.def("set_package_folder", [](const std::string& folder) { package_folder() = folder; });
  module.def("chips", [] {
    py::list names;
    for (const Chip* chip : all_chips()) names.append(std::string(chip->name));
    return names;
  });
  // "okkernel" or "tpukernel": whose headers its kernels include.
  module.def("interface_of",
             [](const std::string& chip) { return std::string(find_chip(chip).api.name); });
  // UserError unless the id, in which * stands for anything, is that of a finding.
  module.def("need_diagnostics", &check::need_diagnostics);
  module.def("caller", caller);
  module.def("set_caller", set_caller);
  // What this thread does is said to come from a place, (file, line, function), until None.
  module.def("stand_in", stand_in);
  // Where code returns to, in that form.
  module.def("place_of", [](std::uintptr_t address) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): ctypes has addresses as numbers
    const SourceLocation at = find_source_location(reinterpret_cast<const void*>(address));
    return py::make_tuple(at.path(), at.line, at.function);
  });
  module.def("dlpack", dlpack_capsule);
  watch_exit_status();
  module.def("end_as_failed", end_as_failed);
  add_comparisons(module);
  add_devices(module);
  add_exchange(module);
  add_layouts(module);
  add_algebra(module);
  add_timelines(module);
}
