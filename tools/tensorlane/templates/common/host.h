// The host's side: a device, floats in its memory, a launch. A call that fails ends the program;
// the reason is on stderr. host 一侧：一个设备、设备内存里的
// float、一次启动。调用失败则程序结束，原因在标准错误上。
#ifndef HOST_H_
#define HOST_H_

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "bmlib_runtime.h"
#include "my_kernel.h"

inline void check(bm_status_t status, const char* what) {
  if (status == BM_SUCCESS) return;
  std::printf("fail: %s ends with status %d\n", what, static_cast<int>(status));
  std::exit(1);
}

// Device 0 for as long as the object lives. 对象存在期间的设备 0。
class Device {
 public:
  Device() { check(bm_dev_request(&handle_, 0), "bm_dev_request"); }
  ~Device() { bm_dev_free(handle_); }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  bm_handle_t handle() const { return handle_; }
  // Runs a kernel to its end. 运行一个 kernel，直到结束。
  void launch(const char* kernel, my_kernel_args args) {
    check(my_launch_sync(handle_, kernel, &args, sizeof args), kernel);
  }

 private:
  bm_handle_t handle_;
};

// Floats in the device's memory. 设备内存里的 float。
class Buffer {
 public:
  Buffer(Device& device, std::size_t count) : handle_(device.handle()), count_(count) {
    const unsigned int bytes = static_cast<unsigned int>(count * sizeof(float));
    check(bm_malloc_device_byte(handle_, &memory_, bytes), "bm_malloc_device_byte");
  }
  Buffer(Device& device, const std::vector<float>& data) : Buffer(device, data.size()) {
    check(bm_memcpy_s2d(handle_, memory_, const_cast<float*>(data.data())), "bm_memcpy_s2d");
  }
  ~Buffer() { bm_free_device(handle_, memory_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  unsigned long long address() const { return bm_mem_get_device_addr(memory_); }
  std::vector<float> read() const {
    std::vector<float> data(count_);
    check(bm_memcpy_d2s(handle_, data.data(), memory_), "bm_memcpy_d2s");
    return data;
  }

 private:
  bm_handle_t handle_;
  bm_device_mem_t memory_;
  std::size_t count_;
};

#endif  // HOST_H_
