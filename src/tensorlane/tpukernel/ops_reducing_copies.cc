// Copies that reduce: what is copied is added to what lies there, multiplied with it, or the larger
// or smaller of both stays. Kernels over several cores sum their parts in L2 so.
//
// Floats are computed in fp32 and rounded once, integers keep their low bits: a choice, no public
// source or model says more than the operation. What replaces is copied bit for bit.
#include <array>

#include "tensorlane/compute/rows/formula_rows.h"
#include "tensorlane/compute/rows/integer_rows.h"
#include "tensorlane/tpukernel/sdma.h"

TL_TPU_OPS_FILE(reducing_copies);

namespace tensorlane::tpukernel {
namespace {

int opcode_of(const Command& command) {
  const bool reads = command.arg("reduce_psum_op").value() == ALL_REDUCE_PSUM_WR;
  return reads ? static_cast<int>(command.arg("reduce_opcode").value()) : ALL_REDUCE_NOP;
}
auto reduces_by(int opcode) {
  return [opcode](const Command& command) { return opcode_of(command) == opcode; };
}

// The low bits of exact numbers.
IntegerRule integer_rule(const Command& command) {
  IntegerRule rule{.saturate = false};
  switch (opcode_of(command)) {
    case ALL_REDUCE_MUL:
      rule.operation = IntegerOperation::kMultiply;
      break;
    case ALL_REDUCE_MAX:
      rule.operation = IntegerOperation::kMaximum;
      break;
    case ALL_REDUCE_MIN:
      rule.operation = IntegerOperation::kMinimum;
      break;
    default:
      break;
  }
  return rule;
}

float larger(float there, float moved) {
  return there < moved ? moved : there;
}
float smaller(float there, float moved) {
  return moved < there ? moved : there;
}

// dst = dst op src
std::vector<Implementation> reduced() {
  const std::string_view dst = "dst_addr", src = "src_addr";
  const auto floats = [&](float (*f)(float, float)) {
    return widened<float, float, float>(dst, {SourceParam(dst), SourceParam(src)}, f);
  };
  const std::array<SourceParam, 2> both = {SourceParam(dst), SourceParam(src)};
  const auto float_lists = choose(
      reduces_by(ALL_REDUCE_ADD), float_formula<TypedRow::kAdd, 2>(dst, both, "dtype"),
      choose(reduces_by(ALL_REDUCE_MUL), float_formula<TypedRow::kMultiply, 2>(dst, both, "dtype"),
             choose(reduces_by(ALL_REDUCE_MAX), floats(larger), floats(smaller))));
  return choose([](const Command& command) { return opcode_of(command) != ALL_REDUCE_NOP; },
                by_kind("dtype", float_lists, integer_rows(dst, {both[0], both[1]}, integer_rule)),
                copy_bits(dst, src));
}

// Into L2, where cores may do so at the same time.
OpSpec reducing_in_l2(OpSpec spec) {
  spec.operands[0].accumulates_by = "reduce_psum_op * reduce_opcode";
  return spec;
}

OpSpec reducing(MemoryKind source) {
  return {.engine = Engine::kGdma,
          .group = "gdma",
          .doc =
              "dst = dst op src, where reduce_opcode says which; src alone where it is 0, or "
              "reduce_psum_op is 0",
          .operands = {placed(Role::kInOut, MemoryKind::kSystem, "dst_addr", "dtype", kShape,
                              "dst_stride"),
                       exact_in_place(
                           placed(Role::kIn, source, "src_addr", "dtype", kShape, "src_stride"))},
          .limits = join({kShapeLimits,
                          any_type("dtype"),
                          {"0 <= reduce_psum_op <= 1", "0 <= reduce_opcode <= 4",
                           "dst_addr % dtype.bytes == 0", "src_addr % dtype.bytes == 0"}}),
          .numerics = Numerics::kChoice,
          .implementations = reduced()};
}

constexpr MemoryKind kL = MemoryKind::kLocal, kS = MemoryKind::kSystem;

}  // namespace

TL_TPU_OP(tpu_gdma_cpy_reduce_L12L2) = reducing_in_l2(reducing(kL));
TL_TPU_OP(tpu_gdma_cpy_reduce_S2L2) = reducing_in_l2(reducing(kS));
TL_TPU_OP(tpu_gdma_cpy_reduce_L22L2) = reducing_in_l2(reducing(kS));
TL_TPU_OP(tpu_gdma_cpy_reduce_S2S) = reducing(kS);
TL_TPU_OP(tpu_gdma_cpy_reduce_L2S) = reducing(kL);
TL_TPU_OP(tpu_sdma_cpy_reduce_S2L2) = as_chosen(on_sdma(reducing_in_l2(reducing(kS))));
TL_TPU_OP(tpu_sdma_cpy_reduce_L22L2) = as_chosen(on_sdma(reducing_in_l2(reducing(kS))));

}  // namespace tensorlane::tpukernel
