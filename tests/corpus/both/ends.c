// Kernels that do not return, and what was wrong before; kernels whose faults lie in helpers.
#include <stdlib.h>
#include <unistd.h>

#include "fp32.h"

static const dim4 kAll = {1, 64, 16, 16};
static volatile int zero = 0;
static int* volatile nowhere = (int*)16;

// Overlapping operands, as something to be found beside the end.
static void mistake(void) {
  add_number(512, 0, 1.0f, &kAll);  // @mistake
}

// EXPECT TL-ARGS-002 error @mistake
// EXPECT TL-LAUNCH-002 error @null_pointer
// FAULTS 2
void crashes(const void* args) {
  (void)args;
  initialize();
  mistake();
  *nowhere = 1;  // @null_pointer
}
KERNEL(crashes)

// In the middle of a region: what is in flight does not matter any more.
// EXPECT TL-LAUNCH-002 error @divides
// MAY TL-SYNC-004 error
void crashes_in_a_region(const void* args) {
  const args_t* a = args;
  initialize();
  parallel_start();
  load(0, a->in, &kAll);
  zero = a->n / zero;  // @divides
  parallel_end();
  poll();
}
KERNEL(crashes_in_a_region)

static int deeper(int depth) {
  volatile char frame[2000];
  frame[depth % 2000] = 1;
  return depth < 0 ? 0 : deeper(depth + 1) + frame[0];
}
// EXPECT TL-ARGS-002 error @mistake
// EXPECT TL-LAUNCH-002 error
// FAULTS 2
void never_returns(const void* args) {
  (void)args;
  initialize();
  mistake();
  zero = deeper(0) * 0;
}
KERNEL(never_returns)

// EXPECT TL-ARGS-002 error @mistake
// EXPECT TL-LAUNCH-004 error
// FAULTS 2
// OPTIONS --timeout 1
void runs_forever(const void* args) {
  (void)args;
  initialize();
  mistake();
  while (zero == 0) continue;
}
KERNEL(runs_forever)

// EXPECT TL-ARGS-002 error @mistake
// EXPECT TL-LAUNCH-003 error @exits
// FAULTS 2
// EXIT 7
void calls_exit(const void* args) {
  (void)args;
  initialize();
  mistake();
  exit(7);  // @exits
}
KERNEL(calls_exit)

// EXPECT TL-LAUNCH-003 error @exits_at_once
// EXIT 3
void calls__exit(const void* args) {
  (void)args;
  initialize();
  _exit(0);  // @exits_at_once
}
KERNEL(calls__exit)

// EXPECT TL-LAUNCH-002 error @aborts
void aborts(const void* args) {
  (void)args;
  initialize();
  abort();  // @aborts
}
KERNEL(aborts)

// An out-of-bounds index of an array on the stack, caught by the kernel's own check.
// SILENT
// RUN fill=1 n=70
void gives_up(const void* args) {
  const args_t* a = args;
  const float scales[3] = {1.0f, 2.0f, 3.0f};
  initialize();
  if (a->n >= 3) {
    poll();
    return;
  }
  load(0, a->in, &kAll);
  add_number(0, 0, scales[a->n], &kAll);
  store(a->out, 0, &kAll);
  poll();
}
KERNEL(gives_up)

// A helper that is inlined, called from two places; one of them is wrong.
static inline __attribute__((always_inline)) void step(const args_t* a, unsigned at) {
  load(at, a->in, &kAll);            // @step_load
  add_number(4096, 0, 1.0f, &kAll);  // @step_add
}
// EXPECT TL-RACE-001 error @step_load @step_add
// MAY TL-INIT-001 error @step_add
void inlined_helper(const void* args) {
  const args_t* a = args;
  initialize();
  step(a, 0);
  parallel_start();
  step(a, 0);
  parallel_end();
  store(a->out, 4096, &kAll);
  poll();
}
KERNEL(inlined_helper)

// A helper that is called, and whose last act is a command.
static __attribute__((noinline)) void store_result(const args_t* a, unsigned from) {
  store(a->out, from, &kAll);  // @helper_store
}
static __attribute__((noinline)) void add_and_store(const args_t* a) {
  load(0, a->in, &kAll);
  add_number(4096, 0, 1.0f, &kAll);
  store_result(a, 4096);
}
// EXPECT TL-SYNC-005 error @helper_store
void helper_without_poll(const void* args) {
  initialize();
  add_and_store(args);
}
KERNEL(helper_without_poll)

// SILENT
void helper_then_poll(const void* args) {
  initialize();
  add_and_store(args);
  poll();
}
KERNEL(helper_then_poll)

// Chosen by a pointer to a function.
// EXPECT TL-COVERAGE-001 error
void by_a_pointer(const void* args) {
  const args_t* a = args;
  const dim4 most = {1, 63, 16, 16};
  void (*volatile act)(const args_t*) = add_and_store;
  initialize();
  if (a->n == 5) {
    load(0, a->in, &most);
    store(a->out, 0, &most);
  } else {
    act(a);
  }
  poll();
}
KERNEL(by_a_pointer)

// Launched several times: only the third of five is wrong.
// EXPECT TL-MEMORY-002 error @third
// RUN launches=5
void third_of_five(const void* args) {
  const args_t* a = args;
  initialize();
  load(0, a->in + (a->launch == 2 ? 64 : 0), &kAll);  // @third
  add_number(4096, 0, 1.0f, &kAll);
  store(a->out, 4096, &kAll);
  poll();
}
KERNEL(third_of_five)

// Local memory as a scratchpad shared by turns: each launch fills what it uses, and no more.
// SILENT
// RUN launches=4
void scratch_by_turns(const void* args) {
  const args_t* a = args;
  const dim4 part = {1, 64, 4, 16};
  initialize();
  load(a->launch % 2 * 8192, a->in + a->launch * 16384, &part);
  add_number(a->launch % 2 * 8192, a->launch % 2 * 8192, 1.0f, &part);
  store(a->out + a->launch * 16384, a->launch % 2 * 8192, &part);
  poll();
}
KERNEL(scratch_by_turns)
