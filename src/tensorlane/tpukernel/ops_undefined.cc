// Functions whose meaning no public source defines: calling one ends the launch and says so.
#include "tensorlane/tpukernel/families.h"

TL_TPU_OPS_FILE(undefined_functions);

using namespace tensorlane;
using namespace tensorlane::tpukernel;

constexpr std::string_view kRegionKernels =
    "no public definition; the model of 2024 refuses it in floating point, no public kernel calls "
    "it, and region pooling leaves the layout of its kernel open";

TL_TPU_OP(void, tpu_bdc_fp_roi_depthwise2d, (local_addr_t, output_addr), (local_addr_t, input_addr),
          (local_addr_t, weight_addr), (local_addr_t, roi_addr), (const dim4*, input_shape),
          (int, output_w), (const dim2*, kernel), (data_type_t, dtype),
          (scalar_t, except_val)) = undefined("bdc-nn", Engine::kBdc, kRegionKernels);

TL_TPU_OP(void, tpu_bdc_int8_roi_depthwise2d, (local_addr_t, output_addr),
          (local_addr_t, input_addr), (local_addr_t, weight_addr), (local_addr_t, roi_addr),
          (const dim4*, input_shape), (int, output_w), (const dim2*, kernel),
          (data_type_t, output_dtype), (data_type_t, input_dtype), (data_type_t, weight_dtype),
          (scalar_t, except_val)) = undefined("bdc-nn", Engine::kBdc, kRegionKernels);
