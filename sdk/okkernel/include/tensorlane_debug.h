// What a host or a kernel says of its tensors to TensorLane: what they are called, what they should
// hold, that they are to be shown.
//
//   #include "tensorlane_debug.h"
//   tl_name(param->scratch_addr, tl_nchw("fp16", 1, 64, 16, 16), "scores");
//   tl_expect(output, tl_nchw("fp32", 1, 64, 16, 16), reference, "1e-5");
//   tl_print(work_addr, tl_in_layout(tl_nchw("fp32", 1, 64, 16, 16), "compact"));
//   tl_dump(work_addr, tl_nchw("fp32", 1, 64, 16, 16), "work.npy");
//
// Nothing here needs TensorLane: the one function behind it is looked up while the program runs,
// and where libbmlib.so is another, nothing happens. C libraries before 2.34 want -ldl.
//
//   address    of a local tensor as kernels write it (local_addr_t), or an address of the system
//              address map; in a host that of a bm_device_mem_t: bm_mem_get_device_addr(mem)
//   tensor     element type ("fp32", "fp16", "bf16", "int8", ...; `tensorlane layout describe
//   --help`
//              lists them), shape, layout. The layout is "aligned" in local memory and "continuous"
//              elsewhere unless tl_in_layout names another (`tensorlane layout list`).
//   reference  elements in the order n, c, h, w without gaps, of the tensor's type
//   tolerance  "1e-3" of the reference and of its largest magnitude, or some of "abs=X", "rel=X",
//              "ulp=N"; NULL: 1e-5 in fp32, two neighbours in 16-bit types, nothing in integers
//
// What a kernel says, it says at once: a command takes effect before the next call (with
// --dma=late copies of a parallel region do so at its end). What a host says waits for the launches
// before. In a host with several devices the *_of forms take the bm_device_mem_t itself, which
// knows its device; addresses alone are looked for on the first device that has them.
//
// Differences are findings, TL-EXPECT-001: `tensorlane run` and TENSORLANE_CHECK=all show them.
#ifndef TENSORLANE_DEBUG_H_
#define TENSORLANE_DEBUG_H_

#include <dlfcn.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  const char* dtype;
  int n, c, h, w;
  const char* layout; /* NULL: "aligned" or "continuous" */
} tl_tensor;

enum { TL_STATE_NAME, TL_STATE_EXPECT, TL_STATE_PRINT, TL_STATE_DUMP };

typedef struct {
  unsigned int kind;
  unsigned int device; /* reserved member of a bm_device_mem_t; 0: not known */
  unsigned long long address;
  tl_tensor tensor;
  const char* text; /* name, file or tolerance; may be NULL for the last */
  const void* reference;
} tl_statement;

/* What stands behind the macros. Call those instead: the program then runs without TensorLane. */
void tensorlane_state(const tl_statement* statement);

/* The library's release, "0.2.0". */
const char* tensorlane_version(void);

#ifdef __cplusplus
}
#endif

typedef void (*tl_state_function)(const tl_statement*);

/* tensorlane_state of the library that the program runs with; NULL where it has none. */
static inline tl_state_function tl_find_state(void) {
  static int looked = 0;
  static union {
    void* object;
    tl_state_function function;
  } found;
  if (!looked) {
    found.object = dlsym(NULL, "tensorlane_state");
    looked = 1;
  }
  return found.function;
}

static inline tl_tensor tl_nchw(const char* dtype, int n, int c, int h, int w) {
  tl_tensor tensor;
  tensor.dtype = dtype;
  tensor.n = n;
  tensor.c = c;
  tensor.h = h;
  tensor.w = w;
  tensor.layout = NULL;
  return tensor;
}
static inline tl_tensor tl_in_layout(tl_tensor tensor, const char* layout) {
  tensor.layout = layout;
  return tensor;
}
static inline tl_statement tl_make_statement(unsigned int kind, unsigned int device,
                                             unsigned long long address, tl_tensor tensor,
                                             const char* text, const void* reference) {
  tl_statement statement;
  statement.kind = kind;
  statement.device = device;
  statement.address = address;
  statement.tensor = tensor;
  statement.text = text;
  statement.reference = reference;
  return statement;
}

/* A macro, so that the call stands at the line of the program. */
#define TL_STATE(kind, device, address, tensor, text, reference)                                 \
  do {                                                                                           \
    const tl_state_function tl_function = tl_find_state();                                       \
    const tl_statement tl_said =                                                                 \
        tl_make_statement(kind, device, (unsigned long long)(address), tensor, text, reference); \
    if (tl_function != NULL) tl_function(&tl_said);                                              \
  } while (0)

#define tl_name(address, tensor, name) TL_STATE(TL_STATE_NAME, 0, address, tensor, name, NULL)
#define tl_expect(address, tensor, reference, tolerance) \
  TL_STATE(TL_STATE_EXPECT, 0, address, tensor, tolerance, reference)
#define tl_print(address, tensor) TL_STATE(TL_STATE_PRINT, 0, address, tensor, NULL, NULL)
#define tl_dump(address, tensor, file) TL_STATE(TL_STATE_DUMP, 0, address, tensor, file, NULL)

#define TL_STATE_OF(kind, mem, tensor, text, reference) \
  TL_STATE(kind, (mem).u.device.reserved, (mem).u.device.device_addr, tensor, text, reference)
#define tl_name_of(mem, tensor, name) TL_STATE_OF(TL_STATE_NAME, mem, tensor, name, NULL)
#define tl_expect_of(mem, tensor, reference, tolerance) \
  TL_STATE_OF(TL_STATE_EXPECT, mem, tensor, tolerance, reference)
#define tl_print_of(mem, tensor) TL_STATE_OF(TL_STATE_PRINT, mem, tensor, NULL, NULL)
#define tl_dump_of(mem, tensor, file) TL_STATE_OF(TL_STATE_DUMP, mem, tensor, file, NULL)

#endif /* TENSORLANE_DEBUG_H_ */
