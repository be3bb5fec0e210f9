// What other editions of tpu_kernel.h call when USING_CMODEL is defined.
//
// Their TPUKERNEL_ASSERT prints the condition, calls __print_trace (print_trace in older ones) and
// then ends the process with status 233 [observed in public headers]. Here a failed assertion ends
// the launch, so the trace does not come back to a kernel.
#include "tensorlane/tpukernel/model_hooks.h"

#include "tensorlane/device/call.h"
#include "tensorlane/device/kernel_runner.h"
#include "tensorlane/tpukernel/front_end.h"
#include "tpu_kernel.h"

namespace {

void end_launch(const void* call_site) {
  if (tensorlane::current_session() == nullptr) return;  // the host's own: it exits by itself
  tensorlane::assertion_failed("TPUKERNEL_ASSERT",
                               "TPUKERNEL_ASSERT failed; the kernel has printed the condition",
                               call_site, tensorlane::tpukernel::front_end());
}

}  // namespace

extern "C" {

int get_atomic_cmodel_assert_enable(void) {
  return 1;
}

void print_trace(void) {
  end_launch(__builtin_return_address(0));
}

void __print_trace(void) {
  end_launch(__builtin_return_address(0));
}

}  // extern "C"
