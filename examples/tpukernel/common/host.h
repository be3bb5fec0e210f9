// Host helpers of the examples: a device, typed buffers on it, fp16, a strict comparison.
// Plain C++11 on top of bmlib_runtime.h; nothing here is needed to use the SDK.
#ifndef EXAMPLES_TPUKERNEL_COMMON_HOST_H_
#define EXAMPLES_TPUKERNEL_COMMON_HOST_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#include "bmlib_runtime.h"

namespace example {

// Ends the program with a message unless the bmlib call worked.
inline void check(bool worked, const char* what) {
  if (worked) return;
  std::printf("fail: %s\n", what);
  std::exit(1);
}

// Device 0 with the module of kernels, for as long as the object lives. On a board the module is a
// file for the chip's processor; here the kernels are linked into the program, and an empty module
// name says so.
class Device {
 public:
  explicit Device(const char* module_file = nullptr) {
    check(bm_dev_request(&handle_, 0) == BM_SUCCESS, "bm_dev_request");
    if (module_file != nullptr) {
      module_ = tpu_kernel_load_module_file(handle_, module_file);
      check(module_ != nullptr, "tpu_kernel_load_module_file");
    }
  }
  ~Device() {
    if (module_ != nullptr) tpu_kernel_unload_module(handle_, module_);
    bm_dev_free(handle_);
  }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  bm_handle_t handle() const { return handle_; }

  // Runs a kernel with a copy of `args` and waits for it.
  template <typename Args>
  void launch(const char* kernel, Args args) {
    if (module_ == nullptr) {
      check(tpu_kernel_launch_sync(handle_, kernel, &args, sizeof(args)) == BM_SUCCESS, kernel);
      return;
    }
    const tpu_kernel_function_t function = tpu_kernel_get_function(handle_, module_, kernel);
    check(function >= 0, kernel);
    check(tpu_kernel_launch(handle_, function, &args, sizeof(args)) == BM_SUCCESS, kernel);
  }

 private:
  bm_handle_t handle_ = nullptr;
  tpu_kernel_module_t module_ = nullptr;
};

// `count` elements in the device's global memory.
template <typename T>
class Buffer {
 public:
  Buffer(Device& device, std::size_t count) : device_(device), count_(count) {
    check(bm_malloc_device_byte(device.handle(), &memory_,
                                static_cast<unsigned int>(count * sizeof(T))) == BM_SUCCESS,
          "bm_malloc_device_byte");
  }
  Buffer(Device& device, const std::vector<T>& data) : Buffer(device, data.size()) {
    check(bm_memcpy_s2d(device.handle(), memory_, const_cast<T*>(data.data())) == BM_SUCCESS,
          "bm_memcpy_s2d");
  }
  ~Buffer() { bm_free_device(device_.handle(), memory_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  // What a kernel takes as global_addr_t.
  unsigned long long address() const { return bm_mem_get_device_addr(memory_); }

  std::vector<T> download() const {
    std::vector<T> data(count_);
    check(bm_memcpy_d2s(device_.handle(), data.data(), memory_) == BM_SUCCESS, "bm_memcpy_d2s");
    return data;
  }

 private:
  Device& device_;
  bm_device_mem_t memory_;
  std::size_t count_;
};

// fp16 and float. Finite numbers only; rounds to nearest even.
inline float from_half(std::uint16_t half) {
  const int exponent = half >> 10 & 31, fraction = half & 1023;
  const float magnitude = exponent == 0
                              ? std::ldexp(static_cast<float>(fraction), -24)
                              : std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
  return (half & 0x8000) != 0 ? -magnitude : magnitude;
}
inline std::uint16_t to_half(float value) {
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const float magnitude = std::fabs(value);
  int exponent = magnitude == 0 ? -14 : std::ilogb(magnitude);
  if (exponent < -14) exponent = -14;
  const long units = std::lrint(std::ldexp(magnitude, 10 - exponent));
  return static_cast<std::uint16_t>(sign | ((exponent + 14) * 1024 + units));
}

// The same numbers in every run.
inline std::vector<float> random_floats(std::size_t count, float low, float high,
                                        unsigned seed = 1) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> distribution(low, high);
  std::vector<float> data(count);
  for (float& x : data) x = distribution(generator);
  return data;
}
template <typename T>
std::vector<T> random_integers(std::size_t count, int low, int high, unsigned seed = 1) {
  std::mt19937 generator(seed);
  std::uniform_int_distribution<int> distribution(low, high);
  std::vector<T> data(count);
  for (T& x : data) x = static_cast<T>(distribution(generator));
  return data;
}

// Compares every element with an absolute tolerance, prints "NAME: pass" or the first difference
// and returns the exit status: 0 or 1.
template <typename T>
int report(const char* name, const std::vector<T>& got, const std::vector<double>& want,
           double tolerance) {
  check(got.size() == want.size(), name);
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (!(std::fabs(static_cast<double>(got[i]) - want[i]) <= tolerance)) {
      std::printf("%s: fail: first difference at element %zu: got %.9g, want %.9g\n", name, i,
                  static_cast<double>(got[i]), want[i]);
      return 1;
    }
  }
  std::printf("%s: pass (%zu elements)\n", name, got.size());
  return 0;
}

}  // namespace example

#endif  // EXAMPLES_TPUKERNEL_COMMON_HOST_H_
