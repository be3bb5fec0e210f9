// Structs, orders and sizes of hosts; kernels that fail in their own code.
#include "fp32.h"

static const dim4 kCard = {1, 64, 1, 16};
static float cards[4096];
typedef struct {
  unsigned long long in, out;
  int rows;
  float scale;
} __attribute__((packed)) scaled_t;

void scaled(const void* args) {
  const scaled_t* s = args;
  initialize();
  for (int r = 0; r < s->rows; ++r) {
    load(0, s->in + (unsigned)r * 4096, &kCard);
    add_number(1024, 0, s->scale, &kCard);
    store(s->out + (unsigned)r * 4096, 1024, &kCard);  // @scaled_store
  }
  poll();
}
KERNEL(scaled)

// Two rows, two buffers, a struct of its own.
// SILENT
HOST(struct_of_its_own) {
  bm_handle_t h = open_device(0);
  bm_device_mem_t in = make_input(h, 8192), out = make_buffer(h, 8192);
  scaled_t s = {bm_mem_get_device_addr(in), bm_mem_get_device_addr(out), 2, 0.5f};
  launch_sync(h, "scaled", &s, sizeof s);
  show_result(h, out, 8192);
  bm_free_device(h, in);
  bm_free_device(h, out);
  bm_dev_free(h);
  return 0;
}

// Three rows where there are two, and nothing behind them.
// EXPECT TL-MEMORY-003 error @scaled_store
HOST(a_row_too_many) {
  bm_handle_t h = open_device(0);
  bm_device_mem_t in = make_input(h, 12288), out = make_buffer(h, 8192);
  scaled_t s = {bm_mem_get_device_addr(in), bm_mem_get_device_addr(out), 3, 0.5f};
  launch_sync(h, "scaled", &s, sizeof s);
  bm_free_device(h, in);
  bm_free_device(h, out);
  bm_dev_free(h);
  return 0;
}

// The result of one launch is the input of the next.
// SILENT
HOST(result_of_one_is_input_of_the_next) {
  bm_handle_t h = open_device(0);
  bm_device_mem_t a = make_input(h, 4096), b = make_buffer(h, 4096), c = make_buffer(h, 4096);
  scaled_t s = {bm_mem_get_device_addr(a), bm_mem_get_device_addr(b), 1, 0.5f};
  launch_sync(h, "scaled", &s, sizeof s);
  s.in = bm_mem_get_device_addr(b), s.out = bm_mem_get_device_addr(c);
  launch_sync(h, "scaled", &s, sizeof s);
  show_result(h, c, 4096);
  bm_free_device(h, a);
  bm_free_device(h, b);
  bm_free_device(h, c);
  bm_dev_free(h);
  return 0;
}

// The order is turned: the second is launched before its input is there.
// EXPECT TL-INIT-002 error
HOST(launched_in_the_wrong_order) {
  bm_handle_t h = open_device(0);
  bm_device_mem_t a = make_input(h, 4096), b = make_buffer(h, 4096), c = make_buffer(h, 4096);
  scaled_t s = {bm_mem_get_device_addr(b), bm_mem_get_device_addr(c), 1, 0.5f};
  launch_sync(h, "scaled", &s, sizeof s);
  s.in = bm_mem_get_device_addr(a), s.out = bm_mem_get_device_addr(b);
  launch_sync(h, "scaled", &s, sizeof s);
  show_result(h, c, 4096);
  bm_free_device(h, a);
  bm_free_device(h, b);
  bm_free_device(h, c);
  bm_dev_free(h);
  return 0;
}

// The host reads what it wrote, before any launch.
// SILENT
HOST(reads_its_own) {
  bm_handle_t h = open_device(0);
  bm_device_mem_t a = make_input(h, 4096);
  show_result(h, a, 4096);
  bm_free_device(h, a);
  bm_dev_free(h);
  return 0;
}

// And what nobody wrote.
// EXPECT TL-COVERAGE-001 error @reads_nothing
HOST(reads_what_nobody_wrote) {
  bm_handle_t h = open_device(0);
  bm_device_mem_t a = make_buffer(h, 4096);
  bm_memcpy_d2s(h, cards, a);  // @reads_nothing
  bm_free_device(h, a);
  bm_dev_free(h);
  return 0;
}

// An allocation of zero bytes, one of the rest, a device that is opened twice.
// SILENT
HOST(odd_sizes) {
  bm_handle_t h = open_device(0), g = open_device(0);
  bm_device_mem_t one, page = make_input(h, 4097);
  bm_malloc_device_byte(g, &one, 1);
  bm_memcpy_s2d(g, one, cards);
  bm_memcpy_d2s(h, cards, one);
  show_result(g, page, 4097);
  bm_free_device(h, one);
  bm_free_device(g, page);
  bm_dev_free(g);
  bm_dev_free(h);
  return 0;
}

// The size of the copy is that of the elements, not of the bytes: a quarter arrives.
// EXPECT TL-INIT-002 error
HOST(a_quarter_arrives) {
  bm_handle_t h = open_device(0);
  bm_device_mem_t in = make_buffer(h, 4096), out = make_buffer(h, 4096);
  bm_memcpy_s2d_partial(h, in, cards, 1024);
  scaled_t s = {bm_mem_get_device_addr(in), bm_mem_get_device_addr(out), 1, 0.5f};
  launch_sync(h, "scaled", &s, sizeof s);
  show_result(h, out, 4096);
  bm_free_device(h, in);
  bm_free_device(h, out);
  bm_dev_free(h);
  return 0;
}

// The device is closed with a buffer left: advice, no more.
// SILENT
HOST(forgets_a_buffer) {
  bm_handle_t h = open_device(0);
  bm_device_mem_t in = make_input(h, 4096);
  show_result(h, in, 4096);
  bm_dev_free(h);
  return 0;
}

// Recursion without an end: the launch fails, the next is fine.
// EXPECT TL-LAUNCH-002 error @deeper
static __attribute__((noinline)) int deeper(volatile int* n) {
  volatile char room[512];
  room[0] = (char)*n;
  ++*n;
  return *n < 0 ? 0 : deeper(n) + room[0];  // @deeper
}
void without_an_end(const void* args) {
  volatile int n = ((const args_t*)args)->n;
  initialize();
  add_number(0, 1024, (float)deeper(&n), &kCard);
  poll();
}
KERNEL(without_an_end)

// A null function pointer.
// EXPECT TL-LAUNCH-002 error @no_function
typedef void (*step_t)(void);
static step_t volatile no_step;
void calls_nothing(const void* args) {
  (void)args;
  initialize();
  no_step();  // @no_function
  poll();
}
KERNEL(calls_nothing)

// A division by a number that is 0 in this launch.
// EXPECT TL-LAUNCH-002 error @divides
// RUN n=0
void divides_by_n(const void* args) {
  const args_t* a = args;
  volatile int n = a->n;
  initialize();
  load(0, a->in, &kCard);
  add_number(1024, 0, (float)(1000 / n), &kCard);  // @divides
  store(a->out, 1024, &kCard);
  poll();
}
KERNEL(divides_by_n)
