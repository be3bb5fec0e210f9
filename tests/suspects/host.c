// Runs one of the kernels on numbers without a pattern; with a file, writes its results there.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "bmlib_runtime.h"

enum { COUNT = 1 << 15 };

static const struct {
  const char* name;
  int out, x, y, z;  // elements
  int rows;          // y holds numbers of rows, below it; 0: numbers like all others
} kKernels[] = {
    {"wrong_pitch", 30720, 30720, 30720, 0},
    {"swapped_sources", 8192, 8192, 0, 0},
    {"wrong_scale", 1024, 16384, 0, 0},
    {"last_tile_missing", 28672, 28672, 0, 0},
    {"sum_not_cleared", 6144, 24576, 8192, 0},
    {"wrong_padding", 9216, 9216, 0, 0},
    {"wrong_axis", 1024, 16384, 0, 0},
    {"wrong_type", 4096, 4096, 0, 0},
    {"stale_buffer", 32768, 32768, 0, 0},
    {"wrong_rounding", 4096, 4096, 0, 0},
    {"bias_twice", 9216, 9216, 576, 64},
    {"weights_transposed", 4096, 4096, 4096, 0},
    {"index_off_by_one", 24576, 24576, 24576, 0},
    {"maximum_for_sum", 16384, 16384, 16384, 0},
    {"wrong_slope", 16384, 16384, 16384, 0},
    {"input_twice", 16384, 16384, 16384, 16384},
    {"largest", 1, 4, 0, 0},
    {"two_largest", 32, 16, 0, 0},
    {"scale_of_other_channels", 16384, 16384, 128, 0},
    {"small_number_outside", 2048, 2048, 0, 0},
    {"sign_of_rotation", 4096, 4096, 2048, 2048},
    {"scale_of_one_tile", 20480, 20480, 320, 0},
    {"product_not_begun_anew", 1024, 1024, 4096, 0},
    {"strides_not_exchanged", 16384, 16384, 0, 0},
    {"scores_without_root", 2048, 4096, 2048, 0},
    {"largest_for_sum", 6144, 6144, 0, 0},
    {"half_not_exchanged", 4096, 24576, 0, 0},
    {"table_one_row_off", 8192, 16384, 128, 8192, 255},
    {"bias_along_rows", 16384, 16384, 1024, 0},
    {"bias_before_and_after", 2048, 1024, 512, 32},
    {"ninth_for_eighth", 9216, 9216, 0, 0},
    {"band_stored_early", 32768, 32768, 0, 0},
    {"residual_of_itself", 8192, 8192, 8192, 0},
    {"weight_not_spread", 4096, 4096, 64, 0},
    {"smallest_for_largest", 8, 1000, 0, 0},
    {"bytes_with_sign", 12288, 3072, 64, 0},
    {"rest_forgotten", 3200, 3200, 0, 0},
    {"divided_the_other_way", 8192, 8192, 8192, 0},
    {"buffer_of_one_tile", 8192, 32768, 0, 0},
};

// What the interfaces call the launch.
#ifdef USING_CMODEL
#define LAUNCH okkernel_launch_sync
#else
#define LAUNCH tpu_kernel_launch_sync
#endif

static float data[COUNT];

static void fill(bm_handle_t handle, bm_device_mem_t memory, int count, unsigned seed, int rows) {
  for (int k = 0; k < count; ++k) {
    seed = seed * 1664525u + 1013904223u;
    data[k] = (float)(seed >> 8) / (1 << 22) - 2.f + 0.37f;
    const unsigned row = rows > 0 ? (seed >> 8) % (unsigned)rows : 0;
    if (rows > 0) memcpy(&data[k], &row, sizeof row);
  }
  bm_memcpy_s2d(handle, memory, data);
}

int main(int count, char** words) {
  for (unsigned k = 0; k < sizeof kKernels / sizeof kKernels[0]; ++k) {
    if (count < 2 || strcmp(words[1], kKernels[k].name) != 0) continue;
    const int sizes[4] = {kKernels[k].out, kKernels[k].x, kKernels[k].y, kKernels[k].z};
    bm_handle_t handle;
    bm_device_mem_t memory[4];
    unsigned long long addresses[4] = {0};
    bm_dev_request(&handle, 0);
    for (int m = 0; m < 4; ++m) {
      if (sizes[m] == 0) continue;
      bm_malloc_device_byte(handle, &memory[m], sizes[m] * sizeof(float));
      addresses[m] = bm_mem_get_device_addr(memory[m]);
      if (m > 0) fill(handle, memory[m], sizes[m], 7u * m, m == 2 ? kKernels[k].rows : 0);
    }
    args_t args = {addresses[0], addresses[1], addresses[2], addresses[3]};
    LAUNCH(handle, words[1], &args, sizeof args);
    bm_memcpy_d2s(handle, data, memory[0]);
    for (int m = 0; m < 4; ++m) {
      if (sizes[m] > 0) bm_free_device(handle, memory[m]);
    }
    bm_dev_free(handle);
    if (count > 2) {
      FILE* file = fopen(words[2], "wb");
      fwrite(data, sizeof(float), (size_t)sizes[0], file);
      fclose(file);
    }
    return 0;
  }
  return 2;
}
