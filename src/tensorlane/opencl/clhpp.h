// OpenCL's C++ interface, the way TensorLane uses it: version 1.2, errors as exceptions.
//
// A program that includes CL/opencl.hpp itself defines the same macros or includes this header
// first. No cl::Error leaves TensorLane: every function here turns it into a UserError (error.h).
#ifndef TENSORLANE_OPENCL_CLHPP_H_
#define TENSORLANE_OPENCL_CLHPP_H_

#ifndef CL_HPP_TARGET_OPENCL_VERSION
#define CL_HPP_TARGET_OPENCL_VERSION 120
#endif
#ifndef CL_HPP_MINIMUM_OPENCL_VERSION
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#endif
#ifndef CL_HPP_ENABLE_EXCEPTIONS
#define CL_HPP_ENABLE_EXCEPTIONS
#endif
#include <CL/opencl.hpp>

#include <cstdint>

namespace tensorlane::opencl {

// An origin or a region of an image.
inline cl::array<cl::size_type, 3> triple(std::int64_t a, std::int64_t b, std::int64_t c) {
  return {static_cast<cl::size_type>(a), static_cast<cl::size_type>(b),
          static_cast<cl::size_type>(c)};
}

}  // namespace tensorlane::opencl

#endif  // TENSORLANE_OPENCL_CLHPP_H_
