// What many OKKernel functions have in common: limits and entries.
#ifndef TENSORLANE_OKK_FAMILIES_H_
#define TENSORLANE_OKK_FAMILIES_H_

#include <string_view>
#include <utility>
#include <vector>

#include "tensorlane/okk/cost.h"
#include "tensorlane/okk/define.h"
#include "tensorlane/ops/operand_specs.h"

// Parameter lists for TL_OKK_OP, as okk.h spells them.

namespace tensorlane::okk {

// Shape limits of BDC functions. [doc]
inline const Texts kBdcShape =
    join({{"not_null(shape)"},
          on_request({"1 <= shape.n <= 65535", "1 <= shape.c <= 4095", "1 <= shape.h <= 65535",
                      "1 <= shape.w <= 65535"})});

// Limits and preferences of functions with strides: dst from src, and dst from src0 and src1. The
// model computes element-wise functions of operands that start on different NPUs [observed], which
// no chip can.
inline const Texts kDstSrcLimits = join({kBdcShape,
                                         {"dst_addr % 4 == 0", "src_addr % 4 == 0"},
                                         on_request({"same_start_npu(dst_addr, src_addr)"})});
inline const Texts kDstSrc0Src1Limits =
    join({kBdcShape,
          {"dst_addr % 4 == 0", "src0_addr % 4 == 0", "src1_addr % 4 == 0"},
          on_request({"same_start_npu(dst_addr, src0_addr, src1_addr)"})});
inline const Texts kDstSrcPreferred = {"dst_addr % 128 == 0", "src_addr % 128 == 0"};
inline const Texts kDstSrc0Src1Preferred = {"dst_addr % 128 == 0", "src0_addr % 128 == 0",
                                            "src1_addr % 128 == 0"};
// Limits of functions without strides: dst from src in the aligned layout.
inline const Texts kAlignedDstSrcLimits =
    join({kBdcShape, on_request({"dst_addr % 128 == 0", "src_addr % 128 == 0"}),
          on_request({"same_start_npu(dst_addr, src_addr)"})});

// A division or root: many steps per element.
inline OpSpec special(OpSpec spec) {
  spec.work = Work::kSpecial;
  return spec;
}

// A BDC function of one or two sources with strides, in `cycles` per group.
inline OpSpec of_shape(std::string_view group, Doc doc, std::vector<OperandSpec> operands,
                       double cycles, std::vector<Implementation> implementations) {
  const bool two_sources = operands.size() == 3;
  return {.engine = Engine::kBdc,
          .group = group,
          .doc = doc,
          .operands = std::move(operands),
          .limits = two_sources ? kDstSrc0Src1Limits : kDstSrcLimits,
          .preferred = two_sources ? kDstSrc0Src1Preferred : kDstSrcPreferred,
          .numerics = Numerics::kExactToModel,
          .implementations = std::move(implementations),
          .cycles = per_group(cycles)};
}
// fp32 dst from src.
inline OpSpec strided_fp32(std::string_view group, Doc doc, double cycles,
                           std::vector<Implementation> implementations) {
  return of_shape(group, doc, dst_src(Dtype::kFp32, Dtype::kFp32), cycles,
                  std::move(implementations));
}

}  // namespace tensorlane::okk

#endif  // TENSORLANE_OKK_FAMILIES_H_
