// Host helpers of the examples: a device, buffers on it, random data, a strict comparison.
// Plain C++11 on top of bmlib_runtime.h; nothing here is needed to use the SDK.
#ifndef EXAMPLES_OKKERNEL_COMMON_HOST_H_
#define EXAMPLES_OKKERNEL_COMMON_HOST_H_

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "bmlib_runtime.h"

namespace example {

// Ends the program with a message unless the bmlib call worked.
inline void check(bm_status_t status, const char* what) {
  if (status == BM_SUCCESS) return;
  std::printf("fail: %s returned status %d\n", what, static_cast<int>(status));
  std::exit(1);
}

// Device 0 for as long as the object lives.
class Device {
 public:
  Device() { check(bm_dev_request(&handle_, 0), "bm_dev_request"); }
  ~Device() { bm_dev_free(handle_); }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  bm_handle_t handle() const { return handle_; }

  // Runs a kernel with a copy of `args` and waits for it.
  template <typename Args>
  void launch(const char* kernel, const Args& args) {
    check(okkernel_launch_sync(handle_, kernel, &args, sizeof(args)), kernel);
  }

 private:
  bm_handle_t handle_ = nullptr;
};

// `count` floats in the device's global memory.
class Buffer {
 public:
  Buffer(Device& device, std::size_t count) : device_(device), count_(count) {
    check(bm_malloc_device_byte(device.handle(), &memory_,
                                static_cast<unsigned int>(count * sizeof(float))),
          "bm_malloc_device_byte");
  }
  Buffer(Device& device, const std::vector<float>& data) : Buffer(device, data.size()) {
    upload(data);
  }
  ~Buffer() { bm_free_device(device_.handle(), memory_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  // What a kernel takes as system_addr_t.
  unsigned long long address() const { return bm_mem_get_device_addr(memory_); }

  void upload(const std::vector<float>& data) {
    check(bm_memcpy_s2d(device_.handle(), memory_, const_cast<float*>(data.data())),
          "bm_memcpy_s2d");
  }
  std::vector<float> download() const {
    std::vector<float> data(count_);
    check(bm_memcpy_d2s(device_.handle(), data.data(), memory_), "bm_memcpy_d2s");
    return data;
  }

 private:
  Device& device_;
  bm_device_mem_t memory_;
  std::size_t count_;
};

// The same numbers in every run.
inline std::vector<float> random_floats(std::size_t count, float low, float high,
                                        unsigned seed = 1) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> distribution(low, high);
  std::vector<float> data(count);
  for (float& x : data) x = distribution(generator);
  return data;
}

// Whether `got` is close enough to `want`. A NaN matches only a NaN, an infinity only itself.
inline bool matches(float got, double want, double tolerance) {
  if (std::isnan(want)) return std::isnan(got);
  if (!std::isfinite(want) || !std::isfinite(got)) return static_cast<double>(got) == want;
  return std::fabs(got - want) <= tolerance * std::fabs(want);
}

// Compares every element with a relative tolerance, prints "NAME: pass" or the first difference and
// returns the exit status: 0 or 1.
inline int report(const char* name, const std::vector<float>& got, const std::vector<double>& want,
                  double tolerance) {
  if (got.size() != want.size()) {
    std::printf("%s: fail: %zu elements instead of %zu\n", name, got.size(), want.size());
    return 1;
  }
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (!matches(got[i], want[i], tolerance)) {
      std::printf("%s: fail: first difference at element %zu: got %.9g, want %.9g\n", name, i,
                  static_cast<double>(got[i]), want[i]);
      return 1;
    }
  }
  std::printf("%s: pass (%zu elements)\n", name, got.size());
  return 0;
}

}  // namespace example

#endif  // EXAMPLES_OKKERNEL_COMMON_HOST_H_
