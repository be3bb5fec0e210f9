// Operands of entries, as the ops files of all front ends write them down.
#ifndef TENSORLANE_OPS_OPERAND_SPECS_H_
#define TENSORLANE_OPS_OPERAND_SPECS_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tensorlane/ops/in_place.h"
#include "tensorlane/ops/texts.h"

namespace tensorlane {

inline const Texts kShape = {"shape.n", "shape.c", "shape.h", "shape.w"};
inline const Texts kInputShape = {"input_shape.n", "input_shape.c", "input_shape.h",
                                  "input_shape.w"};

// The type of an operand: fixed, or held by a parameter of the call.
struct TypeOf {
  Dtype fixed = Dtype::kFp32;
  std::string_view param = {};
  TypeOf(Dtype dtype) : fixed(dtype) {}                    // NOLINT(google-explicit-constructor)
  TypeOf(const char* dtype_param) : param(dtype_param) {}  // NOLINT(google-explicit-constructor)
  TypeOf(std::string_view dtype_param)
      : param(dtype_param) {}  // NOLINT(google-explicit-constructor)
};

// A tensor in any memory; `stride` names its stride parameter, if any. Without one it is aligned in
// local memory and continuous in system memory.
inline OperandSpec placed(Role role, MemoryKind memory, std::string_view param, TypeOf type,
                          Texts shape, std::string_view stride = {}) {
  return {
      .param = param,
      .role = role,
      .memory = memory,
      .dtype = type.fixed,
      .shape = std::move(shape),
      .stride = stride,
      .layout = memory == MemoryKind::kLocal ? DefaultLayout::kAligned : DefaultLayout::kContinuous,
      .dtype_param = type.param};
}
// A tensor of the whole `shape` in local memory.
inline OperandSpec local(Role role, std::string_view param, TypeOf type,
                         std::string_view stride = {}) {
  return placed(role, MemoryKind::kLocal, param, type, kShape, stride);
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
// In the matrix layout, with as many columns per channel as parameter `per_channel` says.
inline OperandSpec matrix(Role role, std::string_view param, TypeOf type, std::string_view rows,
                          std::string_view cols, std::string_view per_channel) {
  OperandSpec operand = shaped(local(role, param, type), {rows, cols}, DefaultLayout::kMatrix);
  operand.cols_per_channel = per_channel;
  return operand;
}
// In system memory, a row every so many elements.
inline OperandSpec system_matrix(Role role, std::string_view param, TypeOf type,
                                 std::string_view rows, std::string_view cols,
                                 std::string_view row_stride) {
  OperandSpec operand = placed(role, MemoryKind::kSystem, param, type, {rows, cols});
  operand.layout = DefaultLayout::kRows;
  operand.row_stride = row_stride;
  return operand;
}

// A source whose values say which elements move where: an index, a mask.
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
// A result that is read as well under a condition.
inline OperandSpec inout_if(std::string_view condition, OperandSpec operand) {
  operand.inout_if = condition;
  return operand;
}
// A term of a sum: a bias.
inline OperandSpec added(OperandSpec operand) {
  operand.added = true;
  return operand;
}

// What element-wise functions with strides are of.
inline std::vector<OperandSpec> dst_src(TypeOf dst, TypeOf src) {
  return {out("dst_addr", dst, "dst_stride"), exact_in_place(in("src_addr", src, "src_stride"))};
}
inline std::vector<OperandSpec> dst_src0_src1(TypeOf dst, TypeOf src0, TypeOf src1) {
  return {out("dst_addr", dst, "dst_stride"), exact_in_place(in("src0_addr", src0, "src0_stride")),
          exact_in_place(in("src1_addr", src1, "src1_stride"))};
}

// The limit that all of them start at one NPU.
inline std::string_view same_start(const std::vector<OperandSpec>& operands) {
  std::string all;
  for (const OperandSpec& operand : operands)
    all += (all.empty() ? "" : ", ") + std::string(operand.param);
  return keep("same_start_npu(" + all + ")");
}

// Entries that differ a little from others.
inline OpSpec with_constants(std::vector<ConstantSpec> constants, OpSpec spec) {
  spec.constants = std::move(constants);
  return spec;
}
inline OpSpec with_combination(Combination combination, OpSpec spec) {
  spec.operands[0].combination = combination;
  return spec;
}
inline OpSpec accumulating(OpSpec spec) {  // its result is read as well
  spec.operands[0].role = Role::kInOut;
  return spec;
}
inline void add_limits(OpSpec& spec, const Texts& limits) {
  spec.limits = join({spec.limits, limits});
}
inline OpSpec with_limits(OpSpec spec, const Texts& limits) {
  add_limits(spec, limits);
  return spec;
}

}  // namespace tensorlane

#endif  // TENSORLANE_OPS_OPERAND_SPECS_H_
