// What many OKKernel functions have in common: parameter lists, operands and limits.
#ifndef TENSORLANE_OKK_FAMILIES_H_
#define TENSORLANE_OKK_FAMILIES_H_

#include <string_view>
#include <utility>
#include <vector>

#include "tensorlane/okk/cost.h"
#include "tensorlane/okk/define.h"
#include "tensorlane/ops/in_place.h"
#include "tensorlane/ops/texts.h"

// Parameter lists for TL_OKK_OP, as okk.h spells them.

namespace tensorlane::okk {

inline const Texts kShape = {"shape.n", "shape.c", "shape.h", "shape.w"};

// A tensor of the whole `shape` in local memory; `stride` names its stride parameter, if any.
inline OperandSpec local(Role role, std::string_view param, Dtype dtype,
                         std::string_view stride = {}) {
  return {.param = param, .role = role, .dtype = dtype, .shape = kShape, .stride = stride};
}
inline OperandSpec in(std::string_view param, Dtype dtype, std::string_view stride = {}) {
  return local(Role::kIn, param, dtype, stride);
}
inline OperandSpec out(std::string_view param, Dtype dtype, std::string_view stride = {}) {
  return local(Role::kOut, param, dtype, stride);
}
inline OperandSpec inout(std::string_view param, Dtype dtype, std::string_view stride = {}) {
  return local(Role::kInOut, param, dtype, stride);
}

// One value per channel, compact: the vectors of bias and scale.
inline OperandSpec channel_vector(std::string_view param, std::string_view channels = "shape.c",
                                  std::string_view used_if = {}) {
  return {.param = param,
          .role = Role::kIn,
          .dtype = Dtype::kFp32,
          .shape = {"1", channels, "1", "1"},
          .layout = DefaultLayout::kCompact,
          .used_if = used_if};
}

// A term of a sum: a bias.
inline OperandSpec added(OperandSpec operand) {
  operand.added = true;
  return operand;
}
inline OpSpec with_constants(std::vector<ConstantSpec> constants, OpSpec spec) {
  spec.constants = std::move(constants);
  return spec;
}

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

// fp32 dst from src, any strides, in `cycles` per group.
inline OpSpec strided_fp32(std::string_view group, Doc doc, double cycles,
                           std::vector<Implementation> implementations) {
  return {.engine = Engine::kBdc,
          .group = group,
          .doc = doc,
          .operands = {out("dst_addr", Dtype::kFp32, "dst_stride"),
                       exact_in_place(in("src_addr", Dtype::kFp32, "src_stride"))},
          .limits = kDstSrcLimits,
          .preferred = kDstSrcPreferred,
          .numerics = Numerics::kExactToModel,
          .implementations = std::move(implementations),
          .cycles = per_group(cycles)};
}

}  // namespace tensorlane::okk

#endif  // TENSORLANE_OKK_FAMILIES_H_
