// Building blocks of the front ends' encode() functions.
#ifndef TENSORLANE_OPS_ENCODE_H_
#define TENSORLANE_OPS_ENCODE_H_

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

}  // namespace tensorlane::arguments

#endif  // TENSORLANE_OPS_ENCODE_H_
