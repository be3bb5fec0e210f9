// One call of the kernel with everything around it. 连同准备与收尾的一次 kernel 调用。
#ifndef RUN_H_
#define RUN_H_

#include "host.h"

// left * right, on the device. 在设备上计算 left * right。
inline std::vector<float> run_my_kernel(Device& device, const std::vector<float>& left,
                                        const std::vector<float>& right, int rows, int inner,
                                        int cols) {
  const Buffer a(device, left), b(device, right), to(device, static_cast<std::size_t>(rows) * cols);
  my_kernel_args args;
  args.output_addr = to.address();
  args.left_addr = a.address();
  args.right_addr = b.address();
  args.rows = rows;
  args.inner = inner;
  args.cols = cols;
  device.launch("my_kernel", args);
  return to.read();
}

#endif  // RUN_H_
