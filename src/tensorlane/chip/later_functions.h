// Functions that TPUKernel has for the BM1690 and the SG2260E alone.
#ifndef TENSORLANE_CHIP_LATER_FUNCTIONS_H_
#define TENSORLANE_CHIP_LATER_FUNCTIONS_H_

#include <string_view>
#include <vector>

namespace tensorlane {

// Of the SDMA engine, copies that reduce, and 8-bit floats. The models of the BM1684X and of the
// BM1688 refuse the first [model], their headers have none of the second [doc], they have no such
// type [doc].
inline const std::vector<std::string_view>& functions_of_later_chips() {
  static const std::vector<std::string_view> names = {
      "tpu_sdma_cpy_S2S",
      "tpu_sdma_cpy_S2S_with_thread",
      "tpu_sdma_cpy_nc_trans_S2S",
      "tpu_sdma_cpy_cw_trans_S2S",
      "tpu_sdma_set_C_system",
      "tpu_sdma_system_cpy",
      "tpu_sdma_system_set",
      "tpu_sdma_h_gather_S2S",
      "tpu_sdma_h_scatter_S2S",
      "tpu_sdma_nonzero_S2S",
      "tpu_sdma_mask_select_S2S",
      "tpu_sdma_get_filter_num",
      "tpu_sdma_reverse_S2S",
      "tpu_sdma_cpy_reduce_S2L2",
      "tpu_sdma_cpy_reduce_L22L2",
      "tpu_gdma_cpy_reduce_L12L2",
      "tpu_gdma_cpy_reduce_S2L2",
      "tpu_gdma_cpy_reduce_L22L2",
      "tpu_gdma_cpy_reduce_S2S",
      "tpu_gdma_cpy_reduce_L2S",
      "tpu_bdc_fp8_mm",
      "tpu_bdc_fp8_mm_R_trans",
      "tpu_bdc_fp8_mm_all_trans",
      "tpu_bdc_fp8_add_C",
      "tpu_bdc_fp8_C_sub",
      "tpu_bdc_fp8_mul_C",
  };
  return names;
}

}  // namespace tensorlane

#endif  // TENSORLANE_CHIP_LATER_FUNCTIONS_H_
