// The host that most kernels of the corpus share: `host NAME [KEY=VALUE...]`.
//
//   in, in2, out   bytes of the buffers (65536, 0, 65536; 0: none); in and in2 are filled
//   kind2          what in2 holds: float (0 to 6), u8, u16, u32 (0 to 7), mask (bytes 0 and 1)
//   read           bytes of the output that the host reads (all)
//   n              a number for the kernel (5)
//   launches       how often the kernel is launched (1)
//   fill           1: the output holds zeros before
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "corpus.h"

enum { kMaxHosts = 256 };
static struct {
  const char* name;
  host_t host;
} hosts[kMaxHosts];
static int host_count;

void add_host(const char* name, host_t host) {
  if (host_count == kMaxHosts) abort();
  hosts[host_count].name = name;
  hosts[host_count++].host = host;
}

static void demand(bm_status_t status, const char* what) {
  if (status == BM_SUCCESS) return;
  printf("%s failed: %d\n", what, (int)status);
  exit(9);
}

bm_handle_t open_device(int id) {
  bm_handle_t handle;
  demand(bm_dev_request(&handle, id), "bm_dev_request");
  return handle;
}

bm_device_mem_t make_buffer(bm_handle_t handle, unsigned bytes) {
  bm_device_mem_t buffer;
  demand(bm_malloc_device_byte(handle, &buffer, bytes), "bm_malloc_device_byte");
  return buffer;
}

static bm_device_mem_t make_kind(bm_handle_t handle, unsigned bytes, const char* kind) {
  bm_device_mem_t buffer = make_buffer(handle, bytes);
  unsigned char* const data = calloc(bytes + 4, 1);
  for (unsigned i = 0; i < bytes; ++i) {
    const float number = (float)(i / 4 % 7);
    if (strcmp(kind, "u8") == 0) data[i] = i % 8;
    if (strcmp(kind, "mask") == 0) data[i] = i % 2;
    if (strcmp(kind, "u16") == 0 && i % 2 == 0) data[i] = i / 2 % 8;
    if (strcmp(kind, "u32") == 0 && i % 4 == 0) data[i] = i / 4 % 8;
    if (strcmp(kind, "float") == 0 && i % 4 == 0) memcpy(data + i, &number, 4);
  }
  demand(bm_memcpy_s2d(handle, buffer, data), "bm_memcpy_s2d");
  free(data);
  return buffer;
}

bm_device_mem_t make_input(bm_handle_t handle, unsigned bytes) {
  return make_kind(handle, bytes, "float");
}

void show_result(bm_handle_t handle, bm_device_mem_t buffer, unsigned bytes) {
  unsigned char* const data = malloc(bytes + 1);
  demand(bm_memcpy_d2s_partial(handle, data, buffer, bytes), "bm_memcpy_d2s_partial");
  unsigned long long sum = 0xcbf29ce484222325ull;
  for (unsigned i = 0; i < bytes; ++i) sum = (sum ^ data[i]) * 0x100000001b3ull;
  printf("result %016llx\n", sum);
  free(data);
}

static const char* option(int argc, char** argv, const char* key, const char* standard) {
  const size_t length = strlen(key);
  for (int i = 2; i < argc; ++i)
    if (strncmp(argv[i], key, length) == 0 && argv[i][length] == '=') return argv[i] + length + 1;
  return standard;
}

static unsigned number(int argc, char** argv, const char* key, const char* standard) {
  return (unsigned)strtoul(option(argc, argv, key, standard), NULL, 10);
}

int main(int argc, char** argv) {
  if (argc < 2) return 9;
  setvbuf(stdout, NULL, _IONBF, 0);
  for (int i = 0; i < host_count; ++i)
    if (strcmp(hosts[i].name, argv[1]) == 0) return hosts[i].host();

  const unsigned in_bytes = number(argc, argv, "in", "65536"),
                 in2_bytes = number(argc, argv, "in2", "0"),
                 out_bytes = number(argc, argv, "out", "65536");
  bm_device_mem_t in = {0}, in2 = {0}, out = {0};
  bm_handle_t handle = open_device(0);
  args_t args = {0};
  args.n = (int)number(argc, argv, "n", "5");
  if (in_bytes) args.in = bm_mem_get_device_addr(in = make_input(handle, in_bytes));
  if (in2_bytes)
    args.in2 = bm_mem_get_device_addr(
        in2 = make_kind(handle, in2_bytes, option(argc, argv, "kind2", "float")));
  if (out_bytes) args.out = bm_mem_get_device_addr(out = make_buffer(handle, out_bytes));
  if (number(argc, argv, "fill", "0")) demand(bm_memset_device(handle, 0, out), "bm_memset_device");
  bool good = true;
  for (unsigned launches = number(argc, argv, "launches", "1"); launches > 0;
       --launches, ++args.launch)
    good = launch_sync(handle, argv[1], &args, sizeof(args)) == BM_SUCCESS && good;
  if (good && out_bytes)
    show_result(handle, out, number(argc, argv, "read", option(argc, argv, "out", "65536")));
  if (in_bytes) bm_free_device(handle, in);
  if (in2_bytes) bm_free_device(handle, in2);
  if (out_bytes) bm_free_device(handle, out);
  bm_dev_free(handle);
  return 0;
}
