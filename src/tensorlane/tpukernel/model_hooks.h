// Functions of libbmlib.so that our tpu_kernel.h does not declare: other editions of the header do,
// and their macros call them.
#ifndef TENSORLANE_TPUKERNEL_MODEL_HOOKS_H_
#define TENSORLANE_TPUKERNEL_MODEL_HOOKS_H_

#ifdef __cplusplus
extern "C" {
#endif

int get_atomic_cmodel_assert_enable(void);
void print_trace(void);
// NOLINTNEXTLINE(bugprone-reserved-identifier): the vendor's name
void __print_trace(void);

#ifdef __cplusplus
}
#endif

#endif  // TENSORLANE_TPUKERNEL_MODEL_HOOKS_H_
