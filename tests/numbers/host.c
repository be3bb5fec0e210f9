// host KERNEL DEVICES LAUNCHES TERMS SPEAK: launch L adds L + 1 to the numbers 0, 0.25, 0.5, ...
#include <stdlib.h>

#include "bmlib_runtime.h"
#include "kernels.h"

#ifdef BACKEND_1684X
#define okkernel_launch_sync tpu_kernel_launch_sync
#endif

static float x[kCount], y[kCount];

int main(int count, char** words) {
  if (count < 6) return 1;
  for (int i = 0; i < kCount; ++i) x[i] = (float)i * 0.25f;
  for (int d = 0; d < atoi(words[2]); ++d) {
    bm_handle_t handle;
    bm_device_mem_t input, output;
    bm_dev_request(&handle, d);
    bm_malloc_device_byte(handle, &input, sizeof(x));
    bm_malloc_device_byte(handle, &output, sizeof(y));
    bm_memcpy_s2d(handle, input, x);
    bm_memset_device_ext(handle, words, 1, output);
    for (int k = 0; k < atoi(words[3]); ++k) {
      numbers_args args = {bm_mem_get_device_addr(input), bm_mem_get_device_addr(output),
                           (float)(k + 1), atoi(words[4]), atoi(words[5])};
      if (okkernel_launch_sync(handle, words[1], &args, sizeof(args)) != BM_SUCCESS) return 1;
      bm_memcpy_d2s(handle, y, output);
    }
    bm_free_device(handle, input);
    bm_free_device(handle, output);
    bm_dev_free(handle);
  }
  return 0;
}
