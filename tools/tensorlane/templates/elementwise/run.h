// One call of the kernel with everything around it. 连同准备与收尾的一次 kernel 调用。
#ifndef RUN_H_
#define RUN_H_

#include "host.h"

// input * scale, on the device. 在设备上计算 input * scale。
inline std::vector<float> run_my_kernel(Device& device, const std::vector<float>& input,
                                        float scale) {
  const Buffer from(device, input), to(device, input.size());
  my_kernel_args args;
  args.output_addr = to.address();
  args.input_addr = from.address();
  args.count = static_cast<long long>(input.size());
  args.scale = scale;
  device.launch("my_kernel", args);
  return to.read();
}

#endif  // RUN_H_
