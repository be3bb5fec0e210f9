// The processor's own reads and writes of device memory, beside commands and between them.
#include <string.h>

#include "fp32.h"

static const dim4 kAll = {1, 64, 16, 16};
static const dim4 kRow = {1, 64, 1, 16};

// The tensor is still being read when the processor writes over its first element.
// EXPECT TL-SYNC-006 error @early_write @slow_store
void writes_what_is_being_stored(const void* args) {
  const args_t* a = args;
  initialize();
  float* const first = local_pointer(0, 0);
  load(0, a->in, &kAll);
  poll();
  store(a->out, 0, &kAll);  // @slow_store
  *first = 5.0f;            // @early_write
  poll();
}
KERNEL(writes_what_is_being_stored)

// Another tensor of the same NPU, a few hundred bytes further up, is in flight.
// SILENT
void neighbours_in_flight(const void* args) {
  const args_t* a = args;
  initialize();
  float* const mine = local_pointer(0, 2048);
  load(0, a->in, &kAll);
  add_number(1024, 0, 1.0f, &kAll);
  mine[0] = 1.0f;
  for (int i = 1; i < 200; ++i) mine[i] = mine[i - 1] * 1.01f;
  const float last = mine[199];
  add_number(0, 1024, last, &kAll);
  store(a->out, 0, &kAll);
  poll();
}
KERNEL(neighbours_in_flight)

// The sum of a row that was never loaded.
// EXPECT TL-INIT-005 error @bare_read
// RUN out=4096
void adds_up_what_is_not_there(const void* args) {
  const args_t* a = args;
  float sum = 0;
  initialize();
  const volatile float* const row = local_pointer(0, 8192);
  for (int i = 0; i < 16; ++i) sum += row[i];  // @bare_read
  load(0, a->in, &kRow);
  add_number(0, 0, sum * 0.0f, &kRow);
  store(a->out, 0, &kRow);
  poll();
}
KERNEL(adds_up_what_is_not_there)

// Every NPU's maximum is read after the poll, and the largest of them used.
// SILENT
void over_all_npus(const void* args) {
  const args_t* a = args;
  float most = 0;
  initialize();
  load(0, a->in, &kAll);
  poll();
  for (int npu = 0; npu < 64; ++npu) {
    const float value = *local_pointer(npu, 4 * npu);
    most = value > most ? value : most;
  }
  add_number(0, 0, most, &kAll);
  store(a->out, 0, &kAll);
  poll();
}
KERNEL(over_all_npus)

// A row filled by memset and memcpy, and read back so.
// SILENT
// RUN in=0 out=4096
void filled_by_the_c_library(const void* args) {
  const args_t* a = args;
  const float pattern[4] = {1.0f, 2.0f, 3.0f, 4.0f};
  float back[16];
  initialize();
  for (int npu = 0; npu < 64; ++npu) {
    memset(local_pointer(npu, 0), 0, 64);
    memcpy(local_pointer(npu, 16), pattern, sizeof(pattern));
  }
  add_number(0, 0, 1.0f, &kRow);
  poll();
  memcpy(back, local_pointer(3, 0), 64);
  add_number(0, 0, back[5], &kRow);
  store(a->out, 0, &kRow);
  poll();
}
KERNEL(filled_by_the_c_library)

// It takes turns with the engines: reads, corrects, goes on, 20 times.
// SILENT
void takes_turns(const void* args) {
  const args_t* a = args;
  initialize();
  load(0, a->in, &kAll);
  poll();
  for (int i = 0; i < 20; ++i) {
    float* const at = local_pointer(i, 16 * i);
    *at = *at > 3.0f ? 0.0f : *at + 1.0f;
    add_number(0, 0, 1.0f, &kAll);
    poll();
  }
  store(a->out, 0, &kAll);
  poll();
}
KERNEL(takes_turns)

// Half a row is written by the processor, all of it used.
// EXPECT TL-INIT-001 error @half_used
// RUN in=0 out=64
void half_a_row_by_hand(const void* args) {
  const args_t* a = args;
  const dim4 one = {1, 1, 1, 16};
  initialize();
  float* const row = local_pointer(0, 0);
  for (int i = 0; i < 8; ++i) row[i] = (float)i;
  add_number(4096, 0, 1.0f, &one);  // @half_used
  store(a->out, 4096, &one);
  poll();
}
KERNEL(half_a_row_by_hand)
