// BDC copies and fills inside an NPU's local memory.
#include "tensorlane/compute/rows/elementwise.h"
#include "tensorlane/okk/cost.h"
#include "tensorlane/okk/families.h"

TL_OKK_OPS_FILE(bdc_memory);

namespace tensorlane::okk {

TL_OKK_OP(okk_bdc_32bit_cpy) = {
    .engine = Engine::kBdc,
    .group = "bdc-memory",
    .doc = "dst = src, bit for bit; both start at the same NPU.",
    .operands = dst_src(Dtype::kX32, Dtype::kX32),
    .limits = join({kBdcShape,
                    {"dst_addr % 4 == 0", "src_addr % 4 == 0",
                     "same_start_npu(dst_addr, src_addr)"}}),
    .preferred = kDstSrcPreferred,
    .only_moves = true,
    .numerics = Numerics::kExactToModel,
    .implementations = copy_elements<std::uint32_t>("dst_addr", "src_addr"),
    .cycles = per_group(2),
};

TL_OKK_OP(okk_bdc_32bit_set_C) = {
    .engine = Engine::kBdc,
    .group = "bdc-memory",
    .doc = "dst = C, a 32-bit pattern.",
    .operands = {out("dst_addr", Dtype::kX32, "dst_stride")},
    .limits = join({kBdcShape, {"dst_addr % 4 == 0"}}),
    .preferred = {"dst_addr % 128 == 0"},
    .only_moves = true,
    .numerics = Numerics::kExactToDocument,
    .implementations = copy_elements<std::uint32_t>("dst_addr", "C"),
    .cycles = per_group(2),
};

}  // namespace tensorlane::okk
