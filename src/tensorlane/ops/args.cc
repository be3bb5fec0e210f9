#include "tensorlane/ops/args.h"

#include <string>

#include "tensorlane/base/error.h"

namespace tensorlane {
namespace {

constexpr ArgType kTypes[] = {
    {"int", ArgKind::kInteger, {}},
    {"unsigned int", ArgKind::kInteger, {}},
    {"unsigned long long", ArgKind::kInteger, {}},
    {"short", ArgKind::kInteger, {}},
    {"unsigned short", ArgKind::kInteger, {}},
    {"bool", ArgKind::kInteger, {}},
    {"local_addr_t", ArgKind::kLocalAddress, {}},
    {"system_addr_t", ArgKind::kSystemAddress, {}},
    {"float", ArgKind::kFloat, {}},
    {"op_type_t",
     ArgKind::kInteger,
     {"", "src_8bit", "src0_signed", "src1_signed", "dst_8bit", "dst_signed"}},
    {"mul_type_t", ArgKind::kInteger, {"", "src0_signed", "src1_signed", "dst_signed"}},
    {"const dim4*", ArgKind::kStruct, {"n", "c", "h", "w"}},
    {"dim4*", ArgKind::kPointer, {"n", "c", "h", "w"}},
    {"const dim2*", ArgKind::kStruct, {"h", "w"}, 1},
    {"const Padding*", ArgKind::kStruct, {"top", "bottom", "left", "right"}, 0},
    {"x32", ArgKind::kUnion, {"u32"}},
    {"x16", ArgKind::kUnion, {"u16"}},
    {"x8", ArgKind::kUnion, {"u8"}},
    {"const fp32_or_addr_t*", ArgKind::kValueOrAddress, {"is_addr", "context.addr", "context.val"}},
    {"const x32_or_addr_t*", ArgKind::kValueOrAddress, {"is_addr", "context.addr", "context.val"}},
    // TPUKernel. The last field of a data type is the Dtype it stands for, -1 for none.
    {"data_type_t", ArgKind::kDtype, {"", "bytes", "bits", "is_signed", "is_float", "kind"}},
    {"rounding_mode_t", ArgKind::kInteger, {}},
    {"scalar_t", ArgKind::kUnion, {"u32"}},
    {"var_context_t", ArgKind::kUnion, {"addr"}},
    {"const variable_t*",
     ArgKind::kValueOrAddress,
     {"is_addr", "context.addr", "context.scalar", "type", "is_tensor", "is_vector"}},
    {"const padding_t*", ArgKind::kStruct, {"top", "bottom", "left", "right"}, 0},
    {"const range_t*", ArgKind::kPointer, {"start", "end"}},
    {"const dim5*", ArgKind::kPointer, {"n", "c", "d", "h", "w"}},
    {"optional_info_t*", ArgKind::kPointer, {}},
    {"requant_int_info_t*", ArgKind::kPointer, {}},
    {"addr_t", ArgKind::kSystemAddress, {}},
    {"global_addr_t", ArgKind::kSystemAddress, {}},
    {"l2_sram_addr_t", ArgKind::kSystemAddress, {}},
    {"static_addr_t", ArgKind::kInteger, {}},
    {"char", ArgKind::kInteger, {}},
    {"unsigned char", ArgKind::kInteger, {}},
    {"size_t", ArgKind::kInteger, {}},
    {"uint64_t", ArgKind::kInteger, {}},
    {"uint16_t", ArgKind::kInteger, {}},
    {"u64", ArgKind::kInteger, {}},
    {"u32", ArgKind::kInteger, {}},
    {"func_type_t", ArgKind::kInteger, {}},
    {"mem_guard_attr_t", ArgKind::kInteger, {}},
    {"int*", ArgKind::kPointer, {}},
    {"const int*", ArgKind::kPointer, {}},
    {"u64*", ArgKind::kPointer, {}},
    {"const u64*", ArgKind::kPointer, {}},
    {"const tpu_engine_command_info_t*", ArgKind::kPointer, {}},
    {"const char*", ArgKind::kPointer, {}},
    {"const void*", ArgKind::kPointer, {}},
    {"void*", ArgKind::kPointer, {}},
    {"okk_kernel_func_t", ArgKind::kPointer, {}},
};

}  // namespace

const ArgType& arg_type(std::string_view spelling) {
  for (const ArgType& type : kTypes) {
    if (type.spelling == spelling) return type;
  }
  internal_error_at(__FILE__, __LINE__, "unknown parameter type " + std::string(spelling));
}

int field_index(const ArgType& type, std::string_view field) {
  for (int k = 0; k < kMaxArgFields; ++k) {
    if (type.fields[k] == field) return k;
  }
  return -1;
}

int field_count(const ArgType& type) {
  int count = 0;
  while (count < kMaxArgFields && !type.fields[static_cast<std::size_t>(count)].empty()) ++count;
  return count;
}

}  // namespace tensorlane
