// How C arguments become Args: building blocks, and encode() for the types of every public header.
//
// The public headers of two chips cannot be included together, and each declares its own dim4, dim2
// and padding. encode() therefore knows them by their members. A front end adds the types that only
// its header has.
#ifndef TENSORLANE_OPS_ENCODE_H_
#define TENSORLANE_OPS_ENCODE_H_

#include <bit>
#include <concepts>
#include <type_traits>

#include "tensorlane/ops/args.h"

namespace tensorlane::arguments {

inline Arg integer(std::int64_t value) {
  Arg arg;
  arg.field[0] = value;
  return arg;
}

// A NULL pointer keeps the defaults its type documents (padding 0, stride and dilation 1).
inline Arg null_struct(std::int64_t default_value) {
  Arg arg;
  arg.is_null = true;
  arg.field.fill(default_value);
  return arg;
}

// A NULL pointer with no documented default.
inline Arg missing_struct() {
  Arg arg;
  arg.is_null = true;
  arg.has_value = false;
  return arg;
}

inline Arg pointer(const void* value) {
  Arg arg;
  arg.is_null = value == nullptr;
  arg.pointer = const_cast<void*>(value);
  return arg;
}

template <class T>  // a shape, or strides
concept Dim4Struct = sizeof(T) == 4 * sizeof(int) && requires(T value) {
  value.n, value.c, value.h, value.w;
};
template <class T>  // the kernel, stride or dilation of a window
concept Dim2Struct = sizeof(T) == 2 * sizeof(int) && requires(T value) {
  value.h, value.w;
};
template <class T>
concept PaddingStruct = sizeof(T) == 4 * sizeof(int) && requires(T value) {
  value.top, value.bottom, value.left, value.right;
};

template <std::integral T>
Arg encode(T value) {
  return integer(static_cast<std::int64_t>(value));
}
template <class T>
requires std::is_enum_v<T> Arg encode(T value) {
  return integer(static_cast<std::int64_t>(value));
}
inline Arg encode(char value) {  // signed, whatever the compiler makes of char
  return integer(static_cast<signed char>(value));
}
template <std::same_as<float> T>  // and nothing that converts to it
Arg encode(T value) {
  Arg arg = integer(std::bit_cast<std::uint32_t>(value));
  arg.number = value;
  return arg;
}
template <Dim4Struct T>
Arg encode(const T* value) {
  if (value == nullptr) return missing_struct();
  Arg arg;
  arg.field = {value->n, value->c, value->h, value->w};
  return arg;
}
template <Dim4Struct T>
Arg encode(T* value) {  // a result
  return pointer(value);
}
template <Dim2Struct T>
Arg encode(const T* value) {
  if (value == nullptr) return null_struct(1);
  Arg arg;
  arg.field = {value->h, value->w};
  return arg;
}
template <PaddingStruct T>
Arg encode(const T* value) {
  if (value == nullptr) return null_struct(0);
  Arg arg;
  arg.field = {value->top, value->bottom, value->left, value->right};
  return arg;
}
inline Arg encode(const void* value) {
  return pointer(value);
}

}  // namespace tensorlane::arguments

#endif  // TENSORLANE_OPS_ENCODE_H_
