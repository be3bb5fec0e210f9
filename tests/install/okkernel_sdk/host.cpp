// Adds one to every element on the device. With an argument, loads the kernel from that shared
// library first.
#include <dlfcn.h>

#include <cstdio>
#include <vector>

#include "add_one.h"
#include "bmlib_runtime.h"

int main(int argc, char** argv) {
  if (argc > 1 && dlopen(argv[1], RTLD_NOW) == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  const int channels = 70, width = 13;
  std::vector<float> input(channels * width), output(input.size(), 0.f);
  for (size_t i = 0; i < input.size(); ++i) input[i] = static_cast<float>(i);
  const unsigned int bytes = static_cast<unsigned int>(input.size() * sizeof(float));

  bm_handle_t handle;
  bm_device_mem_t input_mem, output_mem;
  if (bm_dev_request(&handle, 0) != BM_SUCCESS) return 1;
  if (bm_malloc_device_byte(handle, &input_mem, bytes) != BM_SUCCESS) return 1;
  if (bm_malloc_device_byte(handle, &output_mem, bytes) != BM_SUCCESS) return 1;
  if (bm_memcpy_s2d(handle, input_mem, input.data()) != BM_SUCCESS) return 1;
  const add_one_param_t param = {bm_mem_get_device_addr(input_mem),
                                 bm_mem_get_device_addr(output_mem), channels, width};
  if (okkernel_launch_sync(handle, "add_one", &param, sizeof(param)) != BM_SUCCESS) return 1;
  if (bm_memcpy_d2s(handle, output.data(), output_mem) != BM_SUCCESS) return 1;
  bm_free_device(handle, input_mem);
  bm_free_device(handle, output_mem);
  bm_dev_free(handle);

  for (size_t i = 0; i < input.size(); ++i) {
    if (output[i] != input[i] + 1.f) {
      std::fprintf(stderr, "element %zu is %g, not %g\n", i, output[i], input[i] + 1.f);
      return 1;
    }
  }
  std::printf("%zu elements, pass\n", input.size());
  return 0;
}
