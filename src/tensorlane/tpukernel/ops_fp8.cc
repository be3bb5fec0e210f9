// BDC: arithmetic of 8-bit floats with a constant, of types of their own.
//
// Computed in fp32 and rounded once to the type of the result; what is larger than its largest
// number is infinite, of E4M3 a NaN. Published runs on the vendor's model show as much of the
// functions of one type; satu_mode changed nothing in them, and changes nothing here. A choice for
// all beyond.
#include "tensorlane/compute/fp32_arithmetic.h"
#include "tensorlane/compute/rows/byte_table_rows.h"
#include "tensorlane/compute/rows/widened_rows.h"
#include "tensorlane/tpukernel/families.h"

TL_TPU_OPS_FILE(fp8);

namespace tensorlane::tpukernel {
namespace {

using Formula = float (*)(float, float);

// A tensor of 8 bits has 256 results.
std::vector<Implementation> of_bytes(Formula f) {
  const std::array<SourceParam, 2> sources = {SourceParam("src_addr"), SourceParam("C", "C_dtype")};
  const auto row = [=](const Command& command) {
    return widened_row<float, float, float>(command, "dst_addr", sources, f,
                                            std::index_sequence_for<float, float>{});
  };
  return with_byte_table("dst_addr", "src_addr", "C", row,
                         widened<float, float, float>("dst_addr", sources, f));
}

OpSpec with_fp8_constant(Doc doc, Formula f) {
  return with_constants(
      {{"C", ConstantUse::kNumber, "C_dtype"}},
      as_chosen(
          of_shape("bdc-fp", doc, dst_src("dst_dtype", "src_dtype"),
                   join({float_type_or_fp8("dst_dtype"),
                         {"src_dtype in {DT_FP8E4M3, DT_FP8E5M2}",
                          "C_dtype in {DT_FP32, DT_FP16, DT_BFP16, DT_FP8E4M3, DT_FP8E5M2}",
                          "C_dtype.bytes <= dst_dtype.bytes [observed]", "0 <= satu_mode <= 1",
                          "dst_addr == src_addr => dst_dtype.bytes == 1"}}),
                   of_bytes(f))));
}

float constant_less(float a, float c) {
  return fp32::sub(c, a);
}

}  // namespace

TL_TPU_OP(tpu_bdc_fp8_add_C) = with_fp8_constant(computes("dst = src + C"), fp32::add);
TL_TPU_OP(tpu_bdc_fp8_C_sub) = with_fp8_constant(computes("dst = C - src"), constant_less);
TL_TPU_OP(tpu_bdc_fp8_mul_C) = with_fp8_constant(computes("dst = src * C"), fp32::mul);

}  // namespace tensorlane::tpukernel
