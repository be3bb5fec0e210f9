// BDC: bias and scale per channel, and squares of sums.
//
// One rounding to the type per step: a scale multiplies and adds 0, a scale with bias multiplies
// and adds, a square is that of the rounded sum. [observed]
#include "tensorlane/compute/fp32_arithmetic.h"
#include "tensorlane/compute/rows/typed_rows.h"
#include "tensorlane/compute/rows/widened_rows.h"
#include "tensorlane/tpukernel/families.h"

TL_TPU_OPS_FILE(scale_functions);

namespace tensorlane::tpukernel {
namespace {

using List = std::vector<Implementation>;
using Two = float (*)(float, float);

constexpr std::string_view kScaleGroup = "bdc-nn";

// A value of fp32 rounded to the type of the call, as every step of the chip is.
class Rounding {
 public:
  explicit Rounding(const Command& command)
      : load_(load_row<float>(command.operands()[0].layout.dtype())),
        store_(store_row<float>(command.operands()[0].layout.dtype())),
        exact_(command.operands()[0].layout.dtype() == Dtype::kFp32) {}
  float operator()(float value) const {
    if (exact_) return value;
    std::array<std::byte, 2> bits;
    float rounded = 0;
    store_(bits.data(), 2, 1, &value);
    load_(bits.data(), 2, 1, &rounded);
    return rounded;
  }

 private:
  LoadRow<float> load_;
  StoreRow<float> store_;
  bool exact_;
};

OpSpec scale_spec(Doc doc, double cycles, List implementations) {
  return {
      .engine = Engine::kBdc,
      .group = kScaleGroup,
      .doc = doc,
      .operands = {out("dst_addr", "dtype"), exact_in_place(in("src_addr", "dtype"))},
      .limits = join({kShapeLimits,
                      float_type("dtype"),
                      {"dst_addr % tpu_eu_num(DT_INT8) == 0", "src_addr % tpu_eu_num(DT_INT8) == 0",
                       "same_start_npu(dst_addr, src_addr)"}}),
      .numerics = Numerics::kExactToModel,
      .implementations = std::move(implementations),
      .cycles = per_step(cycles)};
}

OpSpec with_vector(OpSpec spec, std::string_view param) {
  spec.operands.push_back(channel_vector(param, "dtype"));
  const std::string name(param);
  spec.limits =
      join({spec.limits,
            {keep(name + " % dtype.bytes == 0"), keep("same_start_npu(dst_addr, " + name + ")")}});
  return spec;
}

// dst = f(src, value), squared or not. `value` is a vector per channel or the constant C.
List apply(std::string_view value, Two f, TypedRow vectors) {
  const bool squared = vectors != TypedRow::kAdd;
  return typed_simd(
      vectors, "dst_addr", {"src_addr", value}, "dtype",
      widened<float, float, float>("dst_addr", {"src_addr", SourceParam(value, "dtype")},
                                   [=](const Command& command) {
                                     return [=, rounded = Rounding(command)](float x, float y) {
                                       if (!squared) return f(x, y);
                                       const float sum = rounded(f(x, y));
                                       return fp32::mul(sum, sum);
                                     };
                                   }));
}

// The rounded product plus 0: a -0 becomes +0.
List scaled() {
  return typed_simd(TypedRow::kScale, "dst_addr", {"src_addr", "scale_addr"}, "dtype",
                    widened<float, float, float>(
                        "dst_addr", {"src_addr", "scale_addr"}, [](const Command& command) {
                          return [rounded = Rounding(command)](float x, float scale) {
                            return fp32::add(rounded(fp32::mul(x, scale)), 0.0F);
                          };
                        }));
}

List scaled_and_moved(const SourceParam& scale, const SourceParam& bias) {
  return typed_simd(TypedRow::kScaleBias, "dst_addr", {"src_addr", scale.param, bias.param},
                    "dtype",
                    widened<float, float, float, float>(
                        "dst_addr", {"src_addr", scale, bias}, [](const Command& command) {
                          return [rounded = Rounding(command)](float x, float k, float b) {
                            return fp32::add(rounded(fp32::mul(x, k)), b);
                          };
                        }));
}

OpSpec bias_spec(Doc doc, Two f, TypedRow vectors) {
  const int cycles = vectors == TypedRow::kAdd ? 1 : 2;
  return with_vector(scale_spec(doc, cycles, apply("bias_addr", f, vectors)), "bias_addr");
}

}  // namespace
}  // namespace tensorlane::tpukernel

using namespace tensorlane;
using namespace tensorlane::tpukernel;

TL_TPU_OP(void, tpu_bdc_fp_bias, (local_addr_t, dst_addr), (local_addr_t, src_addr),
          (local_addr_t, bias_addr), (const dim4*, shape),
          (data_type_t, dtype)) = bias_spec(computes("dst = src + bias[c]"), fp32::add,
                                            TypedRow::kAdd);
TL_TPU_OP(void, tpu_bdc_fp_add_bias_sqr, (local_addr_t, dst_addr), (local_addr_t, src_addr),
          (local_addr_t, bias_addr), (const dim4*, shape),
          (data_type_t, dtype)) = bias_spec(computes("dst = (src + bias[c]) ^ 2"), fp32::add,
                                            TypedRow::kSquaredSum);
TL_TPU_OP(void, tpu_bdc_fp_add_C_sqr, (local_addr_t, dst_addr), (local_addr_t, src_addr),
          (scalar_t, C), (const dim4*, shape),
          (data_type_t, dtype)) = scale_spec(computes("dst = (src + C) ^ 2"), 2,
                                             apply("C", fp32::add, TypedRow::kSquaredSum));
TL_TPU_OP(void, tpu_bdc_fp_sub_bias_sqr, (local_addr_t, dst_addr), (local_addr_t, src_addr),
          (local_addr_t, bias_addr), (const dim4*, shape),
          (data_type_t, dtype)) = bias_spec(computes("dst = (src - bias[c]) ^ 2"), fp32::sub,
                                            TypedRow::kSquaredDifference);
TL_TPU_OP(void, tpu_bdc_fp_sub_C_sqr, (local_addr_t, dst_addr), (local_addr_t, src_addr),
          (scalar_t, C), (const dim4*, shape),
          (data_type_t, dtype)) = scale_spec(computes("dst = (src - C) ^ 2"), 2,
                                             apply("C", fp32::sub, TypedRow::kSquaredDifference));
TL_TPU_OP(void, tpu_bdc_fp_scale, (local_addr_t, dst_addr), (local_addr_t, src_addr),
          (local_addr_t, scale_addr), (const dim4*, shape), (data_type_t, dtype)) =
    with_vector(scale_spec(computes("dst = src * scale[c]"), 1, scaled()), "scale_addr");
TL_TPU_OP(void, tpu_bdc_fp_scale_bias, (local_addr_t, dst_addr), (local_addr_t, src_addr),
          (local_addr_t, scale_addr), (local_addr_t, bias_addr), (const dim4*, shape),
          (data_type_t, dtype)) =
    with_vector(with_vector(scale_spec(computes("dst = src * scale[c] + bias[c]"), 2,
                                       scaled_and_moved("scale_addr", "bias_addr")),
                            "scale_addr"),
                "bias_addr");
TL_TPU_OP(void, tpu_bdc_fp_scale_bias_C, (local_addr_t, dst_addr), (local_addr_t, src_addr),
          (scalar_t, scale), (scalar_t, bias), (const dim4*, shape),
          (data_type_t, dtype)) = scale_spec(computes("dst = src * scale + bias"), 2,
                                             scaled_and_moved({"scale", "dtype"},
                                                              {"bias", "dtype"}));
