// BDC: arithmetic of 8-bit floats with a constant, of types of their own.
//
// Computed in fp32 and rounded once to the type of the result; what is larger than its largest
// number is infinite, of E4M3 a NaN. Published runs on the vendor's model show as much of the
// functions of one type; satu_mode changed nothing in them, and changes nothing here. A choice for
// all beyond.
#include "tensorlane/compute/fp32_arithmetic.h"
#include "tensorlane/compute/rows/byte_float_rows.h"
#include "tensorlane/compute/rows/byte_table_rows.h"
#include "tensorlane/compute/rows/widened_rows.h"
#include "tensorlane/tpukernel/families.h"

TL_TPU_OPS_FILE(fp8);

namespace tensorlane::tpukernel {
namespace {

using Formula = float (*)(float, float);

// In vectors, or by a table: a tensor of 8 bits has 256 results.
std::vector<Implementation> of_bytes(Formula f, ByteFloatFormula in_vectors) {
  const std::array<SourceParam, 2> sources = {SourceParam("src_addr"), SourceParam("C", "C_dtype")};
  const auto row = [=](const Command& command) {
    return widened_row<float, float, float>(command, "dst_addr", sources, f,
                                            std::index_sequence_for<float, float>{});
  };
  const auto vectors = [=](const Invocation& invocation) {
    const Command& command = invocation.command;
    const Dtype dst = type_in(command, "dst_dtype");
    const ByteFloatRow found = byte_float_row(in_vectors, dst, type_in(command, "src_dtype"));
    if (found == nullptr) return false;
    const auto bits = static_cast<std::uint32_t>(command.arg("C").value());
    float constant = 0;
    load_row<float>(type_in(command, "C_dtype"))(reinterpret_cast<const std::byte*>(&bits), 0, 1,
                                                 &constant);
    if (fp32::is_nan(constant)) return false;
    const auto run = [=, bytes = dtype_bytes(dst), all = row(command)](const Row& frame) {
      if (frame.dst_step == bytes && frame.src_step[0] == 1) return found(frame, constant);
      Row with_constant = frame;
      with_constant.src[1] = reinterpret_cast<const std::byte*>(&bits);
      all(with_constant);
    };
    const std::array<std::string_view, 1> names = {"src_addr"};
    return run_rows(invocation, "dst_addr", names, run);
  };
  std::vector<Implementation> list = with_byte_table(
      "dst_addr", "src_addr", "C", row, widened<float, float, float>("dst_addr", sources, f));
  list.insert(list.begin(), {"simd", vectors, kAnyOperands});
  return list;
}

OpSpec with_fp8_constant(Doc doc, Formula f, ByteFloatFormula in_vectors) {
  return with_constants(
      {{"C", ConstantUse::kNumber, "C_dtype"}},
      as_chosen(
          of_shape("bdc-fp", doc, dst_src("dst_dtype", "src_dtype"),
                   join({float_type_or_fp8("dst_dtype"),
                         {"src_dtype in {DT_FP8E4M3, DT_FP8E5M2}",
                          "C_dtype in {DT_FP32, DT_FP16, DT_BFP16, DT_FP8E4M3, DT_FP8E5M2}",
                          "C_dtype.bytes <= dst_dtype.bytes [observed]", "0 <= satu_mode <= 1",
                          "dst_addr == src_addr => dst_dtype.bytes == 1"}}),
                   of_bytes(f, in_vectors))));
}

float constant_less(float a, float c) {
  return fp32::sub(c, a);
}

}  // namespace

TL_TPU_OP(tpu_bdc_fp8_add_C) = with_fp8_constant(computes("dst = src + C"), fp32::add,
                                                 ByteFloatFormula::kAdd);
TL_TPU_OP(tpu_bdc_fp8_C_sub) = with_fp8_constant(computes("dst = C - src"), constant_less,
                                                 ByteFloatFormula::kSubtractFrom);
TL_TPU_OP(tpu_bdc_fp8_mul_C) = with_fp8_constant(computes("dst = src * C"), fp32::mul,
                                                 ByteFloatFormula::kMultiply);

}  // namespace tensorlane::tpukernel
