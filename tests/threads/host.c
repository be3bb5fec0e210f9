// host KERNEL CHANNELS ROWS COLUMNS: runs a kernel once; 0 where every number is the right one.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bmlib_runtime.h"
#include "kernels.h"

#ifdef BACKEND_1684X
#define okkernel_launch_sync tpu_kernel_launch_sync
#endif

static float limited(float x) {
  return x < 0 ? 0 : x > 6 ? 6 : x;
}

int main(int count, char** words) {
  if (count < 5) return 1;
  const char* kernel = words[1];
  const int channels = atoi(words[2]), rows = atoi(words[3]), columns = atoi(words[4]);
  const int pools = strcmp(kernel, "pool_in_place") == 0;
  const int casts = strcmp(kernel, "broadcast_cast") == 0;
  const int out_rows = rows - pools, out_columns = columns - pools;
  const long plane = (long)rows * columns, results = (long)channels * out_rows * out_columns;
  float* x = malloc(sizeof(float) * (size_t)(channels * plane));
  float* y = malloc(sizeof(float) * (size_t)results);
  signed char* bytes = malloc((size_t)channels);
  for (long i = 0; i < channels * plane; ++i) x[i] = (float)(i * 37 % 101 - 50) / 8;
  for (int c = 0; c < channels; ++c) bytes[c] = (signed char)(c * 3 + 1);

  bm_handle_t handle;
  bm_device_mem_t input, output;
  bm_dev_request(&handle, 0);
  bm_malloc_device_byte(handle, &input, (unsigned)(sizeof(float) * (size_t)(channels * plane)));
  bm_malloc_device_byte(handle, &output, (unsigned)(sizeof(float) * (size_t)results));
  if (casts)
    bm_memcpy_s2d_partial(handle, input, bytes, (unsigned)channels);
  else
    bm_memcpy_s2d(handle, input, x);
  threads_args args = {bm_mem_get_device_addr(input), bm_mem_get_device_addr(output), channels,
                       rows, columns};
  if (okkernel_launch_sync(handle, kernel, &args, sizeof(args)) != BM_SUCCESS) return 1;
  bm_memcpy_d2s(handle, y, output);
  bm_free_device(handle, input);
  bm_free_device(handle, output);
  bm_dev_free(handle);

  long wrong = 0;
  for (long i = 0; i < results; ++i) {
    const int c = (int)(i / (out_rows * out_columns)), h = (int)(i / out_columns % out_rows);
    const float* at = x + c * plane + (long)h * columns + i % out_columns;
    float right = bytes[c];
    if (pools) right = (at[0] + at[1] + at[columns] + at[columns + 1]) / 4;
    if (!pools && !casts) {
      const float limit = limited(at[0] + 3);
      right = limit * limit * (1.0f / 6);
    }
    const float off = y[i] - right;
    // The sixth is rounded; all else is exact.
    if (!(off <= 1e-6f && off >= -1e-6f)) ++wrong;
  }
  if (wrong > 0) printf("%ld of %ld numbers are wrong\n", wrong, results);
  return wrong > 0 ? 2 : 0;
}
