// Copies that reduce: what is copied is added to what lies there, multiplied with it, or the larger
// or smaller of both stays. Kernels over several cores sum their parts in L2 so.
//
// Floats are computed in fp32 and rounded once, integers keep their low bits: a choice, no public
// source or model says more than the operation.
#include "tensorlane/compute/fp32_arithmetic.h"
#include "tensorlane/compute/rows/widened_rows.h"
#include "tensorlane/tpukernel/sdma.h"

TL_TPU_OPS_FILE(reducing_copies);

namespace tensorlane::tpukernel {
namespace {

OperandSpec operand(Role role, MemoryKind memory, std::string_view param, std::string_view stride) {
  return {
      .param = param,
      .role = role,
      .memory = memory,
      .shape = kShape,
      .stride = stride,
      .layout = memory == MemoryKind::kLocal ? DefaultLayout::kAligned : DefaultLayout::kContinuous,
      .dtype_param = "dtype"};
}

float add(float a, float b) {
  return fp32::add(a, b);
}
std::int64_t add(std::int64_t a, std::int64_t b) {
  return a + b;
}
float multiply(float a, float b) {
  return fp32::mul(a, b);
}
std::int64_t multiply(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

// dst = dst op src, of the wide values.
template <class T>
std::vector<Implementation> reduced() {
  return widened<T, T, T>("dst_addr", {"dst_addr", "src_addr"}, [](const Command& command) {
    const bool reads = command.arg("reduce_psum_op").value() == ALL_REDUCE_PSUM_WR;
    const std::int64_t how = reads ? command.arg("reduce_opcode").value() : 0;
    return [how](T there, T moved) -> T {
      switch (how) {
        case ALL_REDUCE_MUL:
          return multiply(there, moved);
        case ALL_REDUCE_MAX:
          return there < moved ? moved : there;
        case ALL_REDUCE_MIN:
          return moved < there ? moved : there;
        case ALL_REDUCE_ADD:
          return add(there, moved);
        default:
          return moved;
      }
    };
  });
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
          .operands = {operand(Role::kInOut, MemoryKind::kSystem, "dst_addr", "dst_stride"),
                       exact_in_place(operand(Role::kIn, source, "src_addr", "src_stride"))},
          .limits = join({kShapeLimits,
                          any_type("dtype"),
                          {"0 <= reduce_psum_op <= 1", "0 <= reduce_opcode <= 4",
                           "dst_addr % dtype.bytes == 0", "src_addr % dtype.bytes == 0"}}),
          .numerics = Numerics::kChoice,
          .implementations = by_kind("dtype", reduced<float>(), reduced<std::int64_t>())};
}

constexpr MemoryKind kL = MemoryKind::kLocal, kS = MemoryKind::kSystem;

}  // namespace
}  // namespace tensorlane::tpukernel

using namespace tensorlane;
using namespace tensorlane::tpukernel;

#define TPU_REDUCE(src_type)                                                      \
  (system_addr_t, dst_addr), (src_type, src_addr), (const dim4*, shape),          \
      (const dim4*, dst_stride), (const dim4*, src_stride), (data_type_t, dtype), \
      (int, reduce_psum_op), (int, reduce_opcode)

TL_TPU_OP(void, tpu_gdma_cpy_reduce_L12L2, TPU_REDUCE(local_addr_t)) = reducing_in_l2(reducing(kL));
TL_TPU_OP(void, tpu_gdma_cpy_reduce_S2L2, TPU_REDUCE(system_addr_t)) = reducing_in_l2(reducing(kS));
TL_TPU_OP(void, tpu_gdma_cpy_reduce_L22L2,
          TPU_REDUCE(system_addr_t)) = reducing_in_l2(reducing(kS));
TL_TPU_OP(void, tpu_gdma_cpy_reduce_S2S, TPU_REDUCE(system_addr_t)) = reducing(kS);
TL_TPU_OP(void, tpu_gdma_cpy_reduce_L2S, TPU_REDUCE(local_addr_t)) = reducing(kL);
TL_TPU_OP(void, tpu_sdma_cpy_reduce_S2L2,
          TPU_REDUCE(system_addr_t)) = as_chosen(on_sdma(reducing_in_l2(reducing(kS))));
TL_TPU_OP(void, tpu_sdma_cpy_reduce_L22L2,
          TPU_REDUCE(system_addr_t)) = as_chosen(on_sdma(reducing_in_l2(reducing(kS))));
