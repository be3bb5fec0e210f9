// GDMA, SDMA and the links between chips, as later chips have them: calling one ends the launch and
// says what it needs.
#include "tensorlane/tpukernel/families.h"

TL_TPU_OPS_FILE(later_dma);

using namespace tensorlane;
using namespace tensorlane::tpukernel;

namespace {

constexpr std::string_view kLinkBetweenChips = "a link between chips (SG2260)";
constexpr std::string_view kSdmaEnginePorts = "an SDMA engine with ports (SG2260E)";
constexpr std::string_view kGathersScattersStartPosition =
    "gathers and scatters with a start position (SG2260)";
constexpr std::string_view kCompressionGdma = "compression in the GDMA (BM1688)";
constexpr std::string_view kLossyCompressionGdma = "lossy compression in the GDMA (SG2260)";
constexpr std::string_view kRandomMasksGdma = "random masks in the GDMA (SG2260)";
constexpr std::string_view kSdmaEngine = "an SDMA engine (SG2260)";

}  // namespace

#define LATER_STRIDES (const dim4*, shape), (const dim4*, dst_stride), (const dim4*, src_stride)
#define LATER_REDUCE (int, reduce_psum_op), (int, reduce_opcode)
#define LATER_S2S (system_addr_t, dst_addr), (system_addr_t, src_addr)
#define LATER_L2S (system_addr_t, dst_addr), (local_addr_t, src_addr)
#define LATER_INDEXED \
  (system_addr_t, output_addr), (system_addr_t, param_addr), (system_addr_t, index_addr)
#define LATER_INDEXED_STRIDES \
  (const dim4*, output_stride), (const dim4*, param_stride), (const dim4*, index_stride)
#define LATER_BIASES (unsigned char, bias0), (unsigned char, bias1), (bool, zero_guard)

TL_TPU_OP(void, tpu_cdma_initialize) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(void, tpu_cdma_port_initialize, (int, port)) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(void, tpu_set_cdma_defered_barrier_msg_id, (int, msg_id)) = later("cdma",
                                                                            kLinkBetweenChips);
TL_TPU_OP(bool, tpu_is_cdma_busy) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(void, tpu_cdma_poll) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(void, tpu_cdma_all_port_nop) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(void, tpu_cdma_port_poll, (int, port)) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(void, tpu_cdma_perf_port_poll, (int*, chips), (int*, ports), (int*, actions),
          (u64*, info_addr)) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(void, tpu_cdma_perf_poll, (int*, chips), (int*, ports), (int*, actions),
          (u64*, info_addr)) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(int, tpu_cdma_get_port, (int, self), (int, peer),
          (int, direction)) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(int, tpu_cdma_get_used_port_num) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(int*, tpu_cdma_get_used_ports) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(void, tpu_cdma_send, (int, dst_chipid), (int, src_chipid), (system_addr_t, src_addr),
          (int, src_n), (int, src_c), (int, src_h), (int, src_w), (int, src_n_stride),
          (int, src_c_stride), (int, src_h_stride), (int, opcode),
          (data_type_t, dtype)) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(void, tpu_cdma_lossy_compress, (int, dst_chipid), (int, src_chipid),
          (system_addr_t, src_addr), (unsigned short, src_n), (unsigned short, src_c),
          (unsigned int, src_h), (unsigned int, src_w), (unsigned int, src_n_stride),
          (unsigned int, src_c_stride), (unsigned int, src_h_stride),
          (int, opcode)) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(void, tpu_cdma_lossy_decompress, (int, dst_chipid), (int, src_chipid),
          (system_addr_t, src_addr), (unsigned short, src_n), (unsigned short, src_c),
          (unsigned int, src_h), (unsigned int, src_w), (unsigned int, src_n_stride),
          (unsigned int, src_c_stride), (unsigned int, src_h_stride),
          (int, opcode)) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(void, tpu_cdma_recv, (int, src_chipid), (int, dst_chipid), (system_addr_t, dst_addr),
          (int, dst_n), (int, dst_c), (int, dst_h), (int, dst_w), (int, dst_n_stride),
          (int, dst_c_stride), (int, dst_h_stride), (system_addr_t, input_addr), (int, opcode),
          (data_type_t, dtype)) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(void, tpu_cdma_write, (int, src_chipid), (int, dst_chipid), (system_addr_t, src_addr),
          (system_addr_t, dst_addr), (unsigned short, src_n), (unsigned short, src_c),
          (unsigned int, src_h), (unsigned int, src_w), (unsigned int, src_n_stride),
          (unsigned int, src_c_stride), (unsigned int, src_h_stride), (unsigned short, dst_n),
          (unsigned short, dst_c), (unsigned int, dst_h), (unsigned int, dst_w),
          (unsigned int, dst_n_stride), (unsigned int, dst_c_stride), (unsigned int, dst_h_stride),
          (int, is_fill_const), (int, const_val), (data_type_t, dtype), (int, stride_enable),
          (int, nchw_copy), (u32, msg_en), (u32, msg_id),
          (u32, wcnt)) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(void, tpu_cdma_fake_all_reduce, (int, dst_chipid), (system_addr_t, src_addr),
          (int, dst_n), (int, dst_c), (int, dst_h), (int, dst_w), (int, dst_n_stride),
          (int, dst_c_stride), (int, dst_h_stride), (int, opcode),
          (data_type_t, dtype)) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(void, tpu_cdma_fake_p2p, (int, dst_chipid), (system_addr_t, src_addr), (int, dst_n),
          (int, dst_c), (int, dst_h), (int, dst_w), (int, dst_n_stride), (int, dst_c_stride),
          (int, dst_h_stride), (int, opcode),
          (data_type_t, dtype)) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(int, tpu_tpuv7_env) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(void, tpu_cdma_send_msg, (int, port), (int, msg_id),
          (int, wait_cnt)) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(void, tpu_cdma_wait_msg, (int, port), (int, msg_id),
          (int, send_cnt)) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(void, tpu_cdma_tx_send_msg, (int, port), (int, msg_id),
          (int, wait_cnt)) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(void, tpu_cdma_nop, (int, port)) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(void, tpu_cdma_tx_wait_msg, (int, port), (int, msg_id),
          (int, send_cnt)) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(void, tpu_cdma_rx_send_msg, (int, port), (int, msg_id),
          (int, wait_cnt)) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(void, tpu_cdma_rx_wait_msg, (int, port), (int, msg_id),
          (int, send_cnt)) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(void, tpu_cdma_nop_sync, (int, port)) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(void, tpu_cdma_tx_rx_debug, (int, port)) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(int, tpu_chip_id) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(int, tpu_chip_num) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(int, tpu_rank) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(int*, tpu_chip_map) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(int, tpu_use_ring) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(void, tpu_sccl_init, (int, chip_num), (int, rank), (int*, chip_map),
          (int, use_ring)) = later("cdma", kLinkBetweenChips);

TL_TPU_OP(void, tpu_vsdma_initialize) = later("sdma", kSdmaEnginePorts);
TL_TPU_OP(void, tpu_vsdma_port_initialize, (int, port)) = later("sdma", kSdmaEnginePorts);
TL_TPU_OP(void, tpu_vsdma_poll) = later("sdma", kSdmaEnginePorts);
TL_TPU_OP(void, tpu_vsdma_port_poll, (int, port)) = later("sdma", kSdmaEnginePorts);
TL_TPU_OP(void, tpu_vsdma_cpy_S2S, LATER_S2S, LATER_STRIDES, (data_type_t, dtype),
          (int, port_id)) = later("sdma", kSdmaEnginePorts);
TL_TPU_OP(void, tpu_vsdma_cpy_nc_trans_S2S, LATER_S2S, (const dim4*, dst_shape),
          (const dim4*, dst_stride), (const dim4*, src_stride), (data_type_t, dtype),
          (int, port_id)) = later("sdma", kSdmaEnginePorts);
TL_TPU_OP(void, tpu_vsdma_cpy_cw_trans_S2S, LATER_S2S, (const dim4*, dst_shape),
          (const dim4*, dst_stride), (const dim4*, src_stride), (data_type_t, dtype),
          (int, port_id)) = later("sdma", kSdmaEnginePorts);
TL_TPU_OP(void, tpu_vsdma_set_C_system, (system_addr_t, dst_addr), (scalar_t, C),
          (const dim4*, shape), (const dim4*, dst_stride), (data_type_t, dtype),
          (int, port_id)) = later("sdma", kSdmaEnginePorts);
TL_TPU_OP(void, tpu_vsdma_h_gather_S2S, LATER_INDEXED, (scalar_t, C), (const dim4*, shape),
          (int, param_h), LATER_INDEXED_STRIDES, (data_type_t, dtype),
          (int, port_id)) = later("sdma", kSdmaEnginePorts);
TL_TPU_OP(void, tpu_vsdma_h_scatter_S2S, LATER_INDEXED, (const dim4*, shape), (int, param_h),
          LATER_INDEXED_STRIDES, (data_type_t, dtype),
          (int, port_id)) = later("sdma", kSdmaEnginePorts);
TL_TPU_OP(void, tpu_vsdma_system_cpy, LATER_S2S, (unsigned int, count), (data_type_t, dtype),
          (int, port_id)) = later("sdma", kSdmaEnginePorts);
TL_TPU_OP(void, tpu_vsdma_system_set, (system_addr_t, dst_addr), (scalar_t, C),
          (unsigned int, count), (data_type_t, dtype),
          (int, port_id)) = later("sdma", kSdmaEnginePorts);
TL_TPU_OP(void, tpu_vsdma_reverse_S2S, LATER_S2S, LATER_STRIDES, (int, reverse_axis),
          (data_type_t, dtype), (int, port_id)) = later("sdma", kSdmaEnginePorts);
TL_TPU_OP(void, tpu_vsdma_mask_select_S2S, (global_addr_t, dst_addr), (global_addr_t, src_addr),
          (global_addr_t, mask_addr), (const dim4*, shape), (data_type_t, data_dtype),
          (data_type_t, mask_dtype), (int, port_id)) = later("sdma", kSdmaEnginePorts);
TL_TPU_OP(void, tpu_vsdma_nonzero_S2S, (global_addr_t, dst_addr), (global_addr_t, src_addr),
          (const dim4*, shape), (data_type_t, data_dtype), (unsigned int, base_idx),
          (int, port_id)) = later("sdma", kSdmaEnginePorts);
TL_TPU_OP(unsigned int, tpu_vsdma_get_filter_num, (int, port_id)) = later("sdma", kSdmaEnginePorts);
TL_TPU_OP(void, tpu_vsdma_send_msg, (int, msg_id), (int, wait_cnt),
          (int, port_id)) = later("sdma", kSdmaEnginePorts);
TL_TPU_OP(void, tpu_vsdma_wait_msg, (int, msg_id), (int, send_cnt),
          (int, port_id)) = later("sdma", kSdmaEnginePorts);

TL_TPU_OP(void, tpu_gdma_h_gather_S2S_ext, (system_addr_t, output_addr),
          (system_addr_t, param_addr), (addr_t, index_addr), (bool, index_is_local), (scalar_t, C),
          (const dim4*, shape), (int, param_h), (u32, start_pos), LATER_INDEXED_STRIDES,
          (data_type_t, dtype)) = later("gdma", kGathersScattersStartPosition);
TL_TPU_OP(void, tpu_gdma_h_scatter_S2S_ext, (system_addr_t, output_addr),
          (system_addr_t, param_addr), (addr_t, index_addr), (bool, index_is_local),
          (const dim4*, shape), (int, param_h), (u32, start_pos), (int, inplace_add),
          LATER_INDEXED_STRIDES,
          (data_type_t, dtype)) = later("gdma", kGathersScattersStartPosition);

TL_TPU_OP(void, tpu_gdma_compress_normal_L2S, (global_addr_t, dst_addr), (local_addr_t, src_addr),
          (const dim4*, shape), (const dim4*, src_stride), (data_type_t, dtype),
          LATER_BIASES) = later("gdma", kCompressionGdma);
TL_TPU_OP(int, tpu_gdma_compress_normal_max_bytes, (const dim4*, shape), (data_type_t, dtype),
          (bool, zero_guard)) = later("gdma", kCompressionGdma);
TL_TPU_OP(dim4, tpu_gdma_compress_RACU_racu_stride, (const dim4*, shape), (data_type_t, dtype),
          (bool, zero_guard)) = later("gdma", kCompressionGdma);
TL_TPU_OP(dim4, tpu_gdma_compress_RACU_meta_stride, (const dim4*, shape),
          (data_type_t, dtype)) = later("gdma", kCompressionGdma);
TL_TPU_OP(void, tpu_gdma_decompress_normal_S2L, (local_addr_t, dst_addr), (global_addr_t, src_addr),
          (const dim4*, shape), (const dim4*, dst_stride), (data_type_t, dtype),
          LATER_BIASES) = later("gdma", kCompressionGdma);
TL_TPU_OP(void, tpu_gdma_compress_RACU_L2S, (global_addr_t, dst_racu_addr),
          (global_addr_t, dst_meta_addr), (local_addr_t, src_addr), (const dim4*, shape),
          (const dim4*, dst_racu_stride), (const dim4*, dst_meta_stride), (const dim4*, src_stride),
          (data_type_t, dtype), LATER_BIASES) = later("gdma", kCompressionGdma);
TL_TPU_OP(void, tpu_gdma_decompress_RACU_S2L, (local_addr_t, dst_addr),
          (global_addr_t, src_racu_addr), (global_addr_t, src_meta_addr), (const dim4*, shape),
          (const dim4*, dst_stride), (const dim4*, src_racu_stride), (const dim4*, src_meta_stride),
          (data_type_t, dtype), LATER_BIASES) = later("gdma", kCompressionGdma);
TL_TPU_OP(int, tpu_gdma_compress_RACU_max_meta_bytes, (const dim4*, shape),
          (data_type_t, dtype)) = later("gdma", kCompressionGdma);
TL_TPU_OP(int, tpu_gdma_compress_RACU_max_racu_bytes, (const dim4*, shape), (data_type_t, dtype),
          (bool, zero_guard)) = later("gdma", kCompressionGdma);

TL_TPU_OP(void, tpu_gdma_lossy_compress_L2S, LATER_L2S,
          LATER_STRIDES) = later("gdma", kLossyCompressionGdma);
TL_TPU_OP(void, tpu_gdma_lossy_compress_S2S, LATER_S2S,
          LATER_STRIDES) = later("gdma", kLossyCompressionGdma);
TL_TPU_OP(void, tpu_gdma_lossy_decompress_S2L, (local_addr_t, dst_addr), (system_addr_t, src_addr),
          LATER_STRIDES) = later("gdma", kLossyCompressionGdma);
TL_TPU_OP(void, tpu_gdma_lossy_decompress_S2S, LATER_S2S,
          LATER_STRIDES) = later("gdma", kLossyCompressionGdma);
TL_TPU_OP(void, tpu_gdma_lossy_compress_reduce_S2L2, LATER_S2S, LATER_STRIDES,
          LATER_REDUCE) = later("gdma", kLossyCompressionGdma);
TL_TPU_OP(void, tpu_gdma_lossy_compress_reduce_L12L2, LATER_L2S, LATER_STRIDES,
          LATER_REDUCE) = later("gdma", kLossyCompressionGdma);
TL_TPU_OP(void, tpu_gdma_lossy_compress_reduce_L22L2, LATER_S2S, LATER_STRIDES,
          LATER_REDUCE) = later("gdma", kLossyCompressionGdma);
TL_TPU_OP(void, tpu_gdma_lossy_decompress_reduce_S2L2, LATER_S2S, LATER_STRIDES,
          LATER_REDUCE) = later("gdma", kLossyCompressionGdma);
TL_TPU_OP(void, tpu_gdma_lossy_decompress_reduce_L22L2, LATER_S2S, LATER_STRIDES,
          LATER_REDUCE) = later("gdma", kLossyCompressionGdma);
TL_TPU_OP(void, tpu_gdma_lossy_compress, (global_addr_t, dst_addr), (local_addr_t, src_addr),
          LATER_STRIDES) = later("gdma", kLossyCompressionGdma);
TL_TPU_OP(void, tpu_gdma_lossy_decompress, (local_addr_t, dst_addr), (global_addr_t, src_addr),
          LATER_STRIDES) = later("gdma", kLossyCompressionGdma);

TL_TPU_OP(void, tpu_gdma_random_mask_init_seed_S2L, (system_addr_t, mask_addr),
          (local_addr_t, dst_addr), (const dim4*, shape), (int, size), (const dim4*, dst_stride),
          (data_type_t, dtype)) = later("gdma", kRandomMasksGdma);
TL_TPU_OP(void, tpu_gdma_random_mask_S2L, (system_addr_t, mask_addr), (local_addr_t, dst_addr),
          (const dim4*, shape), (int, size), (const dim4*, dst_stride), (int, use_iter_state),
          (data_type_t, dtype)) = later("gdma", kRandomMasksGdma);
TL_TPU_OP(void, tpu_gdma_random_mask_set_seed, (int, seed)) = later("gdma", kRandomMasksGdma);

TL_TPU_OP(void, tpu_sdma_lossy_compress, LATER_S2S, LATER_STRIDES) = later("sdma", kSdmaEngine);
TL_TPU_OP(void, tpu_sdma_lossy_decompress, LATER_S2S, LATER_STRIDES) = later("sdma", kSdmaEngine);
TL_TPU_OP(void, tpu_sdma_lossy_compress_reduce_S2L2, LATER_S2S, LATER_STRIDES,
          LATER_REDUCE) = later("sdma", kSdmaEngine);
TL_TPU_OP(void, tpu_sdma_lossy_compress_reduce_L22L2, LATER_S2S, LATER_STRIDES,
          LATER_REDUCE) = later("sdma", kSdmaEngine);
TL_TPU_OP(void, tpu_sdma_lossy_decompress_reduce_S2L2, LATER_S2S, LATER_STRIDES,
          LATER_REDUCE) = later("sdma", kSdmaEngine);
TL_TPU_OP(void, tpu_sdma_lossy_decompress_reduce_L22L2, LATER_S2S, LATER_STRIDES,
          LATER_REDUCE) = later("sdma", kSdmaEngine);
