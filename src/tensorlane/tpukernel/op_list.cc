// The ops list of TPUKernel: the files it consists of, in the order of tpu_kernel.h.
#include "tensorlane/tpukernel/define.h"

namespace tensorlane::tpukernel {

// clang-format off
#define TL_FILES(X) \
  X(common) X(cores) X(processor) X(utils) X(gdma) X(gdma_gather) X(reducing_copies) \
  X(elementwise_functions) X(fp) X(fp8) X(integer_functions) X(cast_functions) \
  X(select_functions) X(gather_functions) X(special_functions) X(roots) X(scale_functions) \
  X(tables) X(static_memory) X(sequences) X(series) X(hau) X(nms) X(roi_pooling) \
  X(quantisation_functions) X(convolution) X(windows) X(divided_products) X(row_products) \
  X(later_cores) X(later_dma) X(later_bdc) X(later_bm1690) X(undefined_functions)
// clang-format on
#define TL_DECLARE(name) extern OpFile name;
TL_FILES(TL_DECLARE)

namespace {

#define TL_ADDRESS(name) &name,
OpFile* const kFiles[] = {TL_FILES(TL_ADDRESS)};

constexpr std::pair<std::string_view, std::int64_t> kConstants[] = {
#define TL_CONSTANT(name) \
  { #name, name }
    TL_CONSTANT(DT_INT8),    TL_CONSTANT(DT_UINT8),  TL_CONSTANT(DT_INT16), TL_CONSTANT(DT_UINT16),
    TL_CONSTANT(DT_INT32),   TL_CONSTANT(DT_UINT32), TL_CONSTANT(DT_FP16),  TL_CONSTANT(DT_BFP16),
    TL_CONSTANT(DT_FP32),    TL_CONSTANT(DT_INT4),   TL_CONSTANT(DT_UINT4), TL_CONSTANT(DT_FP8E4M3),
    TL_CONSTANT(DT_FP8E5M2),
#undef TL_CONSTANT
};

}  // namespace

const OpList& ops() {
  static const OpList* const list = new OpList({std::begin(kFiles), std::end(kFiles)}, kConstants);
  return *list;
}

}  // namespace tensorlane::tpukernel
