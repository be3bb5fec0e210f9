/* Launches the kernel sixteen times, each on buffers of its own: numbers 5 and 11 race, number 7
 * stores too few rows.
 *
 *   host [threads]        every launch from a thread of its own
 *   host module MODULE... TPUKernel: the next module for each launch, unloaded after it; a name
 *                         that begins with @ is loaded from memory */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bmlib_runtime.h"
#include "kernel.h"

enum { kBytes = 65536, kLaunches = 16 };

static bm_handle_t handle;
static char data[kBytes];

#ifdef BACKEND_1684X
static int modules;
static char** module_names;
static tpu_kernel_module_t module;

static void load_module(int number) {
  const char* name = module_names[number % modules];
  if (name[0] != '@') {
    module = tpu_kernel_load_module_file(handle, name);
    return;
  }
  static char code[1 << 20];
  FILE* file = fopen(name + 1, "rb");
  module = tpu_kernel_load_module(handle, code, fread(code, 1, sizeof code, file));
  fclose(file);
}

static void launch(const args_t* args, int number) {
  if (modules == 0) {
    tpu_kernel_launch_sync(handle, "kernel", args, sizeof *args);
    return;
  }
  load_module(number);
  const tpu_kernel_function_t function = tpu_kernel_get_function(handle, module, "kernel");
  tpu_kernel_launch(handle, function, (void*)args, sizeof *args);  // @launch_function
  tpu_kernel_unload_module(handle, module);
}
#else
static void launch(const args_t* args, int number) {
  (void)number;
  okkernel_launch_sync(handle, "kernel", args, sizeof *args);  // @launch
}
#endif

static void* run(void* number_of) {
  const int number = *(int*)number_of;
  bm_device_mem_t input, output;
  bm_malloc_device_byte(handle, &input, kBytes);
  bm_malloc_device_byte(handle, &output, kBytes);  // @made
  bm_memcpy_s2d(handle, input, data);
  const args_t args = {bm_mem_get_device_addr(input), bm_mem_get_device_addr(output),
                       number == 5 || number == 11, number == 7 ? 8 : 16};
  launch(&args, number);
  bm_memcpy_d2s(handle, data, output);  // @read
  bm_free_device(handle, input);
  bm_free_device(handle, output);
  return NULL;
}

int main(int argc, char** argv) {
  const char* const way = argc > 1 ? argv[1] : "";
#ifdef BACKEND_1684X
  if (strcmp(way, "module") == 0) {
    modules = argc - 2;
    module_names = argv + 2;
  }
#endif
  bm_dev_request(&handle, 1);
  for (int number = 0; number < kLaunches; ++number) {
    pthread_t thread;
    if (strcmp(way, "threads") == 0) {
      pthread_create(&thread, NULL, run, &number);
      pthread_join(thread, NULL);
    } else {
      run(&number);
    }
  }
  bm_dev_free(handle);
  return 0;
}
