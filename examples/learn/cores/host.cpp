// Runs a kernel over as many cores as the argument says.
#include <algorithm>

#include "../common/host.h"
#include "args.h"

int main(int argc, char** argv) {
  const int rows = 32, cols = 4096, cores = argc > 1 ? std::atoi(argv[1]) : 2;
  const int list[] = {0, 1};
  std::vector<float> input = whole_numbers(rows * cols);
  for (float& value : input) value -= 10;  // below 0, which is what memory holds at first
  Device device;
  const Buffer<float> from(device, input), to(device, rows);
  const largest_args args = {from.address(), to.address(), rows, cols};
  check(tpu_kernel_launch_sync_multi_cores(device.handle(), "largest", &args, sizeof args, list,
                                           cores),
        "largest");
  const std::vector<float> largest = to.read();
  for (int row = 0; row < rows; ++row) {
    const float* const begin = input.data() + row * cols;
    if (largest[row] != *std::max_element(begin, begin + cols)) {
      std::printf("%d cores: row %d is wrong\n", cores, row);
      return 1;
    }
  }
  std::printf("%d cores: right\n", cores);
}
