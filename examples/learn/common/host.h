// What every lesson's host does around its kernel: a device, floats on it, a launch, a comparison.
// Lesson 1 shows the calls behind it.
#ifndef LEARN_HOST_H_
#define LEARN_HOST_H_

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "bmlib_runtime.h"

// Ends the program with a message unless the call worked.
inline void check(bm_status_t status, const char* what) {
  if (status == BM_SUCCESS) return;
  std::printf("%s failed: status %d\n", what, static_cast<int>(status));
  std::exit(1);
}

class Device {
 public:
  Device() { check(bm_dev_request(&handle_, 0), "bm_dev_request"); }
  ~Device() { bm_dev_free(handle_); }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  bm_handle_t handle() const { return handle_; }

  template <class Args>
  void launch(const char* kernel, const Args& args) {
#ifdef BACKEND_1684X
    Args copy = args;
    check(tpu_kernel_launch_sync(handle_, kernel, &copy, sizeof copy), kernel);
#else
    check(okkernel_launch_sync(handle_, kernel, &args, sizeof args), kernel);
#endif
  }

 private:
  bm_handle_t handle_;
};

// Elements in the device's memory.
template <class T>
class Buffer {
 public:
  Buffer(Device& device, std::size_t count) : device_(device), count_(count) {
    const unsigned int bytes = static_cast<unsigned int>(count * sizeof(T));
    check(bm_malloc_device_byte(device.handle(), &memory_, bytes), "bm_malloc_device_byte");
  }
  Buffer(Device& device, const std::vector<T>& data) : Buffer(device, data.size()) {
    check(bm_memcpy_s2d(device.handle(), memory_, const_cast<T*>(data.data())), "bm_memcpy_s2d");
  }
  ~Buffer() { bm_free_device(device_.handle(), memory_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  unsigned long long address() const { return bm_mem_get_device_addr(memory_); }
  std::vector<T> read() const {
    std::vector<T> data(count_);
    check(bm_memcpy_d2s(device_.handle(), data.data(), memory_), "bm_memcpy_d2s");
    return data;
  }

 private:
  Device& device_;
  bm_device_mem_t memory_;
  std::size_t count_;
};

// Small whole numbers, so that sums of products are exact in every type and order.
inline std::vector<float> whole_numbers(std::size_t count) {
  std::vector<float> data(count);
  for (std::size_t i = 0; i < count; ++i) data[i] = static_cast<float>(i * 37 % 17) - 8;
  return data;
}

// Prints "NAME: pass", or the first difference, and returns the exit status.
inline int compare(const char* name, const std::vector<float>& got, const std::vector<float>& want,
                   float tolerance = 0) {
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (std::fabs(got[i] - want[i]) <= tolerance) continue;
    std::printf("%s: element %zu is %g, not %g\n", name, i, got[i], want[i]);
    return 1;
  }
  std::printf("%s: pass\n", name);
  return 0;
}

#endif  // LEARN_HOST_H_
