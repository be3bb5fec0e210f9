// host_bmlib MODULE [CORES]: launches the kernel through bmlib_runtime.h, as hosts of the BM1688
// do.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "bmlib_runtime.h"
#include "scale.h"

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const int cores = argc > 2 ? std::atoi(argv[2]) : 1;
  bm_handle_t handle;
  if (bm_dev_request(&handle, 0) != BM_SUCCESS) return 1;
  const tpu_kernel_module_t module = tpu_kernel_load_module_file(handle, argv[1]);
  if (module == nullptr) return 1;

  const int count = 10007;
  std::vector<float> input(count), output(count);
  for (int i = 0; i < count; ++i) input[i] = static_cast<float>(i % 97) - 48;
  bm_device_mem_t from, to;
  bm_malloc_device_byte(handle, &from, count * sizeof(float));
  bm_malloc_device_byte(handle, &to, count * sizeof(float));
  bm_memcpy_s2d(handle, from, input.data());

  std::vector<int> core_list;
  for (int core = 0; core < cores; ++core) core_list.push_back(core);
  const scale_args_t args = {bm_mem_get_device_addr(to), bm_mem_get_device_addr(from), count, 3};
  bool good = tpu_kernel_launch_sync_multi_cores(handle, "scale", &args, sizeof args,
                                                 core_list.data(), cores) == BM_SUCCESS;
  bm_memcpy_d2s(handle, output.data(), to);
  for (int i = 0; i < count; ++i) good = good && output[i] == 3 * input[i];

  bm_free_device(handle, from);
  bm_free_device(handle, to);
  tpu_kernel_unload_module(handle, module);
  bm_dev_free(handle);
  std::printf("%s on %d core(s)\n", good ? "pass" : "fail", cores);
  return good ? 0 : 1;
}
