// What many TPUKernel functions have in common: limits and entries.
#ifndef TENSORLANE_TPUKERNEL_FAMILIES_H_
#define TENSORLANE_TPUKERNEL_FAMILIES_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tensorlane/ops/operand_specs.h"
#include "tensorlane/tpukernel/cost.h"
#include "tensorlane/tpukernel/define.h"

// Parameter lists for TL_TPU_OP, as tpu_kernel.h spells them.
#define TPU_DST_SRC0_SRC1_STRIDED                                                  \
  (local_addr_t, dst_addr), (local_addr_t, src0_addr), (local_addr_t, src1_addr),  \
      (const dim4*, shape), (const dim4*, dst_stride), (const dim4*, src0_stride), \
      (const dim4*, src1_stride)
#define TPU_DST_SRC_C_STRIDED(type)                                                    \
  (local_addr_t, dst_addr), (local_addr_t, src_addr), (type, C), (const dim4*, shape), \
      (const dim4*, dst_stride), (const dim4*, src_stride)

namespace tensorlane::tpukernel {

// Shape limits of BDC and GDMA functions. [doc]
inline const Texts kShapeLimits =
    join({{"not_null(shape)"},
          on_request({"1 <= shape.n <= 65535", "1 <= shape.c <= 65535", "1 <= shape.h <= 65535",
                      "1 <= shape.w <= 65535"})});

// Where an operand may start: at a multiple of 64 bytes in the aligned layout, of the element size
// with a stride of its own. `bytes` is an expression, e.g. "dtype.bytes".
inline Texts aligned_or_strided(std::string_view address, std::string_view stride,
                                std::string_view bytes) {
  const std::string name(address);
  if (stride.empty()) return {keep(name + " % tpu_eu_num(DT_INT8) == 0 [doc; on request]")};
  return {keep(std::string(stride) + " == NULL => " + name +
               " % tpu_eu_num(DT_INT8) == 0 [doc; on request]"),
          keep(std::string(stride) + " != NULL => " + name + " % " + std::string(bytes) + " == 0")};
}

// The bytes of its type in the language of limits.
inline std::string_view bytes_of(const OperandSpec& operand) {
  return operand.dtype_param.empty() ? keep(std::to_string(dtype_bytes(operand.dtype)))
                                     : keep(std::string(operand.dtype_param) + ".bytes");
}

// A BDC function of tensors of one shape, the result first. Where each may start follows from its
// type and stride; `types` are limits.
OpSpec of_shape(std::string_view group, Doc doc, std::vector<OperandSpec> operands,
                const Texts& types, std::vector<Implementation> implementations, double cycles = 1);

// "dtype in {...}": the types a parameter may name.
inline Texts any_type(std::string_view param) {
  return {keep(std::string(param) +
               " in {DT_FP32, DT_FP16, DT_BFP16, DT_INT32, DT_UINT32, DT_INT16, "
               "DT_UINT16, DT_INT8, DT_UINT8}")};
}
inline Texts byte_type(std::string_view param) {
  return {keep(std::string(param) + " in {DT_INT8, DT_UINT8}")};
}
inline Texts float_type(std::string_view param) {
  return {keep(std::string(param) + " in {DT_FP32, DT_FP16, DT_BFP16}")};
}
// The same with 8-bit floats, on chips that have them: of functions that move elements or compute
// in fp32 and round.
inline Texts any_type_or_fp8(std::string_view param) {
  return {keep(std::string(param) +
               " in {DT_FP32, DT_FP16, DT_BFP16, DT_INT32, DT_UINT32, DT_INT16, "
               "DT_UINT16, DT_INT8, DT_UINT8, DT_FP8E4M3, DT_FP8E5M2}")};
}
inline Texts float_type_or_fp8(std::string_view param) {
  return {keep(std::string(param) + " in {DT_FP32, DT_FP16, DT_BFP16, DT_FP8E4M3, DT_FP8E5M2}")};
}
inline Texts integer_type(std::string_view param) {
  return {keep(std::string(param) +
               " in {DT_INT32, DT_UINT32, DT_INT16, DT_UINT16, DT_INT8, DT_UINT8}")};
}
inline Texts signed_type(std::string_view param) {
  return {keep(std::string(param) + " in {DT_INT32, DT_INT16, DT_INT8}")};
}
inline Texts unsigned_type(std::string_view param) {
  return {keep(std::string(param) + " in {DT_UINT32, DT_UINT16, DT_UINT8}")};
}
inline constexpr std::string_view kShiftMode = "0 <= rounding_mode <= 6";

// Functions that the chip's model of 2024 has for fp32 alone.
inline Texts newer_model_fp32_only(TypeOf type) {
  if (type.param.empty()) return {};
  return refused_by_model_of_2024({keep(std::string(type.param) + " == DT_FP32")});
}

// Of functions that no model was recorded on.
inline OpSpec as_documented(OpSpec spec) {
  spec.numerics = Numerics::kExactToDocument;
  return spec;
}

// Of functions whose bits nothing public decides.
inline OpSpec as_chosen(OpSpec spec) {
  spec.numerics = Numerics::kChoice;
  return spec;
}

// Entries of functions that cannot be called.
inline OpSpec later(std::string_view group, std::string_view needs) {
  return {.group = group,
          .doc = "Of later chips.",
          .absence = Absence::kLaterChip,
          .absence_reason = needs,
          .numerics = Numerics::kNoData};
}
// `reason` begins with "no public definition" and says what was tried.
inline OpSpec undefined(std::string_view group, Engine engine, std::string_view reason) {
  return {.engine = engine,
          .group = group,
          .doc = "No public source defines it.",
          .absence = Absence::kNoDefinition,
          .absence_reason = reason,
          .numerics = Numerics::kNoData};
}

}  // namespace tensorlane::tpukernel

#endif  // TENSORLANE_TPUKERNEL_FAMILIES_H_
