// SPDX-License-Identifier: Apache-2.0
//
// What __TEST__ functions use: arrays on the device, filled with numbers.
//
//   __TEST__ void softmax_test() {
//     dim4 shape = {1, 100, 1, 77};
//     auto output = ppl::malloc<fp32>(&shape);
//     auto input = ppl::rand<fp32>(&shape, -1, 1);
//     softmax(output, input, 100, 77, 64);             // a launch
//   }
//
// `tensorlane ppl test` and, in Python, `module.test("softmax_test")` run them on the host; there a
// call of a kernel is a launch. Arrays lie on the device: a test fills them by `rand` and
// `read_npz` and has no other way to their elements.

#ifndef TENSORLANE_PPL_TEST_H_
#define TENSORLANE_PPL_TEST_H_

#include "ppl/types.h"

namespace ppl {
namespace detail {

// Who runs tests does this for them. What cannot be done says so there and answers false, or null.
// `line`: where the test's call returns to.
struct TestHost {
  void* (*memory)(const dim4* shape, const char* type, const void* line) = nullptr;
  bool (*random)(void* array, const dim4* shape, const char* type, double least, double most,
                 const void* line) = nullptr;
  bool (*read)(void* array, const char* type, const char* file, const char* name,
               const void* line) = nullptr;
  bool (*launch)(const char* kernel, const void* arguments, long long bytes,
                 const void* line) = nullptr;
  void (*failed)(const char* condition, const char* file, int line) = nullptr;
};
inline TestHost test_host;  // NOLINT: a kernel library has none

// Ends the test.
struct TestEnded {};
inline void need_done(bool done) {
  if (!done) throw TestEnded();
}

template <class T>
constexpr const char* type_name() {
  constexpr data_type_t type = dtype_of<T>();
  return type == DT_FP32      ? "fp32"
         : type == DT_FP16    ? "fp16"
         : type == DT_BFP16   ? "bf16"
         : type == DT_FP8E4M3 ? "fp8e4m3"
         : type == DT_FP8E5M2 ? "fp8e5m2"
         : type == DT_INT4    ? "int4"
         : type == DT_UINT4   ? "uint4"
         : type == DT_INT8    ? "int8"
         : type == DT_UINT8   ? "uint8"
         : type == DT_INT16   ? "int16"
         : type == DT_UINT16  ? "uint16"
         : type == DT_INT32   ? "int32"
                              : "uint32";
}

// Runs a test: whether it came to its end.
template <class Test>
bool run_test(Test test) {
  try {
    test();
  } catch (const TestEnded&) {
    return false;
  }
  return true;
}

template <class T>
T* memory_at(const dim4* shape, const void* line) {
  if (test_host.memory == nullptr) return nullptr;
  void* const array = test_host.memory(shape, type_name<T>(), line);
  need_done(array != nullptr);
  return static_cast<T*>(array);
}
template <class T>
void fill_at(T* array, const dim4* shape, double least, double most, const void* line) {
  if (test_host.random == nullptr) return;
  need_done(test_host.random(array, shape, type_name<T>(), least, most, line));
}

}  // namespace detail

// An array on the device, in which nothing stands yet.
template <class T>
[[gnu::noinline]] T* malloc(const dim4* shape) {
  return detail::memory_at<T>(shape, __builtin_return_address(0));
}
// Numbers between two bounds, which are among them.
template <class T>
[[gnu::noinline]] void rand(T* array, const dim4* shape, double least = 0, double most = 1) {
  detail::fill_at(array, shape, least, most, __builtin_return_address(0));
}
template <class T>
[[gnu::noinline]] T* rand(const dim4* shape, double least = 0, double most = 1) {
  const void* const line = __builtin_return_address(0);
  T* const array = detail::memory_at<T>(shape, line);
  detail::fill_at(array, shape, least, most, line);
  return array;
}
// The array `name` of a file of numpy's, converted to T.
template <class T>
[[gnu::noinline]] void read_npz(T* array, const char* file, const char* name) {
  if (detail::test_host.read == nullptr) return;
  detail::need_done(detail::test_host.read(array, detail::type_name<T>(), file, name,
                                           __builtin_return_address(0)));
}

}  // namespace ppl

#endif  // TENSORLANE_PPL_TEST_H_
