// many_hosts WAY THREADS ROUNDS: right programs whose hosts are threads. 0 where every number is
// the right one.
//
//   own     each thread opens the device, allocates, launches and frees
//   shared  one handle for all, each thread with buffers of its own
//   late    a handle each; launches are waited for after four of them, then their buffers are freed
//   passed  one thread fills buffers and hands them to another, which launches, reads and frees
//   early   as `late`, but an input is freed before it is waited for: the one that is not right
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bmlib_runtime.h"
#include "kernels.h"

enum {
  kRows = 3,
  kColumns = 5,
  kChannels = 70,
  kNumbers = kChannels * kRows * kColumns,
  kLate = 4
};
enum { kBytes = kNumbers * sizeof(float) };

#ifdef BACKEND_1684X
#define launch_sync tpu_kernel_launch_sync
#define wait_for_all tpu_kernel_sync
static bm_status_t launch_late(bm_handle_t handle, const threads_args* args) {
  const int core = 0;
  return tpu_kernel_launch_async_multi_cores(handle, "doubled", args, sizeof(*args), &core, 1);
}
#else
#define launch_sync okkernel_launch_sync
#define wait_for_all okkernel_sync
static bm_status_t launch_late(bm_handle_t handle, const threads_args* args) {
  return okkernel_launch_async(handle, "doubled", args, sizeof(*args));
}
#endif

static atomic_int wrong;
static int rounds, early;

typedef struct {
  bm_device_mem_t input, output;
  float first;  // the input counts on from here
} buffers;

typedef struct {
  pthread_t thread;
  int number;
  bm_handle_t handle;  // of `shared` and `passed`
} worker;

static void need(int holds) {
  if (!holds) atomic_fetch_add(&wrong, 1);
}

static buffers filled(bm_handle_t handle, float first) {
  float numbers[kNumbers];
  buffers made = {.first = first};
  for (int k = 0; k < kNumbers; ++k) numbers[k] = first + (float)k;
  need(bm_malloc_device_byte(handle, &made.input, kBytes) == BM_SUCCESS);
  need(bm_malloc_device_byte(handle, &made.output, kBytes) == BM_SUCCESS);
  need(bm_memcpy_s2d(handle, made.input, numbers) == BM_SUCCESS);
  return made;
}

static threads_args arguments(const buffers* of) {
  return (threads_args){bm_mem_get_device_addr(of->input), bm_mem_get_device_addr(of->output),
                        kChannels, kRows, kColumns};
}

static void looked_at_and_freed(bm_handle_t handle, const buffers* of) {
  float numbers[kNumbers];
  need(bm_memcpy_d2s(handle, numbers, of->output) == BM_SUCCESS);
  for (int k = 0; k < kNumbers; ++k) need(numbers[k] == 2 * (of->first + (float)k));
  bm_free_device(handle, of->input);
  bm_free_device(handle, of->output);
}

static void once(bm_handle_t handle, const buffers* of) {
  const threads_args args = arguments(of);
  need(launch_sync(handle, "doubled", &args, sizeof(args)) == BM_SUCCESS);
  looked_at_and_freed(handle, of);
}

static void* work(void* given) {
  const worker* me = given;
  bm_handle_t handle = me->handle;
  if (handle == NULL) need(bm_dev_request(&handle, 0) == BM_SUCCESS);
  for (int round = 0; round < rounds; ++round) {
    const buffers mine = filled(handle, (float)(me->number * 1000 + round));
    once(handle, &mine);
  }
  if (me->handle == NULL) bm_dev_free(handle);
  return NULL;
}

static void* work_late(void* given) {
  const worker* me = given;
  bm_handle_t handle;
  need(bm_dev_request(&handle, 0) == BM_SUCCESS);
  for (int round = 0; round < rounds; round += kLate) {
    buffers mine[kLate];
    for (int k = 0; k < kLate; ++k) {
      mine[k] = filled(handle, (float)(me->number * 1000 + round + k));
      const threads_args args = arguments(&mine[k]);
      need(launch_late(handle, &args) == BM_SUCCESS);
    }
    if (early) bm_free_device(handle, mine[kLate - 1].input);
    need(wait_for_all(handle) == BM_SUCCESS);
    if (early) break;
    for (int k = 0; k < kLate; ++k) looked_at_and_freed(handle, &mine[k]);
  }
  bm_dev_free(handle);
  return NULL;
}

// What one thread hands to another: one place each, filled while `full`.
typedef struct {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int full;
  buffers held;
} mailbox;
static mailbox mail = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, {.first = 0}};

static void wait_until(int full) {
  pthread_mutex_lock(&mail.lock);
  while (mail.full != full) pthread_cond_wait(&mail.changed, &mail.lock);
}

static void changed(int full) {
  mail.full = full;
  pthread_cond_broadcast(&mail.changed);
  pthread_mutex_unlock(&mail.lock);
}

// Threads of even number fill, the next one launches.
static void* work_passed(void* given) {
  const worker* me = given;
  for (int round = 0; round < rounds; ++round) {
    if (me->number % 2 == 0) {
      const buffers made = filled(me->handle, (float)(me->number * 1000 + round));
      wait_until(0);
      mail.held = made;
      changed(1);
    } else {
      wait_until(1);
      const buffers taken = mail.held;
      changed(0);
      once(me->handle, &taken);
    }
  }
  return NULL;
}

int main(int count, char** words) {
  if (count < 4) return 1;
  const char* way = words[1];
  const int threads = atoi(words[2]) & ~1;
  rounds = atoi(words[3]);
  void* (*body)(void*) = work;
  early = strcmp(way, "early") == 0;
  if (early || strcmp(way, "late") == 0) body = work_late;
  if (strcmp(way, "passed") == 0) body = work_passed;
  bm_handle_t shared = NULL;
  if (strcmp(way, "shared") == 0 || strcmp(way, "passed") == 0)
    need(bm_dev_request(&shared, 0) == BM_SUCCESS);
  worker* workers = calloc((size_t)threads, sizeof(worker));
  for (int k = 0; k < threads; ++k) {
    workers[k].number = k;
    workers[k].handle = shared;
    pthread_create(&workers[k].thread, NULL, body, &workers[k]);
  }
  for (int k = 0; k < threads; ++k) pthread_join(workers[k].thread, NULL);
  if (shared != NULL) bm_dev_free(shared);
  free(workers);
  printf("%d wrong\n", atomic_load(&wrong));
  return atomic_load(&wrong) > 0;
}
