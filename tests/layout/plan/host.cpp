// host COUNT (N C H W ADDRESS BITS)...: exit status 0 when the copies of all tensors were accepted.
#include <cstdlib>

#include "args.h"
#include "bmlib_runtime.h"

#ifdef BACKEND_1684X
#define launch tpu_kernel_launch_sync
#else
#define launch okkernel_launch_sync
#endif

int main(int argc, char** argv) {
  bm_handle_t handle;
  bm_device_mem_t memory;
  if (argc < 2 || bm_dev_request(&handle, 0) != BM_SUCCESS) return 2;
  if (bm_malloc_device_byte(handle, &memory, 256u << 20) != BM_SUCCESS) return 2;
  plan_args args = {};
  args.memory = bm_mem_get_device_addr(memory);
  args.count = std::atoi(argv[1]);
  if (args.count > MAX_TENSORS || argc != 2 + 6 * args.count) return 2;
  for (int i = 0; i < args.count; ++i) {
    char** const word = argv + 2 + 6 * i;
    args.tensors[i] = {std::atoi(word[0]),
                       std::atoi(word[1]),
                       std::atoi(word[2]),
                       std::atoi(word[3]),
                       static_cast<unsigned int>(std::strtoul(word[4], nullptr, 10)),
                       std::atoi(word[5])};
  }
  const bm_status_t status = launch(handle, "fill", &args, sizeof args);
  bm_free_device(handle, memory);
  bm_dev_free(handle);
  return status == BM_SUCCESS ? 0 : 1;
}
