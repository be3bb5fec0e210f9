// Arguments of the kernels, as the host passes them.
#ifndef TESTS_INSTALL_TPUKERNEL_SDK_KERNELS_H_
#define TESTS_INSTALL_TPUKERNEL_SDK_KERNELS_H_

#pragma pack(push, 1)
typedef struct {
  unsigned long long output, input, extra;
  int n, c, h, w;
} args_t;
#pragma pack(pop)

#endif  // TESTS_INSTALL_TPUKERNEL_SDK_KERNELS_H_
