#include "tensorlane/tpukernel/pair_families.h"

namespace tensorlane::tpukernel {
OpSpec pairs(std::string_view group, Doc doc, TypeOf dst, TypeOf src0, TypeOf src1,
             const PairRow& row, const FasterRows& faster) {
  OpSpec spec{
      .engine = Engine::kBdc,
      .group = group,
      .doc = doc,
      .operands = {matrix(Role::kOut, "dst_addr", dst, "src0_len", "src1_len",
                          "src1_len_per_channel"),
                   matrix(Role::kIn, "src0_addr", src0, "1", "src0_len", "src0_len_per_channel"),
                   matrix(Role::kIn, "src1_addr", src1, "1", "src1_len", "src1_len_per_channel")},
      .limits = {"1 <= src0_len <= 65535", "1 <= src1_len <= 65535",
                 "1 <= src0_len_per_channel <= 65535", "1 <= src1_len_per_channel <= 65535",
                 "dst_addr % tpu_eu_num(DT_INT8) == 0", "src0_addr % tpu_eu_num(DT_INT8) == 0",
                 "src1_addr % tpu_eu_num(DT_INT8) == 0", "same_start_npu(dst_addr, src1_addr)"},
      .dependence = Dependence::kByIndex,
      .numerics = Numerics::kExactToModel,
      .implementations = pair_rows(row, faster),
      .cycles = per_step(1)};
  for (const TypeOf& type : {dst, src0, src1}) {
    if (!type.param.empty()) add_limits(spec, any_type(type.param));
  }
  return spec;
}

}  // namespace tensorlane::tpukernel
