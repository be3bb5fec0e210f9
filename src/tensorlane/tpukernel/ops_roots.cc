// BDC: reciprocal, square root and its reciprocal, by Newton steps.
#include "tensorlane/compute/rows/special_rows.h"
#include "tensorlane/tpukernel/families.h"

TL_TPU_OPS_FILE(roots);

namespace tensorlane::tpukernel {
namespace {

using Root = SpecialFunction::Root;

constexpr std::string_view kRootGroup = "bdc-special";
constexpr double kCycles = 14;

std::vector<Implementation> iterate(Root f, const TypeOf& type, bool tunable,
                                    bool corrected = false) {
  const auto constants = [=](const Command& command) {
    special::Constants constants;
    if (tunable) constants.steps = static_cast<int>(command.arg("num_iter").value());
    if (corrected) constants.corrections = static_cast<int>(command.arg("num_comp").value());
    return constants;
  };
  return special_rows("dst_addr", {"src_addr"}, f,
                      {.constants = constants, .tables = !type.param.empty()});
}

Texts root_types(TypeOf type) {
  return join({type.param.empty() ? Texts{} : float_type(type.param), newer_model_fp32_only(type)});
}

OpSpec root(Doc doc, Root f, TypeOf type, bool tunable) {
  OpSpec spec{.engine = Engine::kBdc,
              .group = kRootGroup,
              .doc = doc,
              .operands = {out("dst_addr", type), exact_in_place(in("src_addr", type))},
              .limits = join({kShapeLimits,
                              root_types(type),
                              on_request({"dst_addr % tpu_eu_num(DT_INT8) == 0",
                                          "src_addr % tpu_eu_num(DT_INT8) == 0"}),
                              {"same_start_npu(dst_addr, src_addr)"}}),
              .numerics = Numerics::kExactToModel,
              .implementations = iterate(f, type, tunable),
              .cycles = per_step(kCycles),
              .work = Work::kSpecial};
  if (tunable) spec.limits.emplace_back("1 <= num_iter <= 4");
  return spec;
}

OpSpec reciprocal(TypeOf type, bool tunable) {
  OpSpec spec =
      of_shape(kRootGroup, computes("dst = 1 / src", " by Newton steps"), dst_src(type, type),
               root_types(type), iterate(special::reciprocal, type, tunable), kDivisionCycles);
  spec.work = Work::kSpecial;
  if (tunable) spec.limits.emplace_back("1 <= num_iter <= 4");
  return spec;
}

// With corrections, within a unit in the last place of the model.
OpSpec compensated(bool tunable) {
  OpSpec spec = reciprocal(Dtype::kFp32, tunable);
  spec.doc = computes("dst = 1 / src", ", corrected num_comp times");
  spec.operands[0].stride = {};
  for (const char* name : {"work0_addr", "work1_addr", "work2_addr"})
    spec.operands.push_back(work(name, Dtype::kFp32));
  spec.limits =
      join({kShapeLimits,
            aligned_or_strided("src_addr", "src_stride", "4"),
            {"dst_addr % tpu_eu_num(DT_INT8) == 0", "work0_addr % tpu_eu_num(DT_INT8) == 0",
             "work1_addr % tpu_eu_num(DT_INT8) == 0", "work2_addr % tpu_eu_num(DT_INT8) == 0",
             "same_start_npu(dst_addr, src_addr, work0_addr, work1_addr, work2_addr)",
             "0 <= num_comp <= 64 [a choice: 0 to 3 are recorded]"}});
  if (tunable) spec.limits.emplace_back("1 <= num_iter <= 4");
  spec.implementations = iterate(special::reciprocal, Dtype::kFp32, tunable, true);
  return spec;
}

constexpr Doc kRsqrt = computes("dst = 1 / sqrt(src)", " by Newton steps");
constexpr Doc kSqrt = computes("dst = sqrt(src)", " by Newton steps");

}  // namespace

TL_TPU_OP(tpu_bdc_fp32_reciprocal) = reciprocal(Dtype::kFp32, false);
TL_TPU_OP(tpu_bdc_fp32_tunable_reciprocal) = reciprocal(Dtype::kFp32, true);
TL_TPU_OP(tpu_bdc_fp_reciprocal) = reciprocal("dtype", false);
TL_TPU_OP(tpu_bdc_fp_tunable_reciprocal) = reciprocal("dtype", true);
TL_TPU_OP(tpu_bdc_fp32_compensate_reciprocal) = compensated(false);
TL_TPU_OP(tpu_bdc_fp32_tunable_compensate_reciprocal) = compensated(true);

TL_TPU_OP(tpu_bdc_fp32_rsqrt) = root(kRsqrt, special::rsqrt, Dtype::kFp32, false);
TL_TPU_OP(tpu_bdc_fp32_tunable_rsqrt) = root(kRsqrt, special::rsqrt, Dtype::kFp32, true);
TL_TPU_OP(tpu_bdc_fp_rsqrt) = root(kRsqrt, special::rsqrt, "dtype", false);
TL_TPU_OP(tpu_bdc_fp_tunable_rsqrt) = root(kRsqrt, special::rsqrt, "dtype", true);
TL_TPU_OP(tpu_bdc_fp32_sqrt) = root(kSqrt, special::sqrt, Dtype::kFp32, false);
TL_TPU_OP(tpu_bdc_fp32_tunable_sqrt) = root(kSqrt, special::sqrt, Dtype::kFp32, true);
TL_TPU_OP(tpu_bdc_fp_sqrt) = root(kSqrt, special::sqrt, "dtype", false);
TL_TPU_OP(tpu_bdc_fp_tunable_sqrt) = root(kSqrt, special::sqrt, "dtype", true);

}  // namespace tensorlane::tpukernel
