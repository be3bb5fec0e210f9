// Calls as C statements: what a test prints can be pasted into a kernel.
#include "tensorlane/ops/call_text.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>

namespace tensorlane {
namespace {

// The text of one argument of `type`.
std::string text_of(std::string_view type, const Arg& arg) {
  const Param params[] = {{type, "x"}};
  const OpSpec spec{.numerics = Numerics::kNoData};
  const Op op("f", "void", params, spec, {});
  const std::string call = call_text(op, std::span(&arg, 1));
  EXPECT_EQ(call.substr(0, 2), "f(");
  EXPECT_EQ(call.substr(call.size() - 2), ");");
  return call.substr(2, call.size() - 4);
}
std::string text(std::string_view type, std::array<std::int64_t, kMaxArgFields> fields) {
  Arg arg;
  arg.field = fields;
  return text_of(type, arg);
}
std::string text(float value) {
  return text("float", {std::bit_cast<std::uint32_t>(value)});
}

TEST(CallText, Numbers) {
  EXPECT_EQ(text("int", {-3}), "-3");
  EXPECT_EQ(text("bool", {1}), "true");
  EXPECT_EQ(text("bool", {0}), "false");
  EXPECT_EQ(text("local_addr_t", {0x80000}), "0x80000");
  EXPECT_EQ(text("system_addr_t", {0x105100000}), "0x105100000");
  EXPECT_EQ(text("x32", {0x3f800000}), "(x32){.u32 = 0x3f800000}");
  EXPECT_EQ(text("x8", {7}), "(x8){.u8 = 0x7}");
  EXPECT_EQ(text("scalar_t", {7}), "(scalar_t){.u32 = 0x7}");
  EXPECT_EQ(text("data_type_t", {11}), "11");
  EXPECT_EQ(text("data_type_t", {5, 4, 32, 1, 1, static_cast<int>(Dtype::kFp32)}), "DT_FP32");
  EXPECT_EQ(text("rounding_mode_t", {3}), "RM_DOWN");
}

// The constant of a call with one type.
std::string constant(Dtype dtype, std::int64_t bits) {
  const Param params[] = {{"scalar_t", "C"}, {"data_type_t", "dtype"}};
  const OpSpec spec{.constants = {{"C", ConstantUse::kNumber, "dtype"}},
                    .numerics = Numerics::kNoData};
  const Op op("f", "void", params, spec, {});
  std::array<Arg, 2> args;
  args[0].field = {bits};
  args[1].field[kDtypeField] = static_cast<std::int64_t>(dtype);
  return argument_text(op, args, 0);
}

TEST(CallText, ConstantsStandAsTheirTypeSays) {
  EXPECT_EQ(constant(Dtype::kFp32, 0x40000000), "(scalar_t){.f32 = 2.0f}");
  EXPECT_EQ(constant(Dtype::kFp32, 2), "(scalar_t){.u32 = 0x2 /* 3e-45 */}");
  EXPECT_EQ(constant(Dtype::kFp16, 0x3c00), "(scalar_t){.u16 = 0x3c00 /* 1 */}");
  EXPECT_EQ(constant(Dtype::kFp16, 0x3f800000), "(scalar_t){.u32 = 0x3f800000 /* 0 */}");
  EXPECT_EQ(constant(Dtype::kBf16, 0xbf80), "(scalar_t){.u16 = 0xbf80 /* -1 */}");
  EXPECT_EQ(constant(Dtype::kInt8, 0xfd), "(scalar_t){.s8 = -3}");
  EXPECT_EQ(constant(Dtype::kUint16, 7), "(scalar_t){.u16 = 7}");
}

TEST(CallText, FloatsAreFloatConstantsOfC) {
  EXPECT_EQ(text(1.5F), "1.5f");
  EXPECT_EQ(text(-2.0F), "-2.0f");
  EXPECT_EQ(text(1e30F), "1e+30f");
  EXPECT_EQ(text(0.0F), "0.0f");
  // What no constant says without a doubt travels as bits, in C of either interface.
  EXPECT_EQ(text(std::numeric_limits<float>::infinity()),
            "(union { unsigned u; float f; }){0x7f800000}.f");
  EXPECT_EQ(text(std::bit_cast<float>(0xffc01234u)),
            "(union { unsigned u; float f; }){0xffc01234}.f");
  EXPECT_EQ(text(0x1p-149F), "(union { unsigned u; float f; }){0x1}.f");
}

TEST(CallText, Structs) {
  EXPECT_EQ(text("const dim4*", {1, 3, 4, 5}), "&(dim4){1, 3, 4, 5}");
  EXPECT_EQ(text("const dim2*", {2, 1}), "&(dim2){2, 1}");
  EXPECT_EQ(text("const padding_t*", {1, 2, 3, 4}), "&(padding_t){1, 2, 3, 4}");
  Arg missing;
  missing.is_null = true;
  EXPECT_EQ(text_of("const dim4*", missing), "NULL");
  EXPECT_EQ(text_of("const void*", missing), "NULL");
}

TEST(CallText, ValuesOrAddresses) {
  EXPECT_EQ(text("const fp32_or_addr_t*", {1, 0x40}), "&(fp32_or_addr_t){true, {.addr = 0x40}}");
  EXPECT_EQ(text("const fp32_or_addr_t*", {0, 0, 0x3fc00000}),
            "&(fp32_or_addr_t){false, {.val = 1.5f}}");
  EXPECT_EQ(text("const x32_or_addr_t*", {0, 0, 5}), "&(x32_or_addr_t){false, {.val.u32 = 0x5}}");
  EXPECT_EQ(text("const variable_t*", {1, 0x40, 0, 0, 1, 0}),
            "&(variable_t){TENSOR, {.addr = 0x40}}");
  EXPECT_EQ(text("const variable_t*", {1, 0x40, 0, 2, 0, 1}),
            "&(variable_t){VECTOR, {.addr = 0x40}}");
  EXPECT_EQ(text("const variable_t*", {0, 0, 5, 1, 0, 0}),
            "&(variable_t){SCALAR, {.scalar.u32 = 0x5}}");
  EXPECT_EQ(text("var_context_t", {0x40}), "(var_context_t){.addr = 0x40}");
}

TEST(CallText, ArgumentsAreSeparatedByCommas) {
  const Param params[] = {{"int", "a"}, {"int", "b"}};
  const OpSpec spec{.numerics = Numerics::kNoData};
  const Op op("okk_f", "void", params, spec, {});
  EXPECT_EQ(call_text(op, std::array<Arg, 2>{}), "okk_f(0, 0);");
}

}  // namespace
}  // namespace tensorlane
