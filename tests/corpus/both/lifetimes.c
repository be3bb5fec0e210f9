// Hosts: what becomes of memory that is copied, cut up, freed and asked for again.
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "fp32.h"

static const dim4 kLeaf = {1, 64, 1, 16};
static char data[65536];

void leaf(const void* args) {
  const args_t* a = args;
  initialize();
  load(0, a->in, &kLeaf);  // @leaf_load
  add_number(1024, 0, 1.0f, &kLeaf);
  store(a->out, 1024, &kLeaf);  // @leaf_store
  poll();
}
KERNEL(leaf)
static args_t to_args(bm_device_mem_t in, bm_device_mem_t out) {
  const args_t args = {bm_mem_get_device_addr(in), 0, bm_mem_get_device_addr(out), 3, 0};
  return args;
}

// The pointer of the host goes to the device.
// EXPECT TL-MEMORY-001 error @leaf_load
HOST(pointer_of_the_host) {
  bm_handle_t h = open_device(0);
  bm_device_mem_t out = make_buffer(h, 4096);
  args_t args = {(unsigned long long)(size_t)data, 0, bm_mem_get_device_addr(out), 3, 0};
  launch_sync(h, "leaf", &args, sizeof args);
  bm_free_device(h, out);
  bm_dev_free(h);
  return 0;
}

// Copied on the device from where nothing was: it travels.
// EXPECT TL-INIT-002 error @leaf_load
HOST(copied_from_nothing) {
  bm_handle_t h = open_device(0);
  bm_device_mem_t empty = make_buffer(h, 4096), in = make_input(h, 4096),
                  out = make_buffer(h, 4096);
  bm_memcpy_d2d_byte(h, in, 1024, empty, 0, 1024);
  args_t args = to_args(in, out);
  launch_sync(h, "leaf", &args, sizeof args);
  show_result(h, out, 4096);
  bm_free_device(h, in);
  bm_free_device(h, out);
  bm_free_device(h, empty);
  bm_dev_free(h);
  return 0;
}

// Filled, half of it then copied within itself.
// SILENT
HOST(copied_within_itself) {
  bm_handle_t h = open_device(0);
  bm_device_mem_t in = make_buffer(h, 4096), out = make_buffer(h, 4096);
  memset(data, 1, 2048);
  bm_memcpy_s2d_partial(h, in, data, 2048);
  bm_memcpy_d2d_byte(h, in, 2048, in, 0, 2048);
  args_t args = to_args(in, out);
  launch_sync(h, "leaf", &args, sizeof args);
  show_result(h, out, 4096);
  bm_free_device(h, in);
  bm_free_device(h, out);
  bm_dev_free(h);
  return 0;
}

// Only 1000 of 4096 bytes are set.
// EXPECT TL-INIT-002 error @leaf_load
HOST(set_in_part) {
  bm_handle_t h = open_device(0);
  bm_device_mem_t in = make_buffer(h, 4096), out = make_buffer(h, 4096), part = in;
  bm_mem_set_device_size(&part, 1000);
  bm_memset_device(h, 0, part);
  args_t args = to_args(in, out);
  launch_sync(h, "leaf", &args, sizeof args);
  show_result(h, out, 4096);
  bm_free_device(h, in);
  bm_free_device(h, out);
  bm_dev_free(h);
  return 0;
}

// An offset that wraps around 32 bits.
// EXPECT TL-HOST-001 error @wrapped
HOST(offset_that_wraps) {
  bm_handle_t h = open_device(0);
  bm_device_mem_t in = make_input(h, 4096);
  bm_memcpy_s2d_partial_offset(h, in, data, 1024, 0xfffffe00u);  // @wrapped
  bm_free_device(h, in);
  bm_dev_free(h);
  return 0;
}

// Nothing to read into.
// EXPECT TL-HOST-006 error @to_null
HOST(read_into_nothing) {
  bm_handle_t h = open_device(0);
  bm_device_mem_t in = make_input(h, 4096);
  bm_memcpy_d2s_partial(h, NULL, in, 128);  // @to_null
  bm_free_device(h, in);
  bm_dev_free(h);
  return 0;
}

// Set after the free.
// EXPECT TL-HOST-002 error @set_freed
HOST(set_after_the_free) {
  bm_handle_t h = open_device(0);
  bm_device_mem_t in = make_input(h, 4096);
  bm_free_device(h, in);
  bm_memset_device(h, 0, in);  // @set_freed
  bm_dev_free(h);
  return 0;
}

// Copied past the end of the target.
// EXPECT TL-HOST-001 error @d2d_past
HOST(copied_past_the_end) {
  bm_handle_t h = open_device(0);
  bm_device_mem_t from = make_input(h, 8192), to = make_buffer(h, 4096);
  bm_memcpy_d2d_byte(h, to, 1, from, 0, 4096);  // @d2d_past
  bm_free_device(h, from);
  bm_free_device(h, to);
  bm_dev_free(h);
  return 0;
}

// Half of the struct is launched: the kernel finds zeros, not its output.
// EXPECT TL-ARGS-010 error @leaf_store @half_launched
// MAY TL-MEMORY-001 error @leaf_store
HOST(struct_too_short) {
  bm_handle_t h = open_device(0);
  bm_device_mem_t in = make_input(h, 4096), out = make_buffer(h, 4096);
  args_t args = to_args(in, out);
  launch_sync(h, "leaf", &args, 16);  // @half_launched
  bm_free_device(h, in);
  bm_free_device(h, out);
  bm_dev_free(h);
  return 0;
}

// Sixteen launches of one kernel, the eleventh with an output that is too small.
// EXPECT TL-MEMORY-002 error @leaf_store
HOST(eleventh_of_sixteen) {
  bm_handle_t h = open_device(0);
  bm_device_mem_t in = make_input(h, 4096), out = make_buffer(h, 4096),
                  small = make_buffer(h, 4092);
  for (int i = 0; i < 16; ++i) {
    args_t args = to_args(in, i == 10 ? small : out);
    launch_sync(h, "leaf", &args, sizeof args);
  }
  show_result(h, out, 4096);
  bm_free_device(h, in);
  bm_free_device(h, out);
  bm_free_device(h, small);
  bm_dev_free(h);
  return 0;
}

// A buffer is freed and asked for again a thousand times; each is filled before its use.
// SILENT
HOST(many_short_lives) {
  bm_handle_t h = open_device(0);
  for (int i = 0; i < 300; ++i) {
    bm_device_mem_t in = make_input(h, 4096 + (unsigned)i % 7 * 512), out = make_buffer(h, 4096);
    args_t args = to_args(in, out);
    launch_sync(h, "leaf", &args, sizeof args);
    if (i == 299) show_result(h, out, 4096);
    bm_free_device(h, in);
    bm_free_device(h, out);
  }
  bm_dev_free(h);
  return 0;
}

// The last one is not filled.
// EXPECT TL-INIT-002 error @leaf_load
HOST(many_lives_one_empty) {
  bm_handle_t h = open_device(0);
  for (int i = 0; i < 300; ++i) {
    bm_device_mem_t in = i == 299 ? make_buffer(h, 4096) : make_input(h, 4096),
                    out = make_buffer(h, 4096);
    args_t args = to_args(in, out);
    launch_sync(h, "leaf", &args, sizeof args);
    if (i == 299) show_result(h, out, 4096);
    bm_free_device(h, in);
    bm_free_device(h, out);
  }
  bm_dev_free(h);
  return 0;
}

static void* opens_and_runs(void* p) {
  const int id = *(int*)p;
  bm_handle_t h = open_device(id);
  bm_device_mem_t in = make_input(h, 4096), out = make_buffer(h, 4096);
  args_t args = to_args(in, out);
  for (int i = 0; i < 20; ++i) launch_sync(h, "leaf", &args, sizeof args);
  memset(data + id * 4096, 0, 4096);
  bm_memcpy_d2s(h, data + id * 4096, out);
  bm_free_device(h, in);
  bm_free_device(h, out);
  bm_dev_free(h);
  return p;
}
// Four devices, each in a thread.
// SILENT
HOST(four_threads_two_devices) {
  pthread_t t[4];
  int id[4] = {0, 1, 0, 1};
  for (int i = 0; i < 4; ++i) pthread_create(&t[i], NULL, opens_and_runs, &id[i]);
  for (int i = 0; i < 4; ++i) pthread_join(t[i], NULL);
  printf("result %d\n", memcmp(data, data + 4096, 4096));
  return 0;
}

static void* opens_allocates_and_frees(void* p) {
  bm_handle_t h = open_device(0);
  for (int i = 0; i < 40; ++i) {
    bm_device_mem_t in = make_input(h, 4096), out = make_buffer(h, 4096);
    args_t args = to_args(in, out);
    launch_sync(h, "leaf", &args, sizeof args);
    bm_free_device(h, in);
    bm_free_device(h, out);
  }
  bm_dev_free(h);
  return p;
}
// What one thread frees another is given at once: each thread uses its own alone.
// SILENT
HOST(threads_that_free) {
  pthread_t t[4];
  for (int i = 0; i < 4; ++i) pthread_create(&t[i], NULL, opens_allocates_and_frees, data);
  for (int i = 0; i < 4; ++i) pthread_join(t[i], NULL);
  puts("result");
  return 0;
}

// The middle of an allocation is none.
// EXPECT TL-HOST-004 error @frees_a_part
HOST(frees_a_part) {
  bm_handle_t h = open_device(0);
  bm_device_mem_t in = make_input(h, 4096), part = in;
  bm_mem_set_device_addr(&part, bm_mem_get_device_addr(in) + 64);
  bm_free_device(h, part);  // @frees_a_part
  bm_free_device(h, in);
  bm_dev_free(h);
  return 0;
}

// Copied on the device as far as it was written, then read.
// SILENT
HOST(copied_as_far_as_written) {
  bm_handle_t h = open_device(0);
  bm_device_mem_t in = make_input(h, 4096), out = make_buffer(h, 8192),
                  dense = make_buffer(h, 4096);
  args_t args = to_args(in, out);
  launch_sync(h, "leaf", &args, sizeof args);
  bm_memcpy_d2d_byte(h, dense, 0, out, 0, 4096);
  show_result(h, dense, 4096);
  bm_free_device(h, in);
  bm_free_device(h, out);
  bm_free_device(h, dense);
  bm_dev_free(h);
  return 0;
}

// The copy takes what no kernel wrote along, and the host reads it.
// EXPECT TL-COVERAGE-001 error @dense_read
HOST(copied_and_read_too_far) {
  bm_handle_t h = open_device(0);
  bm_device_mem_t in = make_input(h, 4096), out = make_buffer(h, 8192),
                  dense = make_buffer(h, 8192);
  args_t args = to_args(in, out);
  launch_sync(h, "leaf", &args, sizeof args);
  bm_memcpy_d2d_byte(h, dense, 0, out, 0, 8192);
  bm_memcpy_d2s(h, data, dense);  // @dense_read
  bm_free_device(h, in);
  bm_free_device(h, out);
  bm_free_device(h, dense);
  bm_dev_free(h);
  return 0;
}
