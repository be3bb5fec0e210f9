// The ops list of TPUKernel: the files it consists of, in the order of tpu_kernel.h.
#include "tensorlane/tpukernel/define.h"

namespace tensorlane::tpukernel {

extern OpFile common;
extern OpFile cores;
extern OpFile processor;
extern OpFile utils;
extern OpFile gdma;
extern OpFile gdma_gather;
extern OpFile reducing_copies;
extern OpFile elementwise_functions;
extern OpFile fp;
extern OpFile fp8;
extern OpFile integer_functions;
extern OpFile cast_functions;
extern OpFile select_functions;
extern OpFile gather_functions;
extern OpFile special_functions;
extern OpFile roots;
extern OpFile scale_functions;
extern OpFile tables;
extern OpFile hau;
extern OpFile nms;
extern OpFile roi_pooling;
extern OpFile quantisation_functions;
extern OpFile convolution;
extern OpFile windows;
extern OpFile divided_products;
extern OpFile row_products;
extern OpFile later_cores;
extern OpFile later_dma;
extern OpFile later_bdc;
extern OpFile later_bm1690;
extern OpFile undefined_functions;

namespace {

OpFile* const kFiles[] = {&common,
                          &cores,
                          &processor,
                          &utils,
                          &gdma,
                          &gdma_gather,
                          &reducing_copies,
                          &elementwise_functions,
                          &fp,
                          &fp8,
                          &integer_functions,
                          &cast_functions,
                          &select_functions,
                          &gather_functions,
                          &special_functions,
                          &roots,
                          &scale_functions,
                          &tables,
                          &hau,
                          &nms,
                          &roi_pooling,
                          &quantisation_functions,
                          &convolution,
                          &windows,
                          &divided_products,
                          &row_products,
                          &later_cores,
                          &later_dma,
                          &later_bdc,
                          &later_bm1690,
                          &undefined_functions};

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
