// One call of the kernel with everything around it. 连同准备与收尾的一次 kernel 调用。
#ifndef RUN_H_
#define RUN_H_

#include "host.h"

// The sum of every row, on the device. 在设备上求每一行之和。
inline std::vector<float> run_my_kernel(Device& device, const std::vector<float>& input, int rows,
                                        int cols) {
  const Buffer from(device, input), to(device, static_cast<std::size_t>(rows));
  my_kernel_args args;
  args.output_addr = to.address();
  args.input_addr = from.address();
  args.rows = rows;
  args.cols = cols;
  device.launch("my_kernel", args);
  return to.read();
}

#endif  // RUN_H_
