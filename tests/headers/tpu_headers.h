// What a TPUKernel program does with the headers; included after them, in either order.
#ifndef TESTS_TPU_HEADERS_H_
#define TESTS_TPU_HEADERS_H_

static int uses_everything(const void* args) {
  const dim4 shape = {1, 64, 1, 16};
  scalar_t one;
  one.u32 = FP_ONE(DT_FP32);
  (void)args;
  tpu_initialize();
  TPUKERNEL_ASSERT(NPU_NUM == 64);
  TPUKERNEL_ASSERT_INFO(EU_NUM == 16, "EU_NUM is %d\n", EU_NUM);
  TPUKERNEL_LOG("%d\n", ALIGN(17, 16) + DIV_UP(17, 16) + MIN(1, 2) + MAX(1, 2));
  tpu_bdc_set_C(0, one, &shape, NULL, DT_FP32);
  tpu_poll();
  return 0;
}
TPUKERNEL_FUNC_REGISTER(uses_everything)

bm_status_t launches(bm_handle_t handle);
bm_status_t launches(bm_handle_t handle) {
  return tpu_kernel_launch_sync(handle, "uses_everything", NULL, 0);
}

#endif
