// later_host "KERNEL NAME=VALUE... FLAG..."...: launches the kernels of later_rows.c and its
// neighbours, one launch per argument. Names and flags are the members of later_args.
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bmlib_runtime.h"
#include "later_kernels.h"

static void demand(bm_status_t status, const char* what) {
  if (status == BM_SUCCESS) return;
  printf("%s failed: %d\n", what, (int)status);
  exit(9);
}

static const struct {
  const char* name;
  size_t offset;
} kNumbers[] = {{"rows", offsetof(later_args, rows)},   {"columns", offsetof(later_args, columns)},
                {"depth", offsetof(later_args, depth)}, {"pitch", offsetof(later_args, pitch)},
                {"heads", offsetof(later_args, heads)}, {"block", offsetof(later_args, block)}},
  kFlags[] = {
      {"fp32", offsetof(later_args, fp32)},     {"bf16", offsetof(later_args, bf16)},
      {"ppl", offsetof(later_args, ppl)},       {"pipelined", offsetof(later_args, pipelined)},
      {"reload", offsetof(later_args, reload)}, {"first", offsetof(later_args, first)}};

static void set(later_args* args, const char* word) {
  const char* const value = strchr(word, '=');
  for (size_t k = 0; value != NULL && k < sizeof(kNumbers) / sizeof(kNumbers[0]); ++k) {
    const size_t length = (size_t)(value - word);
    if (strncmp(kNumbers[k].name, word, length) == 0 && kNumbers[k].name[length] == 0) {
      *(int*)((char*)args + kNumbers[k].offset) = atoi(value + 1);
      return;
    }
  }
  for (size_t k = 0; k < sizeof(kFlags) / sizeof(kFlags[0]); ++k) {
    if (strcmp(kFlags[k].name, word) == 0) {
      *((char*)args + kFlags[k].offset) = 1;
      return;
    }
  }
  printf("'%s' is nothing that a kernel takes\n", word);
  exit(9);
}

int main(int argc, char** argv) {
  bm_handle_t handle;
  bm_device_mem_t in, out;
  demand(bm_dev_request(&handle, 0), "bm_dev_request");
  demand(bm_malloc_device_byte(handle, &in, 64 << 20), "bm_malloc_device_byte");
  demand(bm_malloc_device_byte(handle, &out, 64 << 20), "bm_malloc_device_byte");
  for (int k = 1; k < argc; ++k) {
    later_args args = {.in = bm_mem_get_device_addr(in), .out = bm_mem_get_device_addr(out)};
    const char* const kernel = strtok(argv[k], " ");
    for (const char* word = strtok(NULL, " "); word != NULL; word = strtok(NULL, " "))
      set(&args, word);
    if (args.pitch == 0) args.pitch = args.columns;
    demand(tpu_kernel_launch_sync(handle, kernel, &args, sizeof(args)), kernel);
  }
  bm_free_device(handle, in);
  bm_free_device(handle, out);
  bm_dev_free(handle);
  return 0;
}
