// What kernels and hosts of the corpus share: the arguments of a launch, and hosts of their own.
//
// A case is a kernel, or a host written HOST(name) { ... }, under comments that say what the
// checker has to find:
//
//   // EXPECT TL-RACE-001 error @load @add
//                            one line per finding; its lines carry marks: // @load, // @add
//   // MAY TL-INIT-001 error @add
//                            what follows from it, in some of the orders
//   // FAULTS 2              how many faults there are, where it is not one: so many findings may
//                            have a cause of their own
//   // FINDINGS 2            how many, where a fault gives more than one
//   // SILENT                no error, no warning, the same result in every order
//   // RUN in=4096 out=64    how the shared host launches the kernel (host.c)
//   // OPTIONS --timeout 1   more options of `tensorlane run`
//   // EXIT 7                the exit status, where it is not 3 for errors, else 0
#ifndef CORPUS_H_
#define CORPUS_H_

#include "bmlib_runtime.h"

#ifdef BACKEND_1684X
#include "tpu_kernel.h"
#define launch_sync tpu_kernel_launch_sync
#define KERNEL TPUKERNEL_FUNC_REGISTER
#else
#include "okk.h"
#define launch_sync okkernel_launch_sync
#define KERNEL OKKERNEL_FUNC_REGISTER
#endif

// Buffers of the launch, and two numbers: n from RUN, and how many launches came before.
typedef struct {
  unsigned long long in, in2, out;
  int n, launch;
} __attribute__((packed)) args_t;

typedef int (*host_t)(void);
void add_host(const char* name, host_t host);

#define HOST(name)                                                 \
  static int host_##name(void);                                    \
  static __attribute__((constructor)) void add_host_##name(void) { \
    add_host(#name, host_##name);                                  \
  }                                                                \
  static int host_##name(void)

// Opens device `id`, or ends the program.
bm_handle_t open_device(int id);

// Allocates `bytes`; `make_input` fills them with 0, 1 .. 6, 0, 1 .. as fp32 too.
bm_device_mem_t make_buffer(bm_handle_t handle, unsigned bytes);
bm_device_mem_t make_input(bm_handle_t handle, unsigned bytes);

// Reads `bytes` from the start of a buffer and prints their checksum.
void show_result(bm_handle_t handle, bm_device_mem_t buffer, unsigned bytes);

#endif  // CORPUS_H_
