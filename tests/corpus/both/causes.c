// Faults behind helpers, and faults that show in several ways.
#include <stdlib.h>

#include "fp32.h"

static const dim4 kPage = {1, 64, 1, 16};  // 4096 bytes, 64 in each NPU
static const dim4 kTwo = {1, 64, 1, 32};   // two pages

#define HELPER static __attribute__((noinline)) void

HELPER load_page(unsigned to, unsigned long long from) {
  load(to, from, &kPage);  // @helper_load
  __asm__ volatile("");    // no tail call
}
HELPER add_one(unsigned to, unsigned from) {
  add_number(to, from, 1.0f, &kPage);  // @helper_add
  __asm__ volatile("");
}

// Two layers make the same mistake, each for itself.
HELPER first_layer(const args_t* a) {
  parallel_start();
  load_page(0, a->in);  // @first_load
  add_one(4096, 0);     // @first_add
  parallel_end();
}
HELPER second_layer(const args_t* a) {
  parallel_start();
  load_page(1024, a->in);  // @second_load
  add_one(5120, 1024);     // @second_add
  parallel_end();
}
// EXPECT TL-RACE-001 error @helper_load @helper_add @first_load @first_add
// EXPECT TL-RACE-001 error @helper_load @helper_add @second_load @second_add
// MAY TL-INIT-001 error
// FAULTS 2
// RUN in=4096 out=8192
void two_races_behind_one_helper(const void* args) {
  const args_t* a = args;
  initialize();
  first_layer(a);
  second_layer(a);
  store(a->out, 4096, &kPage);
  store(a->out + 4096, 5120, &kPage);
  poll();
}
KERNEL(two_races_behind_one_helper)

// One layer that is wrong, called three times.
// EXPECT TL-RACE-001 error @helper_load @helper_add @first_load @first_add
// MAY TL-INIT-001 error
// RUN in=4096 out=4096
void one_wrong_layer_called_again(const void* args) {
  const args_t* a = args;
  initialize();
  first_layer(a);
  first_layer(a);
  if (a->n > 0) first_layer(a);
  store(a->out, 4096, &kPage);
  poll();
}
KERNEL(one_wrong_layer_called_again)

// The second overrun is larger than the first, through the same helper; others are right.
// EXPECT TL-MEMORY-002 error @helper_load @little_past
// EXPECT TL-MEMORY-002 error @helper_load @much_past
// FAULTS 2
// RUN in=6144 out=4096
void two_overruns_behind_one_helper(const void* args) {
  const args_t* a = args;
  initialize();
  load_page(0, a->in);
  load_page(1024, a->in + 2176);  // @little_past
  load_page(2048, a->in + 4096);  // @much_past
  add_one(4096, 0);
  store(a->out, 4096, &kPage);
  poll();
}
KERNEL(two_overruns_behind_one_helper)

// The helper itself reads a page more than it was asked to.
HELPER load_too_much(unsigned to, unsigned long long from) {
  load(to, from, &kTwo);  // @two_pages
  __asm__ volatile("");
}
// EXPECT TL-MEMORY-002 error @two_pages
// RUN in=4096 in2=4096 out=4096
void one_wrong_helper_called_twice(const void* args) {
  const args_t* a = args;
  initialize();
  load_too_much(0, a->in);
  load_too_much(1024, a->in2);
  add_one(4096, 0);
  store(a->out, 4096, &kPage);
  poll();
}
KERNEL(one_wrong_helper_called_twice)

// The next tile lies over the result of the last one: two writes, a read and what comes of it.
// EXPECT TL-RACE-003 error @over_sum @sum
// MAY TL-RACE-001 error
// MAY TL-INIT-001 error
// MAY TL-LINT-001 warning
// RUN in=16384 out=8192
void tile_over_the_sum(const void* args) {
  const args_t* a = args;
  initialize();
  load(0, a->in, &kTwo);
  parallel_start();
  load(1088, a->in + 8192, &kTwo);   // @over_sum
  add_number(1024, 0, 1.0f, &kTwo);  // @sum
  add_number(2048, 1024, 1.0f, &kTwo);
  parallel_end();
  store(a->out, 2048, &kTwo);
  poll();
}
KERNEL(tile_over_the_sum)

// The end of the region is missing.
// EXPECT TL-SYNC-003 error @poll_inside
// MAY TL-RACE-001 error
// MAY TL-RACE-002 error
// RUN in=4096 out=4096
void region_without_end(const void* args) {
  const args_t* a = args;
  initialize();
  parallel_start();
  load(0, a->in, &kPage);
  add_number(1024, 0, 1.0f, &kPage);
  store(a->out, 1024, &kPage);
  poll();  // @poll_inside
}
KERNEL(region_without_end)

// A launch that fails, and a host that does not look.
void writes_through_null(const void* args) {
  const args_t* a = args;
  initialize();
  load(0, a->in, &kPage);
  *(volatile int*)(size_t)a->n = 1;  // @through_null
  store(a->out, 0, &kPage);
  poll();
}
KERNEL(writes_through_null)
void sums_a_page(const void* args) {
  const args_t* a = args;
  initialize();
  load(0, a->in2, &kPage);
  add_number(1024, 0, 1.0f, &kPage);
  store(a->out, 1024, &kPage);
  poll();
}
KERNEL(sums_a_page)

// EXPECT TL-LAUNCH-002 error @through_null
// MAY TL-COVERAGE-001 error
HOST(reads_after_a_failed_launch) {
  bm_handle_t handle = open_device(0);
  bm_device_mem_t in = make_input(handle, 4096), out = make_buffer(handle, 4096);
  const args_t args = {bm_mem_get_device_addr(in), 0, bm_mem_get_device_addr(out), 0, 0};
  launch_sync(handle, "writes_through_null", &args, sizeof(args));
  show_result(handle, out, 4096);
  bm_free_device(handle, in);
  bm_free_device(handle, out);
  bm_dev_free(handle);
  return 0;
}

// What the second launch reads, the first was to write.
// EXPECT TL-LAUNCH-002 error @through_null
// MAY TL-INIT-002 error
HOST(goes_on_after_a_failed_launch) {
  bm_handle_t handle = open_device(0);
  bm_device_mem_t in = make_input(handle, 4096), between = make_buffer(handle, 4096),
                  out = make_buffer(handle, 4096);
  const args_t first = {bm_mem_get_device_addr(in), 0, bm_mem_get_device_addr(between), 0, 0},
               second = {0, bm_mem_get_device_addr(between), bm_mem_get_device_addr(out), 0, 1};
  launch_sync(handle, "writes_through_null", &first, sizeof(first));
  launch_sync(handle, "sums_a_page", &second, sizeof(second));
  show_result(handle, out, 4096);
  bm_free_device(handle, in);
  bm_free_device(handle, between);
  bm_free_device(handle, out);
  bm_dev_free(handle);
  return 0;
}
