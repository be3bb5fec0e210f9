// Hosts that do something unusual: what they must not do is found at their line, the rest is
// silent.
#include <fenv.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fp32.h"

static const dim4 kPage = {1, 64, 1, 16};  // 4096 bytes

// A page from `in` to `out`, plus n.
void add_n(const void* args) {
  const args_t* a = args;
  initialize();
  load(0, a->in, &kPage);  // @add_load
  add_number(1024, 0, (float)a->n, &kPage);
  store(a->out, 1024, &kPage);
  poll();
}
KERNEL(add_n)

static args_t arguments(bm_device_mem_t in, bm_device_mem_t out) {
  const args_t args = {bm_mem_get_device_addr(in), 0, bm_mem_get_device_addr(out), 3, 0};
  return args;
}
static bm_status_t run_add(bm_handle_t handle, bm_device_mem_t in, bm_device_mem_t out) {
  const args_t args = arguments(in, out);
  return launch_sync(handle, "add_n", &args, sizeof(args));
}
static unsigned char page[8192];

// EXPECT TL-HOST-001 error @input_past
HOST(input_larger_than_its_buffer) {
  bm_handle_t handle = open_device(0);
  bm_device_mem_t in = make_buffer(handle, 4000);
  bm_memcpy_s2d_partial(handle, in, page, 4096);  // @input_past
  bm_free_device(handle, in);
  bm_dev_free(handle);
  return 0;
}

// The descriptor was made larger than what is behind it.
// EXPECT TL-HOST-001 error @descriptor_past
HOST(descriptor_made_larger) {
  bm_handle_t handle = open_device(0);
  bm_device_mem_t in = make_input(handle, 4096);
  bm_mem_set_device_size(&in, 4100);
  bm_memcpy_d2s(handle, page, in);  // @descriptor_past
  bm_free_device(handle, in);
  bm_dev_free(handle);
  return 0;
}

// Offset plus size is past the end, by one byte.
// EXPECT TL-HOST-001 error @offset_past
HOST(offset_past_the_end) {
  bm_handle_t handle = open_device(0);
  bm_device_mem_t in = make_input(handle, 4096);
  bm_memcpy_d2s_partial_offset(handle, page, in, 1025, 3072);  // @offset_past
  bm_free_device(handle, in);
  bm_dev_free(handle);
  return 0;
}

// The size counts bytes, bm_memcpy_d2d counts words.
// EXPECT TL-HOST-001 error @words_for_bytes
HOST(words_for_bytes) {
  bm_handle_t handle = open_device(0);
  bm_device_mem_t from = make_input(handle, 4096), to = make_buffer(handle, 4096);
  bm_memcpy_d2d(handle, to, 0, from, 0, 4096);  // @words_for_bytes
  bm_free_device(handle, from);
  bm_free_device(handle, to);
  bm_dev_free(handle);
  return 0;
}

// EXPECT TL-HOST-002 error @read_of_freed
HOST(result_freed_too_early) {
  bm_handle_t handle = open_device(0);
  bm_device_mem_t in = make_input(handle, 4096), out = make_buffer(handle, 4096);
  run_add(handle, in, out);
  bm_free_device(handle, out);
  bm_memcpy_d2s(handle, page, out);  // @read_of_freed
  bm_free_device(handle, in);
  bm_dev_free(handle);
  return 0;
}

// EXPECT TL-HOST-004 error @freed_twice
HOST(freed_twice) {
  bm_handle_t handle = open_device(0);
  bm_device_mem_t in = make_input(handle, 4096), out = make_buffer(handle, 4096);
  run_add(handle, in, out);
  bm_free_device(handle, in);
  bm_free_device(handle, in);  // @freed_twice
  bm_free_device(handle, out);
  bm_dev_free(handle);
  return 0;
}

// EXPECT TL-HOST-003 error @by_the_other
HOST(buffer_of_another_device) {
  bm_handle_t first = open_device(0), second = open_device(1);
  bm_device_mem_t in = make_input(first, 4096);
  bm_memcpy_d2s(second, page, in);  // @by_the_other
  bm_free_device(first, in);
  bm_dev_free(first);
  bm_dev_free(second);
  return 0;
}

// EXPECT TL-HOST-005 error @no_kernel
HOST(misspelt_kernel) {
  bm_handle_t handle = open_device(0);
  args_t args = {0};
  launch_sync(handle, "ad_n", &args, sizeof(args));  // @no_kernel
  bm_dev_free(handle);
  return 0;
}

// The kernel was launched with a buffer that the host freed.
// EXPECT TL-MEMORY-004 error @kernel_reads_freed
HOST(launched_on_freed_memory) {
  bm_handle_t handle = open_device(0);
  bm_device_mem_t in = make_input(handle, 4096), out = make_buffer(handle, 4096);
  args_t args = arguments(in, out);
  bm_free_device(handle, in);
  launch_sync(handle, "copy_page", &args, sizeof(args));
  show_result(handle, out, 4096);
  bm_free_device(handle, out);
  bm_dev_free(handle);
  return 0;
}
void copy_page(const void* args) {
  const args_t* a = args;
  initialize();
  copy(a->out, a->in, &kPage);  // @kernel_reads_freed
  poll();
}
KERNEL(copy_page)

// The launch was given `in` and `out`; a third buffer lies where the kernel writes by a wrong
// offset.
// EXPECT TL-MEMORY-005 warning @into_another
HOST(written_into_another_buffer) {
  bm_handle_t handle = open_device(0);
  bm_device_mem_t in = make_input(handle, 4096), out = make_buffer(handle, 4096),
                  other = make_input(handle, 4096);
  args_t args = arguments(in, out);
  args.n = (int)(bm_mem_get_device_addr(other) - bm_mem_get_device_addr(out));
  run_add(handle, in, out);
  launch_sync(handle, "copy_to_offset", &args, sizeof(args));
  show_result(handle, out, 4096);
  bm_free_device(handle, in);
  bm_free_device(handle, out);
  bm_free_device(handle, other);
  bm_dev_free(handle);
  return 0;
}
void copy_to_offset(const void* args) {
  const args_t* a = args;
  initialize();
  copy(a->out + a->n, a->in, &kPage);  // @into_another
  poll();
}
KERNEL(copy_to_offset)

// It reads there: what it was not given either.
// EXPECT TL-MEMORY-005 warning @from_another
HOST(read_from_another_buffer) {
  bm_handle_t handle = open_device(0);
  bm_device_mem_t in = make_input(handle, 4096), out = make_buffer(handle, 4096),
                  other = make_input(handle, 4096);
  args_t args = arguments(in, out);
  args.n = (int)(bm_mem_get_device_addr(other) - bm_mem_get_device_addr(out));
  launch_sync(handle, "copy_from_offset", &args, sizeof(args));
  show_result(handle, out, 4096);
  bm_free_device(handle, in);
  bm_free_device(handle, out);
  bm_free_device(handle, other);
  bm_dev_free(handle);
  return 0;
}
void copy_from_offset(const void* args) {
  const args_t* a = args;
  initialize();
  copy(a->out, a->out + a->n, &kPage);  // @from_another
  poll();
}
KERNEL(copy_from_offset)

// The host reads 8 bytes more than the kernel writes.
// EXPECT TL-COVERAGE-001 error
HOST(result_read_too_far) {
  bm_handle_t handle = open_device(0);
  bm_device_mem_t in = make_input(handle, 4096), out = make_buffer(handle, 8192);
  run_add(handle, in, out);
  bm_memcpy_d2s_partial_offset(handle, page, out, 1000, 3104);
  bm_free_device(handle, in);
  bm_free_device(handle, out);
  bm_dev_free(handle);
  return 0;
}

// Freed and allocated again: the address is the same, the memory is new and is filled anew.
// SILENT
HOST(same_address_again) {
  bm_handle_t handle = open_device(0);
  bm_device_mem_t out = make_buffer(handle, 4096);
  for (int i = 0; i < 3; ++i) {
    bm_device_mem_t in = make_input(handle, 4096);
    run_add(handle, in, out);
    bm_free_device(handle, in);
  }
  show_result(handle, out, 4096);
  bm_free_device(handle, out);
  bm_dev_free(handle);
  return 0;
}

// Allocated again and not filled: what was there before does not count.
// EXPECT TL-INIT-002 error
HOST(same_address_not_filled) {
  bm_handle_t handle = open_device(0);
  bm_device_mem_t out = make_buffer(handle, 4096), in = make_input(handle, 4096);
  run_add(handle, in, out);
  bm_free_device(handle, in);
  in = make_buffer(handle, 4096);
  run_add(handle, in, out);
  show_result(handle, out, 4096);
  bm_free_device(handle, in);
  bm_free_device(handle, out);
  bm_dev_free(handle);
  return 0;
}

// Input, copy and result inside one allocation, by descriptors made from addresses.
// SILENT
HOST(parts_of_one_allocation) {
  bm_handle_t handle = open_device(0);
  bm_device_mem_t all = make_buffer(handle, 3 * 4096);
  const unsigned long long at = bm_mem_get_device_addr(all);
  bm_device_mem_t in = bm_mem_from_device(at, 4096), middle = bm_mem_from_device(at + 4096, 4096),
                  out = bm_mem_from_device(at + 8192, 4096);
  bm_memcpy_s2d(handle, in, page);
  bm_memcpy_d2d_byte(handle, middle, 0, in, 0, 4096);
  run_add(handle, middle, out);
  show_result(handle, out, 4096);
  bm_free_device(handle, all);
  bm_dev_free(handle);
  return 0;
}

// Filled in pieces, by copies from odd places to odd places.
// SILENT
HOST(filled_in_pieces) {
  bm_handle_t handle = open_device(0);
  bm_device_mem_t in = make_buffer(handle, 4096), out = make_buffer(handle, 4096);
  bm_memcpy_s2d_partial(handle, in, page, 1001);
  bm_memcpy_s2d_partial_offset(handle, in, page, 95, 1001);
  bm_memcpy_d2d_byte(handle, in, 1096, in, 0, 1000);
  bm_memset_device(handle, 7, bm_mem_from_device(bm_mem_get_device_addr(in) + 2096, 2000));
  run_add(handle, in, out);
  show_result(handle, out, 4096);
  bm_free_device(handle, in);
  bm_free_device(handle, out);
  bm_dev_free(handle);
  return 0;
}

// 40 of 64 rows are filled; the kernel computes all of them, the host reads 40.
// SILENT
HOST(rows_that_nobody_fills) {
  bm_handle_t handle = open_device(0);
  bm_device_mem_t in = make_buffer(handle, 4096), out = make_buffer(handle, 4096);
  bm_memcpy_s2d_partial(handle, in, page, 40 * 64);
  run_add(handle, in, out);
  show_result(handle, out, 40 * 64);
  bm_free_device(handle, in);
  bm_free_device(handle, out);
  bm_dev_free(handle);
  return 0;
}

// It reads 41.
// EXPECT TL-INIT-002 error @add_load
HOST(row_that_nobody_filled) {
  bm_handle_t handle = open_device(0);
  bm_device_mem_t in = make_buffer(handle, 4096), out = make_buffer(handle, 4096);
  bm_memcpy_s2d_partial(handle, in, page, 40 * 64);
  run_add(handle, in, out);
  show_result(handle, out, 41 * 64);
  bm_free_device(handle, in);
  bm_free_device(handle, out);
  bm_dev_free(handle);
  return 0;
}

// Device memory in the host's address space: written and read there.
// SILENT
HOST(mapped_memory) {
  bm_handle_t handle = open_device(0);
  bm_device_mem_t in = make_buffer(handle, 4096), out = make_buffer(handle, 4096);
  unsigned long long in_at = 0, out_at = 0;
  if (bm_mem_mmap_device_mem(handle, &in, &in_at) != BM_SUCCESS ||
      bm_mem_mmap_device_mem(handle, &out, &out_at) != BM_SUCCESS)
    return 1;
  memset((void*)in_at, 0, 4096);
  bm_mem_flush_device_mem(handle, &in);
  run_add(handle, in, out);
  bm_mem_invalidate_device_mem(handle, &out);
  printf("result %g\n", (double)((const float*)out_at)[1023]);
  bm_mem_unmap_device_mem(handle, (void*)in_at, 4096);
  bm_mem_unmap_device_mem(handle, (void*)out_at, 4096);
  bm_free_device(handle, in);
  bm_free_device(handle, out);
  bm_dev_free(handle);
  return 0;
}

// The host rounds towards zero: kernels round as they always do.
// SILENT
HOST(host_rounds_towards_zero) {
  bm_handle_t handle = open_device(0);
  bm_device_mem_t in = make_input(handle, 4096), out = make_buffer(handle, 4096);
  args_t args = arguments(in, out);
  for (int turn = 0; turn < 2; ++turn) {
    if (turn == 1) fesetround(FE_TOWARDZERO);
    launch_sync(handle, "add_a_tenth", &args, sizeof(args));
    fesetround(FE_TONEAREST);
    bm_memcpy_d2s(handle, page + turn * 4096, out);
  }
  if (memcmp(page, page + 4096, 4096) == 0) puts("result");
  bm_free_device(handle, in);
  bm_free_device(handle, out);
  bm_dev_free(handle);
  return 0;
}
void add_a_tenth(const void* args) {
  const args_t* a = args;
  const float tenth = (float)a->n / 30.0f;
  initialize();
  load(0, a->in, &kPage);
  add_number(1024, 0, tenth, &kPage);
  store(a->out, 1024, &kPage);
  poll();
}
KERNEL(add_a_tenth)

// The result is described by its end.
// SILENT
HOST(address_of_the_end) {
  bm_handle_t handle = open_device(0);
  bm_device_mem_t in = make_input(handle, 4096), out = make_buffer(handle, 4096);
  args_t args = arguments(in, out);
  args.out += 4096;
  launch_sync(handle, "copy_to_the_end", &args, sizeof(args));
  show_result(handle, out, 4096);
  bm_free_device(handle, in);
  bm_free_device(handle, out);
  bm_dev_free(handle);
  return 0;
}
void copy_to_the_end(const void* args) {
  const args_t* a = args;
  initialize();
  copy(a->out - 4096, a->in, &kPage);
  poll();
}
KERNEL(copy_to_the_end)

// Copies of nothing, an allocation of nothing.
// SILENT
HOST(nothing_at_all) {
  bm_handle_t handle = open_device(0);
  bm_device_mem_t in = make_input(handle, 4096), out = make_buffer(handle, 4096),
                  none = make_buffer(handle, 0);
  bm_memcpy_s2d_partial(handle, in, page, 0);
  bm_memcpy_d2s_partial_offset(handle, page, in, 0, 4096);
  run_add(handle, in, out);
  show_result(handle, out, 4096);
  bm_free_device(handle, none);
  bm_free_device(handle, in);
  bm_free_device(handle, out);
  bm_dev_free(handle);
  return 0;
}

struct work {
  bm_handle_t handle;
  int device;
};
static void* add_on_a_thread(void* argument) {
  const struct work* work = argument;
  bm_device_mem_t in = make_input(work->handle, 4096), out = make_buffer(work->handle, 4096);
  for (int i = 0; i < 20; ++i) {
    run_add(work->handle, in, out);
    bm_memcpy_d2d_byte(work->handle, in, 0, out, 0, 4096);
  }
  bm_free_device(work->handle, in);
  bm_free_device(work->handle, out);
  return NULL;
}
static void in_four_threads(const struct work* work) {
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, add_on_a_thread, (void*)&work[i]);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
}

// Four threads launch on one device.
// SILENT
HOST(threads_on_one_device) {
  bm_handle_t handle = open_device(0);
  const struct work work[4] = {{handle, 0}, {handle, 0}, {handle, 0}, {handle, 0}};
  in_four_threads(work);
  bm_dev_free(handle);
  puts("result");
  return 0;
}

// Two on each of two devices, at the same addresses of other memories.
// SILENT
HOST(threads_on_two_devices) {
  bm_handle_t first = open_device(0), second = open_device(1);
  const struct work work[4] = {{first, 0}, {second, 1}, {first, 0}, {second, 1}};
  in_four_threads(work);
  bm_dev_free(first);
  bm_dev_free(second);
  puts("result");
  return 0;
}

// Two devices one after the other; the second is not given what the first was.
// EXPECT TL-INIT-002 error
HOST(second_device_not_filled) {
  for (int id = 0; id < 2; ++id) {
    bm_handle_t handle = open_device(id);
    bm_device_mem_t in = make_buffer(handle, 4096), out = make_buffer(handle, 4096);
    if (id == 0) bm_memcpy_s2d(handle, in, page);
    run_add(handle, in, out);
    show_result(handle, out, 4096);
    bm_free_device(handle, in);
    bm_free_device(handle, out);
    bm_dev_free(handle);
  }
  return 0;
}

// A second handle of the same device frees what the first allocated and reads what it wrote.
// SILENT
HOST(two_handles_of_a_device) {
  bm_handle_t first = open_device(0), second = open_device(0);
  bm_device_mem_t in = make_input(first, 4096), out = make_buffer(second, 4096);
  run_add(first, in, out);
  show_result(second, out, 4096);
  bm_free_device(second, in);
  bm_free_device(first, out);
  bm_dev_free(first);
  bm_dev_free(second);
  return 0;
}

// The child of a fork opens a device of its own; its parent's goes on.
// SILENT
HOST(fork_after_a_launch) {
  bm_handle_t handle = open_device(0);
  bm_device_mem_t in = make_input(handle, 4096), out = make_buffer(handle, 4096);
  run_add(handle, in, out);
  const pid_t child = fork();
  if (child == 0) {
    bm_handle_t own = open_device(0);
    bm_device_mem_t mine = make_input(own, 4096);
    run_add(own, mine, mine);
    bm_free_device(own, mine);
    bm_dev_free(own);
    _exit(0);
  }
  int status = 1;
  waitpid(child, &status, 0);
  run_add(handle, out, in);
  show_result(handle, in, status == 0 ? 4096 : 4);
  bm_free_device(handle, in);
  bm_free_device(handle, out);
  bm_dev_free(handle);
  return 0;
}

// Launches are queued; the arguments are copied, the host waits once.
// SILENT
HOST(queued_launches) {
  bm_handle_t handle = open_device(0);
  bm_device_mem_t in = make_input(handle, 4096), out = make_buffer(handle, 4096);
  for (int i = 0; i < 8; ++i) {
    args_t args = i % 2 == 0 ? arguments(in, out) : arguments(out, in);
#ifdef BACKEND_1684X
    tpu_kernel_launch_async_multi_cores(handle, "add_n", &args, sizeof(args), (const int[]){0}, 1);
#else
    okkernel_launch_async(handle, "add_n", &args, sizeof(args));
#endif
    memset(&args, 0xff, sizeof(args));
  }
  bm_thread_sync(handle);
  show_result(handle, in, 4096);
  bm_free_device(handle, in);
  bm_free_device(handle, out);
  bm_dev_free(handle);
  return 0;
}

// A list of buffers in device memory: the kernel finds their addresses there, through the
// processor.
// SILENT
HOST(addresses_in_memory) {
  bm_handle_t handle = open_device(0);
  bm_device_mem_t in = make_input(handle, 4096), out = make_buffer(handle, 4096),
                  list = make_buffer(handle, 64);
  const unsigned long long addresses[2] = {bm_mem_get_device_addr(in), bm_mem_get_device_addr(out)};
  bm_memcpy_s2d_partial(handle, list, (void*)addresses, sizeof(addresses));
  args_t args = {bm_mem_get_device_addr(list), 0, 0, 0, 0};
  launch_sync(handle, "copy_by_list", &args, sizeof(args));
  show_result(handle, out, 4096);
  bm_free_device(handle, list);
  bm_free_device(handle, in);
  bm_free_device(handle, out);
  bm_dev_free(handle);
  return 0;
}
void copy_by_list(const void* args) {
  const args_t* a = args;
  initialize();
#ifdef BACKEND_1684X
  const unsigned long long* list = tpu_global_mem_addr(a->in);
#else
  const unsigned long long* list = (const unsigned long long*)okk_global_mem_addr(a->in);
#endif
  copy(list[1], list[0], &kPage);
  poll();
}
KERNEL(copy_by_list)
