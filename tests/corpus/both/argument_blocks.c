// Argument blocks: too short, too long, packed and not.
#include <string.h>

#include "fp32.h"

static const dim4 kBlock = {1, 64, 1, 16};

typedef struct {
  unsigned long long in, out;
  float number;
} padded_t;  // 4 bytes of padding at the end

void add_padded(const void* args) {
  const padded_t p = *(const padded_t*)args;
  initialize();
  load(0, p.in, &kBlock);
  add_number(1024, 0, p.number, &kBlock);
  store(p.out, 1024, &kBlock);
  poll();
}
KERNEL(add_padded)

typedef struct {
  int rows;
  unsigned long long in, out;
} rows_t;

void add_rows(const void* args) {
  const rows_t* r = args;
  initialize();
  for (int k = 0; k < r->rows; ++k) {
    load(0, r->in + (unsigned long long)k * 4096, &kBlock);  // @rows_read
    add_number(1024, 0, 1.0f, &kBlock);
    store(r->out + (unsigned long long)k * 4096, 1024, &kBlock);
  }
  poll();
}
KERNEL(add_rows)

struct buffers {
  bm_handle_t handle;
  bm_device_mem_t in, out;
};
static struct buffers make_buffers(void) {
  struct buffers made;
  made.handle = open_device(0);
  made.in = make_input(made.handle, 4096);
  made.out = make_buffer(made.handle, 4096);
  return made;
}
static int end_with(struct buffers made, bool show) {
  if (show) show_result(made.handle, made.out, 4096);
  bm_free_device(made.handle, made.in);
  bm_free_device(made.handle, made.out);
  bm_dev_free(made.handle);
  return 0;
}

static void launch_by_pointer(bm_handle_t handle, const rows_t* rows) {
  launch_sync(handle, "add_rows", rows, sizeof(rows));  // @of_a_pointer
}
// EXPECT TL-ARGS-010 error @rows_read @of_a_pointer
// MAY TL-MEMORY-001 error
HOST(size_of_a_pointer) {
  struct buffers made = make_buffers();
  const rows_t rows = {1, bm_mem_get_device_addr(made.in), bm_mem_get_device_addr(made.out)};
  launch_by_pointer(made.handle, &rows);
  return end_with(made, false);
}

// The struct is copied whole, its padding too, which the host leaves out.
// SILENT
HOST(without_its_padding) {
  struct buffers made = make_buffers();
  const padded_t padded = {bm_mem_get_device_addr(made.in), bm_mem_get_device_addr(made.out), 2.0f};
  launch_sync(made.handle, "add_padded", &padded, 20);
  return end_with(made, true);
}

// The host knows of members that this kernel has no use for.
// SILENT
HOST(more_than_the_kernel_knows) {
  struct buffers made = make_buffers();
  const struct {
    unsigned long long in, out;
    float number;
    int version, flags[3];
  } extended = {bm_mem_get_device_addr(made.in), bm_mem_get_device_addr(made.out), 2.0f, 3, {0}};
  launch_sync(made.handle, "add_padded", &extended, sizeof(extended));
  return end_with(made, true);
}

// One block for all kernels.
// SILENT
HOST(union_of_all) {
  struct buffers made = make_buffers();
  union {
    padded_t padded;
    rows_t rows;
    char bytes[96];
  } all;
  memset(&all, 0, sizeof(all));
  all.padded.in = bm_mem_get_device_addr(made.in);
  all.padded.out = bm_mem_get_device_addr(made.out);
  launch_sync(made.handle, "add_padded", &all, sizeof(all));
  return end_with(made, true);
}

// Packed here, and not in the kernel: its rows are right, its addresses are not.
// EXPECT TL-ARGS-011 error @packed_launch
// MAY TL-ARGS-001 error
// MAY TL-MEMORY-001 error
// MAY TL-MEMORY-003 error
HOST(packed_on_one_side) {
  struct buffers made = make_buffers();
  const struct __attribute__((packed)) {
    int rows;
    unsigned long long in, out;
  } packed = {1, bm_mem_get_device_addr(made.in), bm_mem_get_device_addr(made.out)};
  launch_sync(made.handle, "add_rows", &packed, sizeof(packed));  // @packed_launch
  return end_with(made, false);
}

// A member was added in front, for the host alone.
// EXPECT TL-ARGS-011 error @member_launch
// MAY TL-MEMORY-001 error
// MAY TL-MEMORY-003 error
HOST(member_in_front) {
  struct buffers made = make_buffers();
  const struct {
    unsigned long long id;
    int rows;
    unsigned long long in, out;
  } longer = {0, 1, bm_mem_get_device_addr(made.in), bm_mem_get_device_addr(made.out)};
  launch_sync(made.handle, "add_rows", &longer, sizeof(longer));  // @member_launch
  return end_with(made, false);
}
