#include "dlpack.h"

#include <memory>
#include <utility>

namespace tensorlane::python {
namespace {

constexpr std::int32_t kOfTheProcessor = 1;
constexpr std::uint64_t kReadOnly = 1, kCopied = 2;

struct ElementType {
  std::uint8_t code, bits;
  std::uint16_t lanes;
};
struct Array {
  void* data;
  std::int32_t device_type, device_id;
  std::int32_t ndim;
  ElementType type;
  std::int64_t* shape;
  std::int64_t* strides;
  std::uint64_t byte_offset;
};
struct Managed {
  Array array;
  void* manager;
  void (*deleter)(Managed*);
};
struct ManagedVersioned {
  std::uint32_t major, minor;
  void* manager;
  void (*deleter)(ManagedVersioned*);
  std::uint64_t flags;
  Array array;
};

// What a capsule holds.
template <class Form>
struct Held {
  Form form;
  py::buffer_info memory;
  std::vector<std::int64_t> shape, strides;
};

// Whoever took the array may be done with it on any thread, and after the interpreter.
template <class Form>
void release(Form* form) {
  if (Py_IsInitialized() == 0) return;
  const py::gil_scoped_acquire locked;
  delete static_cast<Held<Form>*>(form->manager);
}

template <class Form>
py::capsule capsule_of(std::unique_ptr<Held<Form>> held, const char* name) {
  Form* const form = &held->form;
  form->manager = held.get();
  form->deleter = release<Form>;
  const auto unused = [](PyObject* capsule) {  // nobody took it
    for (const char* own : {"dltensor", "dltensor_versioned"}) {
      if (PyCapsule_IsValid(capsule, own) == 0) continue;
      auto* const left = static_cast<Form*>(PyCapsule_GetPointer(capsule, own));
      left->deleter(left);
    }
  };
  PyObject* const capsule = PyCapsule_New(form, name, unused);
  if (capsule == nullptr) throw py::error_already_set();
  static_cast<void>(held.release());
  return py::reinterpret_steal<py::capsule>(capsule);
}

template <class Form>
std::unique_ptr<Held<Form>> held_by(const py::buffer& buffer, std::vector<std::int64_t> shape,
                                    int code, int bits) {
  auto held = std::make_unique<Held<Form>>(Form{}, buffer.request(), std::move(shape));
  std::int64_t stride = 1;
  held->strides.resize(held->shape.size());
  for (std::size_t axis = held->shape.size(); axis-- > 0; stride *= held->shape[axis])
    held->strides[axis] = stride;
  held->form.array = {.data = held->memory.ptr,
                      .device_type = kOfTheProcessor,
                      .device_id = 0,
                      .ndim = static_cast<std::int32_t>(held->shape.size()),
                      .type = {static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(bits), 1},
                      .shape = held->shape.data(),
                      .strides = held->strides.data(),
                      .byte_offset = 0};
  return held;
}

}  // namespace

py::capsule dlpack_capsule(const py::buffer& buffer, std::vector<std::int64_t> shape, int code,
                           int bits, bool versioned, bool copied) {
  if (!versioned) {
    return capsule_of(held_by<Managed>(buffer, std::move(shape), code, bits), "dltensor");
  }
  auto held = held_by<ManagedVersioned>(buffer, std::move(shape), code, bits);
  held->form.major = 1;
  held->form.minor = 0;
  held->form.flags = copied ? kCopied : kReadOnly;
  return capsule_of(std::move(held), "dltensor_versioned");
}

}  // namespace tensorlane::python
