// Functions whose meaning no public source defines: calling one ends the launch and says so.
#include "tensorlane/tpukernel/families.h"

TL_TPU_OPS_FILE(undefined_functions);

namespace tensorlane::tpukernel {

constexpr std::string_view kRegionKernels =
    "no public definition; the model of 2024 refuses it in floating point, no public kernel calls "
    "it, and region pooling leaves the layout of its kernel open";

TL_TPU_OP(tpu_bdc_fp_roi_depthwise2d) = undefined("bdc-nn", Engine::kBdc, kRegionKernels);

TL_TPU_OP(tpu_bdc_int8_roi_depthwise2d) = undefined("bdc-nn", Engine::kBdc, kRegionKernels);

}  // namespace tensorlane::tpukernel
