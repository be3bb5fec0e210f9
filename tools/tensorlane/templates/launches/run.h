// Both launches with everything around them. 连同准备与收尾的两次启动。
#ifndef RUN_H_
#define RUN_H_

#include "host.h"

// Every row without its mean, on the device; the means stay there from one launch to the next.
// 在设备上从每行减去均值；均值留在设备上，由一次启动传给下一次。
inline std::vector<float> run_my_kernel(Device& device, const std::vector<float>& input, int rows,
                                        int cols) {
  const Buffer from(device, input), to(device, input.size()),
      mean(device, static_cast<std::size_t>(rows));
  my_kernel_args args;
  args.output_addr = to.address();
  args.mean_addr = mean.address();
  args.input_addr = from.address();
  args.rows = rows;
  args.cols = cols;
  device.launch("my_kernel_mean", args);
  device.launch("my_kernel_subtract", args);
  return to.read();
}

#endif  // RUN_H_
