// The host's side: a device, and a call of the kernel with everything around it.
// host 一侧：一个设备，以及连同准备与收尾的一次 kernel 调用。
#ifndef HOST_H_
#define HOST_H_

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "bmlib_runtime.h"
#include "my_kernel.h"

// Device 0 for as long as the object lives. 对象存在期间的设备 0。
class Device {
 public:
  Device() {
    if (bm_dev_request(&handle_, 0) == BM_SUCCESS) return;
    std::puts("fail: no device");
    std::exit(1);
  }
  ~Device() { bm_dev_free(handle_); }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  bm_handle_t handle() const { return handle_; }

 private:
  bm_handle_t handle_;
};

// output = input * scale, on the device. False when the launch failed; the reason is on stderr.
// 在设备上计算；启动失败时返回 false，原因打印在标准错误上。
inline bool run_my_kernel(Device& device, const std::vector<float>& input, float scale,
                          std::vector<float>* output) {
  const bm_handle_t handle = device.handle();
  const unsigned int bytes = static_cast<unsigned int>(input.size() * sizeof(float));
  output->resize(input.size());
  bm_device_mem_t from, to;
  if (bm_malloc_device_byte(handle, &from, bytes) != BM_SUCCESS) return false;
  if (bm_malloc_device_byte(handle, &to, bytes) != BM_SUCCESS) {
    bm_free_device(handle, from);
    return false;
  }
  my_kernel_args args;
  args.output_addr = bm_mem_get_device_addr(to);
  args.input_addr = bm_mem_get_device_addr(from);
  args.count = static_cast<long long>(input.size());
  args.scale = scale;
  const bool done = bm_memcpy_s2d(handle, from, const_cast<float*>(input.data())) == BM_SUCCESS &&
                    my_launch_sync(handle, "my_kernel", &args, sizeof args) == BM_SUCCESS &&
                    bm_memcpy_d2s(handle, output->data(), to) == BM_SUCCESS;
  bm_free_device(handle, from);
  bm_free_device(handle, to);
  return done;
}

#endif  // HOST_H_
