// A host of softmax.pl: seeks the largest block that fits into local memory, launches, compares.
#include <cmath>
#include <cstdio>
#include <vector>

#include "ppl_host.h"
#include "softmax.h"  // made by `tensorlane ppl build softmax.pl -o softmax.so --header softmax.h`

int main() {
  const int rows = 100, columns = 5000;
  const unsigned int bytes = sizeof(float) * rows * columns;
  std::vector<float> x(rows * columns), y(rows * columns);
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = std::sin(static_cast<float>(k));

  bm_handle_t handle;
  bm_device_mem_t input, output;
  if (bm_dev_request(&handle, 0) != BM_SUCCESS) return 1;
  if (bm_malloc_device_byte(handle, &input, bytes) != BM_SUCCESS ||
      bm_malloc_device_byte(handle, &output, bytes) != BM_SUCCESS)
    return 1;
  bm_memcpy_s2d(handle, input, x.data());
  int error = ppl_host::kNoKernel;
  {
    const ppl_host::Kernels kernels(handle, "./softmax.so");
    for (int block = 512; block > 0; block /= 2) {
      const softmax_arguments arguments = {ppl_host::address_of(output),
                                           ppl_host::address_of(input), rows, columns, block};
      error = kernels.launch("softmax", arguments);
      std::printf("block %d: %#x\n", block, static_cast<unsigned int>(error));
      if (error != ppl_host::kLocalAddrAssignErr) break;
    }
  }
  bm_memcpy_d2s(handle, y.data(), output);
  double worst = 0;
  for (int row = 0; row < rows; ++row) {
    double sum = 0;
    for (int k = 0; k < columns; ++k) sum += std::exp(x[row * columns + k]);
    for (int k = 0; k < columns; ++k) {
      const double want = std::exp(x[row * columns + k]) / sum;
      worst = std::fmax(worst, std::fabs(y[row * columns + k] - want) / want);
    }
  }
  std::printf("largest relative error %.1e\n", worst);
  bm_free_device(handle, input);
  bm_free_device(handle, output);
  bm_dev_free(handle);
  return error == ppl_host::kOk && worst < 1e-5 ? 0 : 1;
}
