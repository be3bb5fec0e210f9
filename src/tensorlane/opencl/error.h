// OpenCL's errors as messages: the call, the error by name, and what it was about.
#ifndef TENSORLANE_OPENCL_ERROR_H_
#define TENSORLANE_OPENCL_ERROR_H_

#include <string_view>
#include <utility>

#include "tensorlane/base/error.h"
#include "tensorlane/opencl/clhpp.h"

namespace tensorlane::opencl {

// "CL_OUT_OF_RESOURCES"; numbers that OpenCL 1.2 does not have are called so.
std::string_view error_name(cl_int error);

// Throws UserError: "clCreateImage failed with CL_OUT_OF_RESOURCES (-5) for <subject>".
[[noreturn]] void throw_user_error(const cl::Error& error, std::string_view subject);

// Runs OpenCL calls on behalf of `subject`, a device or a tensor in words.
template <class Calls>
decltype(auto) cl_calls(std::string_view subject, Calls&& calls) {
  try {
    return std::forward<Calls>(calls)();
  } catch (const cl::Error& error) {
    throw_user_error(error, subject);
  }
}

}  // namespace tensorlane::opencl

#endif  // TENSORLANE_OPENCL_ERROR_H_
