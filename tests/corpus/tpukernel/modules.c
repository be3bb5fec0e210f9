// Hosts that load kernels while they run; the module lies beside the program.
#include <string.h>
#include <unistd.h>

#include "corpus.h"

static tpu_kernel_module_t load_module(bm_handle_t handle) {
  char path[4096] = {0};
  const ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 64);
  path[length < 0 ? 0 : length] = '\0';
  strcpy(strrchr(path, '/') + 1, "corpus_module.so");
  return tpu_kernel_load_module_file(handle, path);
}
static args_t arguments(bm_device_mem_t in, bm_device_mem_t out) {
  const args_t args = {bm_mem_get_device_addr(in), 0, bm_mem_get_device_addr(out), 3, 0};
  return args;
}

// Loaded, launched, unloaded, three times.
// SILENT
HOST(loaded_three_times) {
  bm_handle_t handle = open_device(0);
  bm_device_mem_t in = make_input(handle, 4096), out = make_buffer(handle, 4096);
  args_t args = arguments(in, out);
  for (int i = 0; i < 3; ++i) {
    tpu_kernel_module_t module = load_module(handle);
    tpu_kernel_function_t scale = tpu_kernel_get_function(handle, module, "scale_page");
    tpu_kernel_launch(handle, scale, &args, sizeof(args));
    tpu_kernel_launch_async(handle, scale, &args, sizeof(args));
    tpu_kernel_unload_module(handle, module);
  }
  show_result(handle, out, 4096);
  bm_free_device(handle, in);
  bm_free_device(handle, out);
  bm_dev_free(handle);
  return 0;
}

// A function of a module that is gone.
// EXPECT TL-HOST-005 error @gone
HOST(launched_after_unloading) {
  bm_handle_t handle = open_device(0);
  bm_device_mem_t in = make_input(handle, 4096), out = make_buffer(handle, 4096);
  args_t args = arguments(in, out);
  tpu_kernel_module_t module = load_module(handle);
  tpu_kernel_function_t scale = tpu_kernel_get_function(handle, module, "scale_page");
  tpu_kernel_launch(handle, scale, &args, sizeof(args));
  tpu_kernel_unload_module(handle, module);
  tpu_kernel_launch(handle, scale, &args, sizeof(args));  // @gone
  show_result(handle, out, 4096);
  bm_free_device(handle, in);
  bm_free_device(handle, out);
  bm_dev_free(handle);
  return 0;
}

// What was found in a module that is gone keeps its kernel.
// EXPECT TL-INIT-001 error
HOST(fault_in_an_unloaded_module) {
  bm_handle_t handle = open_device(0);
  bm_device_mem_t in = make_input(handle, 4096), out = make_buffer(handle, 4096);
  args_t args = arguments(in, out);
  tpu_kernel_module_t module = load_module(handle);
  tpu_kernel_function_t nothing = tpu_kernel_get_function(handle, module, "scale_nothing");
  tpu_kernel_launch(handle, nothing, &args, sizeof(args));
  tpu_kernel_unload_module(handle, module);
  show_result(handle, out, 4096);
  bm_free_device(handle, in);
  bm_free_device(handle, out);
  bm_dev_free(handle);
  return 0;
}

// A name that the module does not have.
// EXPECT TL-HOST-005 error @misspelt
HOST(function_that_is_missing) {
  bm_handle_t handle = open_device(0);
  args_t args = {0};
  tpu_kernel_module_t module = load_module(handle);
  tpu_kernel_function_t none = tpu_kernel_get_function(handle, module, "scale_pages");
  tpu_kernel_launch(handle, none, &args, sizeof(args));  // @misspelt
  tpu_kernel_unload_module(handle, module);
  bm_dev_free(handle);
  return 0;
}
