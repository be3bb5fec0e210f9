// GDMA, SDMA and the links between chips, as later chips have them: calling one ends the launch and
// says what it needs.
#include "tensorlane/tpukernel/families.h"

TL_TPU_OPS_FILE(later_dma);

namespace tensorlane::tpukernel {
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

TL_TPU_OP(tpu_cdma_initialize) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(tpu_cdma_port_initialize) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(tpu_set_cdma_defered_barrier_msg_id) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(tpu_is_cdma_busy) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(tpu_cdma_poll) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(tpu_cdma_all_port_nop) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(tpu_cdma_port_poll) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(tpu_cdma_perf_port_poll) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(tpu_cdma_perf_poll) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(tpu_cdma_get_port) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(tpu_cdma_get_used_port_num) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(tpu_cdma_get_used_ports) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(tpu_cdma_send) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(tpu_cdma_lossy_compress) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(tpu_cdma_lossy_decompress) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(tpu_cdma_recv) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(tpu_cdma_write) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(tpu_cdma_fake_all_reduce) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(tpu_cdma_fake_p2p) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(tpu_tpuv7_env) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(tpu_cdma_send_msg) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(tpu_cdma_wait_msg) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(tpu_cdma_tx_send_msg) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(tpu_cdma_nop) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(tpu_cdma_tx_wait_msg) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(tpu_cdma_rx_send_msg) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(tpu_cdma_rx_wait_msg) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(tpu_cdma_nop_sync) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(tpu_cdma_tx_rx_debug) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(tpu_chip_id) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(tpu_chip_num) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(tpu_rank) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(tpu_chip_map) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(tpu_use_ring) = later("cdma", kLinkBetweenChips);
TL_TPU_OP(tpu_sccl_init) = later("cdma", kLinkBetweenChips);

TL_TPU_OP(tpu_vsdma_initialize) = later("sdma", kSdmaEnginePorts);
TL_TPU_OP(tpu_vsdma_port_initialize) = later("sdma", kSdmaEnginePorts);
TL_TPU_OP(tpu_vsdma_poll) = later("sdma", kSdmaEnginePorts);
TL_TPU_OP(tpu_vsdma_port_poll) = later("sdma", kSdmaEnginePorts);
TL_TPU_OP(tpu_vsdma_cpy_S2S) = later("sdma", kSdmaEnginePorts);
TL_TPU_OP(tpu_vsdma_cpy_nc_trans_S2S) = later("sdma", kSdmaEnginePorts);
TL_TPU_OP(tpu_vsdma_cpy_cw_trans_S2S) = later("sdma", kSdmaEnginePorts);
TL_TPU_OP(tpu_vsdma_set_C_system) = later("sdma", kSdmaEnginePorts);
TL_TPU_OP(tpu_vsdma_h_gather_S2S) = later("sdma", kSdmaEnginePorts);
TL_TPU_OP(tpu_vsdma_h_scatter_S2S) = later("sdma", kSdmaEnginePorts);
TL_TPU_OP(tpu_vsdma_system_cpy) = later("sdma", kSdmaEnginePorts);
TL_TPU_OP(tpu_vsdma_system_set) = later("sdma", kSdmaEnginePorts);
TL_TPU_OP(tpu_vsdma_reverse_S2S) = later("sdma", kSdmaEnginePorts);
TL_TPU_OP(tpu_vsdma_mask_select_S2S) = later("sdma", kSdmaEnginePorts);
TL_TPU_OP(tpu_vsdma_nonzero_S2S) = later("sdma", kSdmaEnginePorts);
TL_TPU_OP(tpu_vsdma_get_filter_num) = later("sdma", kSdmaEnginePorts);
TL_TPU_OP(tpu_vsdma_send_msg) = later("sdma", kSdmaEnginePorts);
TL_TPU_OP(tpu_vsdma_wait_msg) = later("sdma", kSdmaEnginePorts);

TL_TPU_OP(tpu_gdma_h_gather_S2S_ext) = later("gdma", kGathersScattersStartPosition);
TL_TPU_OP(tpu_gdma_h_scatter_S2S_ext) = later("gdma", kGathersScattersStartPosition);

TL_TPU_OP(tpu_gdma_compress_normal_L2S) = later("gdma", kCompressionGdma);
TL_TPU_OP(tpu_gdma_compress_normal_max_bytes) = later("gdma", kCompressionGdma);
TL_TPU_OP(tpu_gdma_compress_RACU_racu_stride) = later("gdma", kCompressionGdma);
TL_TPU_OP(tpu_gdma_compress_RACU_meta_stride) = later("gdma", kCompressionGdma);
TL_TPU_OP(tpu_gdma_decompress_normal_S2L) = later("gdma", kCompressionGdma);
TL_TPU_OP(tpu_gdma_compress_RACU_L2S) = later("gdma", kCompressionGdma);
TL_TPU_OP(tpu_gdma_decompress_RACU_S2L) = later("gdma", kCompressionGdma);
TL_TPU_OP(tpu_gdma_compress_RACU_max_meta_bytes) = later("gdma", kCompressionGdma);
TL_TPU_OP(tpu_gdma_compress_RACU_max_racu_bytes) = later("gdma", kCompressionGdma);

TL_TPU_OP(tpu_gdma_lossy_compress_L2S) = later("gdma", kLossyCompressionGdma);
TL_TPU_OP(tpu_gdma_lossy_compress_S2S) = later("gdma", kLossyCompressionGdma);
TL_TPU_OP(tpu_gdma_lossy_decompress_S2L) = later("gdma", kLossyCompressionGdma);
TL_TPU_OP(tpu_gdma_lossy_decompress_S2S) = later("gdma", kLossyCompressionGdma);
TL_TPU_OP(tpu_gdma_lossy_compress_reduce_S2L2) = later("gdma", kLossyCompressionGdma);
TL_TPU_OP(tpu_gdma_lossy_compress_reduce_L12L2) = later("gdma", kLossyCompressionGdma);
TL_TPU_OP(tpu_gdma_lossy_compress_reduce_L22L2) = later("gdma", kLossyCompressionGdma);
TL_TPU_OP(tpu_gdma_lossy_decompress_reduce_S2L2) = later("gdma", kLossyCompressionGdma);
TL_TPU_OP(tpu_gdma_lossy_decompress_reduce_L22L2) = later("gdma", kLossyCompressionGdma);
TL_TPU_OP(tpu_gdma_lossy_compress) = later("gdma", kLossyCompressionGdma);
TL_TPU_OP(tpu_gdma_lossy_decompress) = later("gdma", kLossyCompressionGdma);

TL_TPU_OP(tpu_gdma_random_mask_init_seed_S2L) = later("gdma", kRandomMasksGdma);
TL_TPU_OP(tpu_gdma_random_mask_S2L) = later("gdma", kRandomMasksGdma);
TL_TPU_OP(tpu_gdma_random_mask_set_seed) = later("gdma", kRandomMasksGdma);

TL_TPU_OP(tpu_sdma_lossy_compress) = later("sdma", kSdmaEngine);
TL_TPU_OP(tpu_sdma_lossy_decompress) = later("sdma", kSdmaEngine);
TL_TPU_OP(tpu_sdma_lossy_compress_reduce_S2L2) = later("sdma", kSdmaEngine);
TL_TPU_OP(tpu_sdma_lossy_compress_reduce_L22L2) = later("sdma", kSdmaEngine);
TL_TPU_OP(tpu_sdma_lossy_decompress_reduce_S2L2) = later("sdma", kSdmaEngine);
TL_TPU_OP(tpu_sdma_lossy_decompress_reduce_L22L2) = later("sdma", kSdmaEngine);

}  // namespace tensorlane::tpukernel
