// Launches a kernel of many commands many times and says how much memory that takes:
//
//   grow LAUNCHES COMMANDS
//
// prints the kilobytes in use after a third of the launches and after all of them. Each launch has
// a buffer of its own, of which the kernel reads a part.
#include <stdio.h>
#include <stdlib.h>

#include "bmlib_runtime.h"
#include "okk.h"

typedef struct {
  system_addr_t input, output, own;
  int commands;
} __attribute__((packed)) args_t;

// Tiles go around in local memory and in the buffers, in two regions' worth of commands at a time.
void kernel(const void* args) {
  const args_t* a = args;
  const dim4 shape = {1, 64, 1, 16};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(65536, a->own, &shape, 0, 0);
  okk_poll();
  for (int i = 0; i < a->commands; i += 4) {
    const int at = i / 4 % 256;
    okk_gdma_32bit_cpy_S2L(at * 256, a->input + at * 4096, &shape, 0, 0);
    okk_bdc_add_C(at * 256 + 64, at * 256, 1.0f, &shape, 0, 0);
    okk_bdc_mul_C(at * 256 + 128, at * 256 + 64, 2.0f, &shape, 0, 0);
    okk_gdma_32bit_cpy_L2S(a->output + at * 4096, at * 256 + 128, &shape, 0, 0);
    if (at == 255) okk_poll();
  }
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(kernel)

static long resident_kb(void) {
  long pages = 0, resident = 0;
  FILE* const file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%ld %ld", &pages, &resident) != 2) exit(8);
  fclose(file);
  return resident * 4;
}

static char data[256 * 4096];

int main(int argc, char** argv) {
  bm_handle_t handle;
  bm_device_mem_t input, output;
  if (argc < 3 || bm_dev_request(&handle, 0) != BM_SUCCESS) return 9;
  const int launches = atoi(argv[1]);
  bm_malloc_device_byte(handle, &input, sizeof(data));
  bm_malloc_device_byte(handle, &output, sizeof(data));
  bm_memcpy_s2d(handle, input, data);
  args_t args = {bm_mem_get_device_addr(input), bm_mem_get_device_addr(output), 0, atoi(argv[2])};
  for (int k = 1; k <= launches; ++k) {
    bm_device_mem_t own;
    bm_malloc_device_byte(handle, &own, 8192);
    bm_memcpy_s2d(handle, own, data);
    args.own = bm_mem_get_device_addr(own);
    if (okkernel_launch_sync(handle, "kernel", &args, sizeof(args)) != BM_SUCCESS) return 7;
    bm_memcpy_d2s_partial(handle, data, output, 64);
    bm_free_device(handle, own);
    if (k == (launches + 2) / 3 || k == launches) printf("%ld\n", resident_kb());
  }
  bm_free_device(handle, input);
  bm_free_device(handle, output);
  bm_dev_free(handle);
  return 0;
}
