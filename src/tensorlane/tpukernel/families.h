// What many TPUKernel functions have in common: parameter lists, operands and limits.
#ifndef TENSORLANE_TPUKERNEL_FAMILIES_H_
#define TENSORLANE_TPUKERNEL_FAMILIES_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tensorlane/ops/in_place.h"
#include "tensorlane/ops/texts.h"
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

inline const Texts kShape = {"shape.n", "shape.c", "shape.h", "shape.w"};

// The type of an operand: fixed, or held by a parameter of the call.
struct TypeOf {
  Dtype fixed = Dtype::kFp32;
  std::string_view param = {};
  TypeOf(Dtype dtype) : fixed(dtype) {}                    // NOLINT(google-explicit-constructor)
  TypeOf(const char* dtype_param) : param(dtype_param) {}  // NOLINT(google-explicit-constructor)
  TypeOf(std::string_view dtype_param)
      : param(dtype_param) {}  // NOLINT(google-explicit-constructor)
};

// A tensor of the whole `shape` in local memory; `stride` names its stride parameter, if any.
inline OperandSpec local(Role role, std::string_view param, TypeOf type,
                         std::string_view stride = {}) {
  return {.param = param,
          .role = role,
          .dtype = type.fixed,
          .shape = kShape,
          .stride = stride,
          .dtype_param = type.param};
}
inline OperandSpec in(std::string_view param, TypeOf type, std::string_view stride = {}) {
  return local(Role::kIn, param, type, stride);
}
inline OperandSpec out(std::string_view param, TypeOf type, std::string_view stride = {}) {
  return local(Role::kOut, param, type, stride);
}
inline OperandSpec inout(std::string_view param, TypeOf type, std::string_view stride = {}) {
  return local(Role::kInOut, param, type, stride);
}
inline OperandSpec work(std::string_view param, TypeOf type) {
  return local(Role::kWork, param, type);
}
// The same with another shape or layout.
inline OperandSpec shaped(OperandSpec operand, Texts shape,
                          DefaultLayout layout = DefaultLayout::kAligned) {
  operand.shape = std::move(shape);
  operand.layout = layout;
  return operand;
}
// One value per channel, compact: bias, scale, shifts.
inline OperandSpec channel_vector(std::string_view param, TypeOf type,
                                  std::string_view channels = "shape.c") {
  return shaped(in(param, type), {"1", channels, "1", "1"}, DefaultLayout::kCompact);
}
// The same where its values say which elements move where: an index, a mask.
inline OperandSpec deciding(OperandSpec operand) {
  operand.decides = true;
  return operand;
}
// A result made of several elements of a source; see Combination.
inline OperandSpec combined(Combination combination, OperandSpec operand) {
  operand.combination = combination;
  return operand;
}
inline OperandSpec only_if(OperandSpec operand, std::string_view condition) {
  operand.used_if = condition;
  return operand;
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

// "dtype in {...}": the types a parameter may name.
inline Texts any_type(std::string_view param) {
  return {keep(std::string(param) +
               " in {DT_FP32, DT_FP16, DT_BFP16, DT_INT32, DT_UINT32, DT_INT16, "
               "DT_UINT16, DT_INT8, DT_UINT8}")};
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
