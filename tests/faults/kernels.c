// Kernels that end in every way there is. Each first breaks a rule, so that a finding is on record
// when the end comes. Compiled for both systems; @NAME marks the line where kernel NAME ends.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef BACKEND_1684X
#include "tpu_kernel.h"
#define initialize tpu_initialize
#define poll tpu_poll
#define parallel_start tpu_parallel_start
#define parallel_end tpu_parallel_end
#define add_scalar(dst, src, shape) \
  tpu_bdc_fp_add_C(dst, src, (scalar_t){.f32 = 1.0f}, shape, NULL, NULL, DT_FP32)
#define REGISTER TPUKERNEL_FUNC_REGISTER
#else
#include "okk.h"
#define initialize okk_initialize
#define poll okk_poll
#define parallel_start okk_parallel_start
#define parallel_end okk_parallel_end
#define add_scalar(dst, src, shape) okk_bdc_add_C(dst, src, 1.0f, shape, NULL, NULL)
#define REGISTER OKKERNEL_FUNC_REGISTER
#endif

static const dim4 kShape = {1, 64, 1, 64};  // 256 bytes in each NPU
static volatile int zero = 0;
static int* volatile nowhere = (int*)8;

// The finding on record: source and destination overlap. Its command is the last of the launch.
void break_a_rule(void) {
  initialize();
  add_scalar(128, 0, &kShape);  // @rule
}

// The test interrupts it now.
static void say_ready(void) {
  if (write(STDOUT_FILENO, "ready\n", 6) < 0) abort();
}

void good(const void* args) {
  (void)args;
  initialize();
  poll();
}
REGISTER(good)

void null_write(const void* args) {
  (void)args;
  break_a_rule();
  *nowhere = 1;  // @null_write
}
REGISTER(null_write)

static int read_from(const int* pointer) {
  return *pointer;  // @null_read
}
void null_read(const void* args) {
  (void)args;
  break_a_rule();
  zero = read_from(nowhere);  // @null_read_caller
}
REGISTER(null_read)

void null_call(const void* args) {
  (void)args;
  void (*volatile function)(void) = NULL;
  break_a_rule();
  function();  // @null_call
}
REGISTER(null_call)

void past_the_file(const void* args) {
  (void)args;
  break_a_rule();
  FILE* const file = tmpfile();
  char* const bytes = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fileno(file), 0);
  zero = bytes[0];  // @past_the_file
}
REGISTER(past_the_file)

void division(const void* args) {
  (void)args;
  break_a_rule();
  zero = 7 / zero;  // @division
}
REGISTER(division)

void trap(const void* args) {
  (void)args;
  break_a_rule();
  __builtin_trap();  // @trap
}
REGISTER(trap)

void calls_abort(const void* args) {
  (void)args;
  break_a_rule();
  abort();  // @calls_abort
}
REGISTER(calls_abort)

void asserts(const void* args) {
  (void)args;
  break_a_rule();
  assert(zero == 1);  // @asserts
}
REGISTER(asserts)

static int deeper(int depth) {
  volatile char frame[1000];
  frame[depth % 1000] = 1;
  return depth < 0 ? 0 : deeper(depth + 1) + frame[0];  // @overflow
}
void overflow(const void* args) {
  (void)args;
  break_a_rule();
  zero = deeper(0);
}
REGISTER(overflow)

void null_copy(const void* args) {
  (void)args;
  char bytes[64];
  break_a_rule();
  memcpy(bytes, nowhere, 16 + zero);  // @null_copy
  zero = bytes[0];
}
REGISTER(null_copy)

void bad_descriptor(const void* args) {
  (void)args;
  break_a_rule();
  add_scalar(128, 0, (const dim4*)nowhere);  // @bad_descriptor
}
REGISTER(bad_descriptor)

// Inside of the C library, which may hold locks.
void bad_format(const void* args) {
  (void)args;
  char text[64];
  break_a_rule();
  snprintf(text, sizeof text, "%s", (const char*)nowhere);  // @bad_format
}
REGISTER(bad_format)

// Holds the lock of stdout meanwhile.
void bad_print(const void* args) {
  (void)args;
  break_a_rule();
  printf("%s", (const char*)nowhere);  // @bad_print
}
REGISTER(bad_print)

void wild_free(const void* args) {
  (void)args;
  break_a_rule();
  free((void*)nowhere);  // @wild_free
}
REGISTER(wild_free)

// In a function that may hold a lock.
void bad_name(const void* args) {
  (void)args;
  break_a_rule();
  putenv((char*)nowhere);  // @bad_name
}
REGISTER(bad_name)

void bad_free(const void* args) {
  (void)args;
  char* volatile block = malloc(64);
  break_a_rule();
  block += 16;
  free(block);  // @bad_free
}
REGISTER(bad_free)

void calls_exit(const void* args) {
  (void)args;
  break_a_rule();
  exit(7);  // @calls_exit
}
REGISTER(calls_exit)

void calls_exit_0(const void* args) {
  (void)args;
  break_a_rule();
  exit(0);  // @calls_exit_0
}
REGISTER(calls_exit_0)

void calls__exit(const void* args) {
  (void)args;
  break_a_rule();
  _exit(7);  // @calls__exit
}
REGISTER(calls__exit)

void calls_pthread_exit(const void* args) {  // @calls_pthread_exit
  (void)args;
  break_a_rule();
  pthread_exit(NULL);
}
REGISTER(calls_pthread_exit)

void loops(const void* args) {
  (void)args;
  break_a_rule();
  say_ready();
  while (zero == 0) continue;  // @loops
}
REGISTER(loops)

void sleeps(const void* args) {
  (void)args;
  break_a_rule();
  for (;;) sleep(100);  // @sleeps
}
REGISTER(sleeps)

void loops_over_commands(const void* args) {
  (void)args;
  break_a_rule();
  parallel_start();
  say_ready();
  for (;;) add_scalar(8192, 4096, &kShape);  // @loops_over_commands
}
REGISTER(loops_over_commands)

static pthread_mutex_t locked = PTHREAD_MUTEX_INITIALIZER;
void waits_for_itself(const void* args) {
  (void)args;
  break_a_rule();
  pthread_mutex_lock(&locked);
  pthread_mutex_lock(&locked);  // @waits_for_itself
}
REGISTER(waits_for_itself)

#ifndef WITHOUT_CLOSED
extern void closed_function(int value);
void calls_closed(const void* args) {
  (void)args;
  break_a_rule();
  closed_function(zero);  // @calls_closed
}
REGISTER(calls_closed)
#endif

#ifdef BACKEND_1684X
// The index comes from memory that holds 0x7f7f.
void gather(const void* args) {
  (void)args;
  const dim4 index = {1, 32, 1, 1};
  const dim4 result = {1, 64, 1, 32};
  const scalar_t far = {.u16 = 0x7f7f};
  break_a_rule();
  tpu_bdc_set_C(4096, far, &index, NULL, DT_UINT16);
  tpu_bdc_set_C(8192, (scalar_t){.f32 = 1.0f}, &result, NULL, DT_FP32);
  tpu_bdc_w_gather(16384, 8192, 4096, &result, 32, DT_FP32, DT_UINT16);  // @gather
}
REGISTER(gather)

void print_outside(const void* args) {
  (void)args;
  const dim4 shape = {4096, 64, 16, 16};
  break_a_rule();
  tpu_print_local_mem_data(0, 0, &shape, NULL, DT_FP32);  // @print_outside
}
REGISTER(print_outside)
#endif
