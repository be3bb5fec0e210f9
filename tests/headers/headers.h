// Uses every kind of thing that okk.h and bmlib_runtime.h define, in the common subset of C and
// C++. The files of this folder include the two headers in both orders and then this one; they are
// built as C99, C11, C17 and C++11 to C++20 with every warning an error (see CMakeLists.txt).
#ifndef TESTS_HEADERS_HEADERS_H_
#define TESTS_HEADERS_HEADERS_H_

#include "tensorlane_debug.h"

#ifdef __cplusplus
#define CHECK_AT_COMPILE_TIME(condition) static_assert(condition, #condition)
#elif __STDC_VERSION__ >= 201112L
#define CHECK_AT_COMPILE_TIME(condition) _Static_assert(condition, #condition)
#else
#define CHECK_AT_COMPILE_TIME(condition) extern char checked[(condition) ? 1 : -1]
#endif

CHECK_AT_COMPILE_TIME(sizeof(bm_device_mem_t) == 24);
CHECK_AT_COMPILE_TIME(sizeof(dim4) == 16 && sizeof(Padding) == 16 && sizeof(x32) == 4);
CHECK_AT_COMPILE_TIME(S8_OP_S8_TO_S8 == 31 && U8_OP_S8_TO_S16 == 21 && U16_OP_U16_TO_U16 == 0);
CHECK_AT_COMPILE_TIME(S16_MUL_S8_TO_S16 == 7 && U16_MUL_S8_TO_S16 == 6);
CHECK_AT_COMPILE_TIME(BM_NOT_SUPPORTED == 9 && BM_MEM_TYPE_INVALID == 4 && MODULE_END == 5);

static int expression_with_assert(int x) {
  return x > 0 ? x : (OKKERNEL_ASSERT(x != 0), -x);
}

static void kernel_without_semicolon(const void* args) {
  OKKERNEL_LOG("no arguments\n");
  OKKERNEL_LOG("%d\n", expression_with_assert(args == 0));
}
OKKERNEL_FUNC_REGISTER(kernel_without_semicolon)

static bm_status_t launch(bm_handle_t handle) {
  bm_device_mem_t memory = BM_MEM_NULL;
  BM_CHECK_RET(bm_malloc_device_byte(handle, &memory, 4));
  BM_CHECK_RET(bmkernel_load_firmware(handle, "tcm", "ddr"));
  return okkernel_launch_sync(handle, "kernel_without_semicolon", &memory, sizeof(memory));
}

static void say(bm_device_mem_t memory, const float* reference) {
  const tl_tensor tensor = tl_in_layout(tl_nchw("fp32", 1, 2, 3, 4), "continuous");
  tl_name(bm_mem_get_device_addr(memory), tensor, "output");
  tl_expect_of(memory, tensor, reference, NULL);
  tl_print_of(memory, tensor);
  tl_dump_of(memory, tensor, "output.npy");
}

int headers_main(bm_handle_t handle);
int headers_main(bm_handle_t handle) {
  const bm_device_mem_t none = BM_MEM_NULL;
  say(none, NULL);
  return launch(handle) == BM_SUCCESS ? 0 : 1;
}

#endif  // TESTS_HEADERS_HEADERS_H_
