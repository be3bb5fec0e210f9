#include "argument_packer.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

namespace tensorlane::python {
namespace {

// Whether a number of `bytes` bytes holds the value; two's complement either way.
bool store_signed(const py::handle& value, std::size_t bytes, char* to) {
  int overflow = 0;
  const std::int64_t number = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
  const std::int64_t most = INT64_MAX >> (64 - 8 * bytes);
  if (overflow != 0 || number > most || number < -most - 1) return false;
  std::memcpy(to, &number, bytes);
  return true;
}

bool store_unsigned(const py::handle& value, std::size_t bytes, char* to) {
  const std::uint64_t number = PyLong_AsUnsignedLongLong(value.ptr());
  if (number == UINT64_MAX && PyErr_Occurred() != nullptr) return false;
  if (number > UINT64_MAX >> (64 - 8 * bytes)) return false;
  std::memcpy(to, &number, bytes);
  return true;
}

bool store_float(const py::handle& value, std::size_t bytes, char* to) {
  const double number = PyFloat_AsDouble(value.ptr());
  if (number == -1 && PyErr_Occurred() != nullptr) return false;
  if (bytes == sizeof number) {
    std::memcpy(to, &number, sizeof number);
    return true;
  }
  const auto rounded = static_cast<float>(number);
  if (bytes != sizeof rounded || (std::isinf(rounded) && !std::isinf(number))) return false;
  std::memcpy(to, &rounded, sizeof rounded);
  return true;
}

}  // namespace

ArgumentPacker::ArgumentPacker(const py::list& fields, std::size_t bytes, py::type tensor)
    : bytes_(bytes), tensor_(std::move(tensor)) {
  for (const py::handle& each : fields) {
    const auto field = py::reinterpret_borrow<py::tuple>(each);
    const auto kind = field[3].cast<std::string>();
    fields_.push_back({py::str(field[0]), field[1].cast<std::size_t>(),
                       field[2].cast<std::size_t>(),
                       kind == "float"    ? Kind::kFloat
                       : kind == "signed" ? Kind::kSigned
                                          : Kind::kUnsigned});
  }
}

bool ArgumentPacker::store(const Field& field, const py::handle& value, char* to) const {
  if (field.kind == Kind::kFloat) return store_float(value, field.bytes, to);
  const auto number = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
  if (!number) return false;
  return field.kind == Kind::kSigned ? store_signed(number, field.bytes, to)
                                     : store_unsigned(number, field.bytes, to);
}

py::object ArgumentPacker::pack(const py::dict& values, const py::object& device) const {
  if (values.size() != fields_.size()) return py::none();
  auto block = py::reinterpret_steal<py::object>(
      PyBytes_FromStringAndSize(nullptr, static_cast<py::ssize_t>(bytes_)));
  if (!block) throw py::error_already_set();
  char* const begin = PyBytes_AS_STRING(block.ptr());
  std::memset(begin, 0, bytes_);
  for (const Field& field : fields_) {
    const py::handle value = PyDict_GetItemWithError(values.ptr(), field.name.ptr());
    bool fits = false;
    if (value && py::type::handle_of(value).is(tensor_)) {
      const py::object owner = value.attr("device"), address = value.attr("address");
      fits = field.bytes == sizeof(std::uint64_t) && field.kind != Kind::kFloat &&
             owner.is(device) && store(field, address, begin + field.offset);
    } else if (value) {
      fits = store(field, value, begin + field.offset);
    }
    if (!fits) {
      PyErr_Clear();
      return py::none();
    }
  }
  return block;
}

}  // namespace tensorlane::python
