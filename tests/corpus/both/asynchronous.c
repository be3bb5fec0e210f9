// Launches that the host does not wait for at once: what it may do meanwhile, and what it may not.
#include <string.h>

#include "fp32.h"

static const dim4 kPage = {1, 64, 1, 16};
static unsigned char page[4096];

void add_meanwhile(const void* args) {
  const args_t* a = args;
  initialize();
  load(0, a->in, &kPage);  // @meanwhile_load
  add_number(1024, 0, (float)a->n, &kPage);
  store(a->out, 1024, &kPage);  // @meanwhile_store
  poll();
}
KERNEL(add_meanwhile)

static void launch_add(bm_handle_t handle, bm_device_mem_t in, bm_device_mem_t out, int n) {
  args_t args = {bm_mem_get_device_addr(in), 0, bm_mem_get_device_addr(out), n, 0};
#ifdef BACKEND_1684X
  tpu_kernel_launch_async_multi_cores(handle, "add_meanwhile", &args, sizeof(args),
                                      (const int[]){0}, 1);
#else
  okkernel_launch_async(handle, "add_meanwhile", &args, sizeof(args));
#endif
}

static void close_with(bm_handle_t handle, bm_device_mem_t a, bm_device_mem_t b) {
  bm_free_device(handle, a);
  bm_free_device(handle, b);
  bm_dev_free(handle);
}

// A chain: the output of each launch is the input of the next; one wait at the end.
// SILENT
HOST(chain_of_launches) {
  bm_handle_t handle = open_device(0);
  bm_device_mem_t a = make_input(handle, 4096), b = make_buffer(handle, 4096);
  for (int i = 0; i < 6; ++i) launch_add(handle, i % 2 == 0 ? a : b, i % 2 == 0 ? b : a, i);
  bm_thread_sync(handle);
  show_result(handle, a, 4096);
  close_with(handle, a, b);
  return 0;
}

// EXPECT TL-SYNC-010 error @read_at_once @meanwhile_store
HOST(result_read_at_once) {
  bm_handle_t handle = open_device(0);
  bm_device_mem_t a = make_input(handle, 4096), b = make_buffer(handle, 4096);
  launch_add(handle, a, b, 1);
  bm_memcpy_d2s(handle, page, b);  // @read_at_once
  bm_thread_sync(handle);
  close_with(handle, a, b);
  return 0;
}

// The last launch of three is not waited for.
// EXPECT TL-SYNC-010 error @read_last @meanwhile_store
HOST(last_result_read_at_once) {
  bm_handle_t handle = open_device(0);
  bm_device_mem_t a = make_input(handle, 4096), b = make_buffer(handle, 4096);
  for (int i = 0; i < 3; ++i) {
    bm_thread_sync(handle);
    launch_add(handle, a, b, i);
  }
  bm_memcpy_d2s(handle, page, b);  // @read_last
  close_with(handle, a, b);
  return 0;
}

// The next input comes over the one that is being used.
// EXPECT TL-SYNC-010 error @over_input @meanwhile_load
HOST(next_input_at_once) {
  bm_handle_t handle = open_device(0);
  bm_device_mem_t a = make_input(handle, 4096), b = make_buffer(handle, 4096);
  launch_add(handle, a, b, 1);
  memset(page, 0, sizeof(page));
  bm_memcpy_s2d(handle, a, page);  // @over_input
  launch_add(handle, a, b, 2);
  bm_thread_sync(handle);
  show_result(handle, b, 4096);
  close_with(handle, a, b);
  return 0;
}

// Two inputs and two outputs in turn: while one launch runs the host fills the input of the next.
// SILENT
HOST(inputs_in_turn) {
  bm_handle_t handle = open_device(0);
  bm_device_mem_t in[2] = {make_input(handle, 4096), make_input(handle, 4096)};
  bm_device_mem_t out[2] = {make_buffer(handle, 4096), make_buffer(handle, 4096)};
  for (int i = 0; i < 5; ++i) {
    launch_add(handle, in[i % 2], out[i % 2], i);
    if (i > 0) show_result(handle, out[(i + 1) % 2], 4096);
    memset(page, i, sizeof(page));
    bm_memcpy_s2d(handle, in[(i + 1) % 2], page);
    bm_thread_sync(handle);
  }
  bm_free_device(handle, in[1]);
  bm_free_device(handle, out[1]);
  close_with(handle, in[0], out[0]);
  return 0;
}

// Halves of one buffer in turn.
// SILENT
HOST(halves_in_turn) {
  bm_handle_t handle = open_device(0);
  bm_device_mem_t in = make_input(handle, 4096), out = make_buffer(handle, 8192), half[2];
  for (unsigned i = 0; i < 2; ++i)
    half[i] = bm_mem_from_device(bm_mem_get_device_addr(out) + i * 4096, 4096);
  for (int i = 0; i < 4; ++i) {
    launch_add(handle, in, half[i % 2], i);
    if (i > 0) show_result(handle, half[(i + 1) % 2], 4096);
    bm_thread_sync(handle);
  }
  close_with(handle, in, out);
  return 0;
}

// A synchronous launch waits for those before it, and so do fills.
// SILENT
HOST(waits_by_other_means) {
  bm_handle_t handle = open_device(0);
  bm_device_mem_t a = make_input(handle, 4096), b = make_buffer(handle, 4096);
  args_t args = {bm_mem_get_device_addr(a), 0, bm_mem_get_device_addr(a), 1, 0};
  launch_add(handle, a, b, 1);
  launch_sync(handle, "add_meanwhile", &args, sizeof(args));
  show_result(handle, b, 4096);
  launch_add(handle, b, a, 2);
  bm_memset_device(handle, 0, b);
  show_result(handle, a, 4096);
  close_with(handle, a, b);
  return 0;
}

// The input is freed while the launch may still read it.
// EXPECT TL-SYNC-012 error @frees_input @meanwhile_load
HOST(input_freed_at_once) {
  bm_handle_t handle = open_device(0);
  bm_device_mem_t a = make_input(handle, 4096), b = make_buffer(handle, 4096);
  launch_add(handle, a, b, 1);
  bm_free_device(handle, a);  // @frees_input
  bm_thread_sync(handle);
  show_result(handle, b, 4096);
  bm_free_device(handle, b);
  bm_dev_free(handle);
  return 0;
}

// The output of the launch before the last is freed: that one nobody has waited for either.
// EXPECT TL-SYNC-012 error @frees_output @meanwhile_store
HOST(output_freed_between) {
  bm_handle_t handle = open_device(0);
  bm_device_mem_t a = make_input(handle, 4096), b = make_buffer(handle, 4096),
                  c = make_buffer(handle, 4096);
  launch_add(handle, a, b, 1);
  launch_add(handle, a, c, 2);
  bm_free_device(handle, b);  // @frees_output
  bm_thread_sync(handle);
  show_result(handle, c, 4096);
  close_with(handle, a, c);
  return 0;
}

// What no launch uses may be freed and asked for again at any time.
// SILENT
HOST(others_freed_meanwhile) {
  bm_handle_t handle = open_device(0);
  bm_device_mem_t a = make_input(handle, 4096), b = make_buffer(handle, 4096);
  for (int i = 0; i < 3; ++i) {
    bm_device_mem_t other = make_input(handle, 4096);
    launch_add(handle, a, b, i);
    bm_free_device(handle, other);
  }
  bm_thread_sync(handle);
  show_result(handle, b, 4096);
  close_with(handle, a, b);
  return 0;
}

// The second handle's launch reads what the first one's writes.
// EXPECT TL-SYNC-011 error @meanwhile_load @meanwhile_store @first_of_two
HOST(two_handles_in_a_row) {
  bm_handle_t first = open_device(0), second = open_device(0);
  bm_device_mem_t a = make_input(first, 4096), b = make_buffer(first, 4096),
                  c = make_buffer(first, 4096);
  launch_add(first, a, b, 1);  // @first_of_two
  launch_add(second, b, c, 2);
  bm_thread_sync(first);
  bm_thread_sync(second);
  show_result(second, c, 4096);
  bm_free_device(first, c);
  bm_dev_free(second);
  close_with(first, a, b);
  return 0;
}

// It writes over the first one's input, and is waited for at once.
// EXPECT TL-SYNC-011 error @meanwhile_store @meanwhile_load
HOST(two_handles_the_wrong_way_round) {
  bm_handle_t first = open_device(0), second = open_device(0);
  bm_device_mem_t a = make_input(first, 4096), b = make_buffer(first, 4096),
                  c = make_input(first, 4096);
  args_t args = {bm_mem_get_device_addr(c), 0, bm_mem_get_device_addr(a), 2, 0};
  launch_add(first, a, b, 1);
  launch_sync(second, "add_meanwhile", &args, sizeof(args));
  bm_thread_sync(first);
  show_result(second, a, 4096);
  bm_free_device(first, c);
  bm_dev_free(second);
  close_with(first, a, b);
  return 0;
}

// The host waits between the two, with the handle of the first.
// SILENT
HOST(two_handles_with_a_wait) {
  bm_handle_t first = open_device(0), second = open_device(0);
  bm_device_mem_t a = make_input(first, 4096), b = make_buffer(first, 4096);
  for (int i = 0; i < 4; ++i) {
    launch_add(i % 2 == 0 ? first : second, i % 2 == 0 ? a : b, i % 2 == 0 ? b : a, i);
    bm_thread_sync(i % 2 == 0 ? first : second);
  }
  launch_add(first, a, b, 4);
  bm_device_sync(second);
  launch_add(second, b, a, 5);
  bm_device_sync(first);
  show_result(first, a, 4096);
  bm_dev_free(second);
  close_with(first, a, b);
  return 0;
}

// Two handles share an input and have outputs of their own.
// SILENT
HOST(two_handles_side_by_side) {
  bm_handle_t first = open_device(0), second = open_device(0);
  bm_device_mem_t a = make_input(first, 4096), b = make_buffer(first, 4096),
                  c = make_buffer(second, 4096);
  launch_add(first, a, b, 1);
  launch_add(second, a, c, 2);
  bm_thread_sync(first);
  show_result(first, b, 4096);
  bm_thread_sync(second);
  show_result(second, c, 4096);
  bm_free_device(second, c);
  bm_dev_free(second);
  close_with(first, a, b);
  return 0;
}

// The wait is for the launches of another handle.
// EXPECT TL-SYNC-010 error @read_unawaited @meanwhile_store
HOST(waits_with_the_other_handle) {
  bm_handle_t first = open_device(0), second = open_device(0);
  bm_device_mem_t a = make_input(first, 4096), b = make_buffer(first, 4096);
  launch_add(first, a, b, 1);
  bm_thread_sync(second);
  bm_memcpy_d2s(second, page, b);  // @read_unawaited
  bm_thread_sync(first);
  bm_dev_free(second);
  close_with(first, a, b);
  return 0;
}
