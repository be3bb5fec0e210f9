// SPDX-License-Identifier: Apache-2.0
//
// What __TEST__ functions use: arrays in global memory, filled with numbers. `tensorlane ppl test`
// provides the functions that are only declared here; a kernel library needs none of them.

#ifndef TENSORLANE_PPL_TEST_H_
#define TENSORLANE_PPL_TEST_H_

#include "ppl/types.h"

namespace ppl {
namespace detail {

// Bytes of global memory; the numbers of an array from a file, or between two bounds.
inline void* (*test_memory)(long long bytes) = nullptr;
inline void (*test_random)(void* array, long long count, int type, double least,
                           double most) = nullptr;
inline void (*test_read)(void* array, const char* file, const char* name, int type) = nullptr;

inline long long count_of(const dim4* shape) {
  return static_cast<long long>(shape->n) * shape->c * shape->h * shape->w;
}

}  // namespace detail

template <class T>
T* malloc(const dim4* shape) {
  if (detail::test_memory == nullptr) return nullptr;
  return static_cast<T*>(detail::test_memory(detail::count_of(shape) * sizeof(T)));
}
template <class T>
void rand(T* array, const dim4* shape, double least, double most) {
  if (detail::test_random != nullptr) {
    detail::test_random(array, detail::count_of(shape), detail::dtype_of<T>(), least, most);
  }
}
template <class T>
T* rand(const dim4* shape, double least = 0, double most = 1) {
  T* const array = malloc<T>(shape);
  rand(array, shape, least, most);
  return array;
}
template <class T>
void read_npz(T* array, const char* file, const char* name) {
  if (detail::test_read != nullptr) detail::test_read(array, file, name, detail::dtype_of<T>());
}

}  // namespace ppl

#endif  // TENSORLANE_PPL_TEST_H_
