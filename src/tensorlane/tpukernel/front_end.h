// TPUKernel as a front end; free of tpu_kernel.h, see device/front_end.h.
#ifndef TENSORLANE_TPUKERNEL_FRONT_END_H_
#define TENSORLANE_TPUKERNEL_FRONT_END_H_

#include "tensorlane/device/front_end.h"

namespace tensorlane::tpukernel {

const FrontEnd& front_end();

}  // namespace tensorlane::tpukernel

#endif  // TENSORLANE_TPUKERNEL_FRONT_END_H_
