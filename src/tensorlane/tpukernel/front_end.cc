// TPUKernel: the table of what is its own, and the way from the C functions of tpu_kernel.h to
// commands.
#include "tensorlane/tpukernel/front_end.h"

#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tensorlane/base/language.h"
#include "tensorlane/device/call.h"
#include "tensorlane/ops/encode.h"
#include "tensorlane/tpukernel/define.h"

namespace tensorlane::tpukernel {

using namespace arguments;

std::optional<Dtype> dtype_of(int code) {
  switch (code) {
    case DT_INT8:
      return Dtype::kInt8;
    case DT_UINT8:
      return Dtype::kUint8;
    case DT_INT16:
      return Dtype::kInt16;
    case DT_UINT16:
      return Dtype::kUint16;
    case DT_INT32:
      return Dtype::kInt32;
    case DT_UINT32:
      return Dtype::kUint32;
    case DT_FP16:
      return Dtype::kFp16;
    case DT_BFP16:
      return Dtype::kBf16;
    case DT_FP32:
      return Dtype::kFp32;
    case DT_INT4:
      return Dtype::kInt4;
    case DT_UINT4:
      return Dtype::kUint4;
    case DT_FP8E4M3:
      return Dtype::kFp8E4M3;
    case DT_FP8E5M2:
      return Dtype::kFp8E5M2;
    default:
      return std::nullopt;
  }
}

Arg encode(data_type_t value) {
  Arg arg = integer(value);
  arg.field[kDtypeField] = -1;
  if (const std::optional<Dtype> dtype = dtype_of(value)) {
    const DtypeInfo& info = dtype_info(*dtype);
    arg.field = {value,          info.bits / 8, info.bits,
                 info.is_signed, info.is_float, static_cast<std::int64_t>(*dtype)};
  }
  return arg;
}
Arg encode(scalar_t value) {
  return integer(value.u32);
}
Arg encode(var_context_t value) {
  return integer(value.addr);
}
Arg encode(const variable_t* value) {
  if (value == nullptr) return missing_struct();
  const bool is_addr = value->type != SCALAR;
  Arg arg;
  arg.field = {is_addr,
               is_addr ? value->context.addr : 0,
               is_addr ? 0 : value->context.addr,
               value->type,
               value->type == TENSOR,
               value->type == VECTOR};
  return arg;
}

namespace {

Arg argument(std::string_view type, std::int64_t number, std::uint32_t word) {
  if (type == "data_type_t") return encode(static_cast<data_type_t>(number));
  if (type == "char") return encode(static_cast<char>(number));
  if (type == "const variable_t*") {
    variable_t variable{};
    variable.type = static_cast<var_type_t>(number);
    variable.context.addr = word;
    return encode(&variable);
  }
  return integer(number);
}

void prefill(std::uint32_t id, std::uint64_t offset, std::span<std::byte> out) {
  for (std::size_t k = 0; k < out.size(); ++k, ++offset)
    out[k] = static_cast<std::byte>(id * 29 + offset * 7 + (offset >> 8U) * 13 + 0x41);
}

constexpr std::string_view kReferencePage = msg(
    "# TPUKernel functions\n\n"
    "Every function of `tpu_kernel.h` as TensorLane has it on the BM1684X. Written by "
    "`tensorlane ops --chip bm1684x\n--pages` from the list that also checks and runs the "
    "calls; do not edit.\n\n"
    "Types: a parameter in the column *Type* holds the element type; DT_FP8E4M3 and DT_FP8E5M2 are "
    "types of the BM1690 and the SG2260E.\nLayouts: *aligned* rounds "
    "the C stride up to\n64 bytes, which limits call `tpu_eu_num(DT_INT8)`, *line-aligned* the H "
    "stride, "
    "*compact* leaves no gaps, "
    "*matrix* spreads columns over channels, *continuous*\nis dense system memory. *Limits* refuse "
    "a call: it ends the launch with a message. *Limits of range* do, unless a run keeps "
    "going\n(`--keep-going`). *Limits of the model of 2024* are warnings; the call is computed, "
    "unless a run is strict (`--strict`).\n*Limits on values* are errors that the checker finds "
    "(`--check=values`). Functions of later chips and those without a public definition end the "
    "launch and say "
    "so.\n\n");

void report(const std::string& text) {
  std::fputs(text.c_str(), stderr);
}

}  // namespace

const FrontEnd& front_end() {
  static const FrontEnd own{.api = kTpukernel,
                            .chip = bm1684x(),
                            .registration = "TPUKERNEL_FUNC_REGISTER",
                            .symbols = "tpu_",
                            .layouts = System::kBm1684x,
                            .ops = ops,
                            .tier = tier,
                            .argument = argument,
                            .recorded_memory = {0x10000, prefill},
                            .reference_page = kReferencePage,
                            .report = report};
  return own;
}

std::int64_t call(const OpFile::Entry& entry, std::span<const Arg> args, const void* call_site) {
  return call_from_kernel(ops().compiled(entry), args, call_site, front_end());
}

}  // namespace tensorlane::tpukernel

extern "C" void tpu_assert_failed(const char* condition, const char* file, int line,
                                  const char* function) {
  tensorlane::assertion_failed(
      "TPUKERNEL_ASSERT",
      tensorlane::assertion_text("TPUKERNEL_ASSERT", condition, file, line, function),
      __builtin_return_address(0), tensorlane::tpukernel::front_end());
  std::abort();  // outside a launch
}
