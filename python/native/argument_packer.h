// The argument block of a launch, made of a dict: the short way for structs of single numbers.
#ifndef TENSORLANE_PYTHON_ARGUMENT_PACKER_H_
#define TENSORLANE_PYTHON_ARGUMENT_PACKER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bindings.h"

namespace tensorlane::python {

class ArgumentPacker {
 public:
  // `fields` are tuples (name, offset, bytes, "signed", "unsigned" or "float"); `tensor` is the
  // class of tensors, whose attributes `address` and `device` count.
  ArgumentPacker(const py::list& fields, std::size_t bytes, py::type tensor);

  // The block, where the dict has exactly these names, every value fits and tensors belong to
  // `device`; else None: who looks closer finds out what is wrong.
  py::object pack(const py::dict& values, const py::object& device) const;

 private:
  enum class Kind : std::uint8_t { kSigned, kUnsigned, kFloat };
  struct Field {
    py::str name;
    std::size_t offset, bytes;
    Kind kind;
  };
  bool store(const Field& field, const py::handle& value, char* to) const;

  std::vector<Field> fields_;
  const std::size_t bytes_;
  const py::type tensor_;
};

}  // namespace tensorlane::python

#endif  // TENSORLANE_PYTHON_ARGUMENT_PACKER_H_
