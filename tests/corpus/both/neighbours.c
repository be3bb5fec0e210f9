// Buffers side by side: what reaches from one into the next, and what only looks like it.
#include <stdio.h>
#include <string.h>

#include "fp32.h"

enum { kTile = 4096 };
static const dim4 kTileShape = {1, 64, 1, 16};

// Tiles from `launch` on of the input; the output from its beginning.
void tiles_from(const void* args) {
  const args_t* a = args;
  initialize();
  for (int k = 0; k < a->n; ++k) {
    load(0, a->in + (unsigned long long)((k + a->launch) * kTile), &kTileShape);  // @from_load
    add_number(1024, 0, 1.0f, &kTileShape);
    store(a->out + (unsigned long long)(k * kTile), 1024, &kTileShape);
  }
  poll();
}
KERNEL(tiles_from)

// The input from its beginning, tiles from `launch` on of the output.
void tiles_to(const void* args) {
  const args_t* a = args;
  initialize();
  for (int k = 0; k < a->n; ++k) {
    load(0, a->in + (unsigned long long)(k * kTile), &kTileShape);
    add_number(1024, 0, 1.0f, &kTileShape);
    store(a->out + (unsigned long long)((k + a->launch) * kTile), 1024, &kTileShape);  // @to_store
  }
  poll();
}
KERNEL(tiles_to)

static void run_tiles(bm_handle_t handle, const char* kernel, bm_device_mem_t in,
                      bm_device_mem_t out, int tiles, int first) {
  const args_t args = {bm_mem_get_device_addr(in), 0, bm_mem_get_device_addr(out), tiles, first};
  launch_sync(handle, kernel, &args, sizeof(args));
}

static void close_three(bm_handle_t handle, bm_device_mem_t a, bm_device_mem_t b,
                        bm_device_mem_t c) {
  bm_free_device(handle, a);
  bm_free_device(handle, b);
  bm_free_device(handle, c);
  bm_dev_free(handle);
}

// All tiles of the input are one too far: the last is the first of the next buffer.
// EXPECT TL-MEMORY-008 error @from_load
HOST(tile_too_far_read) {
  bm_handle_t handle = open_device(0);
  bm_device_mem_t in = make_input(handle, 2 * kTile), out = make_buffer(handle, 2 * kTile),
                  third = make_input(handle, 2 * kTile);
  run_tiles(handle, "tiles_from", in, out, 2, 1);
  show_result(handle, third, 2 * kTile);
  close_three(handle, in, out, third);
  return 0;
}

// One tile of the output too many.
// EXPECT TL-MEMORY-008 error @to_store
HOST(tile_too_many_written) {
  bm_handle_t handle = open_device(0);
  bm_device_mem_t in = make_input(handle, 3 * kTile), out = make_buffer(handle, 2 * kTile),
                  third = make_input(handle, 2 * kTile);
  run_tiles(handle, "tiles_to", in, out, 3, 0);
  show_result(handle, third, 2 * kTile);
  close_three(handle, in, out, third);
  return 0;
}

// A whole tile lies between the buffer and what is read.
// EXPECT TL-MEMORY-008 error @from_load
HOST(two_tiles_too_far) {
  bm_handle_t handle = open_device(0);
  bm_device_mem_t in = make_input(handle, 4 * kTile), out = make_buffer(handle, kTile),
                  third = make_input(handle, 4 * kTile);
  run_tiles(handle, "tiles_from", in, out, 1, 5);
  show_result(handle, third, kTile);
  close_three(handle, in, out, third);
  return 0;
}

// The output begins a tile too early, in what lies before it.
// EXPECT TL-MEMORY-008 error @to_store
HOST(tile_too_early) {
  bm_handle_t handle = open_device(0);
  bm_device_mem_t in = make_input(handle, 2 * kTile), out = make_buffer(handle, 2 * kTile),
                  third = make_input(handle, kTile);
  run_tiles(handle, "tiles_to", in, out, 2, -1);
  show_result(handle, third, kTile);
  close_three(handle, in, out, third);
  return 0;
}

// Buffers that follow each other, each used to its last byte.
// SILENT
HOST(neighbours_to_the_last_byte) {
  bm_handle_t handle = open_device(0);
  bm_device_mem_t in = make_input(handle, 4 * kTile), out = make_buffer(handle, 4 * kTile),
                  third = make_buffer(handle, 4 * kTile);
  run_tiles(handle, "tiles_from", in, out, 4, 0);
  run_tiles(handle, "tiles_to", out, third, 4, 0);
  show_result(handle, third, 4 * kTile);
  close_three(handle, in, out, third);
  return 0;
}

// Parts of one allocation: a part too far is the next part, as it is meant.
// SILENT
HOST(pool_in_parts) {
  bm_handle_t handle = open_device(0);
  bm_device_mem_t pool = make_input(handle, 6 * kTile), out = make_buffer(handle, 2 * kTile),
                  none = make_buffer(handle, 0);
  const bm_device_mem_t part = bm_mem_from_device(bm_mem_get_device_addr(pool) + kTile, kTile);
  run_tiles(handle, "tiles_from", part, out, 2, 3);
  run_tiles(handle, "tiles_from", part, out, 1, -1);
  show_result(handle, out, 2 * kTile);
  close_three(handle, pool, out, none);
  return 0;
}

// A host that uses two buffers as one where they happen to follow each other.
// SILENT
HOST(as_one_if_they_are) {
  bm_handle_t handle = open_device(0);
  bm_device_mem_t first = make_input(handle, kTile), second = make_input(handle, kTile),
                  out = make_buffer(handle, 2 * kTile), half = out;
  if (bm_mem_get_device_addr(second) == bm_mem_get_device_addr(first) + kTile) {
    run_tiles(handle, "tiles_from", first, out, 2, 0);
  } else {
    bm_mem_set_device_addr(&half, bm_mem_get_device_addr(out) + kTile);
    run_tiles(handle, "tiles_from", first, out, 1, 0);
    run_tiles(handle, "tiles_from", second, half, 1, 0);
  }
  show_result(handle, out, 2 * kTile);
  close_three(handle, first, second, out);
  return 0;
}

// As much as there is, in large pieces; the last is used to its end.
// SILENT
HOST(all_of_the_memory) {
  enum { kMost = 64 };
  const unsigned piece = 1u << 28;
  bm_handle_t handle = open_device(0);
  bm_device_mem_t pieces[kMost];
  bm_dev_stat_t stat;
  int count = 0;
  bm_device_mem_t in = make_input(handle, kTile);
  while (count < kMost && bm_malloc_device_byte(handle, &pieces[count], piece) == BM_SUCCESS)
    ++count;
  bm_get_stat(handle, &stat);
  const bm_device_mem_t end =
      bm_mem_from_device(bm_mem_get_device_addr(pieces[count - 1]) + piece - kTile, kTile);
  run_tiles(handle, "tiles_from", in, end, 1, 0);
  show_result(handle, end, kTile);
  printf("%d pieces, %d MiB used\n", count, stat.mem_used);
  for (int k = 0; k < count; ++k) bm_free_device(handle, pieces[k]);
  bm_free_device(handle, in);
  bm_dev_free(handle);
  return 0;
}
