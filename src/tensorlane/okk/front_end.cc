// OKKernel: the table of what is its own, and the way from the C functions of okk.h to commands.
#include "tensorlane/okk/front_end.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tensorlane/base/language.h"
#include "tensorlane/device/call.h"
#include "tensorlane/okk/define.h"
#include "tensorlane/ops/encode.h"

namespace tensorlane::okk {
using namespace arguments;

namespace {

// fp32_or_addr_t and x32_or_addr_t share their shape; the value travels as bits.
template <class T>
Arg value_or_address(const T* value) {
  if (value == nullptr) return missing_struct();
  Arg arg;
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value->context, sizeof bits);
  arg.field = {value->is_addr ? 1 : 0, value->is_addr ? bits : 0, value->is_addr ? 0 : bits};
  return arg;
}

}  // namespace

Arg encode(op_type_t value) {
  const auto bits = static_cast<std::int64_t>(value);
  Arg arg;
  arg.field = {bits, bits & 1, bits >> 1 & 1, bits >> 2 & 1, bits >> 3 & 1, bits >> 4 & 1};
  return arg;
}
Arg encode(mul_type_t value) {
  const auto bits = static_cast<std::int64_t>(value);
  Arg arg;
  arg.field = {bits, bits & 1, bits >> 1 & 1, bits >> 2 & 1};
  return arg;
}
Arg encode(x32 value) {
  return integer(value.u32);
}
Arg encode(x16 value) {
  return integer(value.u16);
}
Arg encode(x8 value) {
  return integer(value.u8);
}
Arg encode(const fp32_or_addr_t* value) {
  return value_or_address(value);
}
Arg encode(const x32_or_addr_t* value) {
  return value_or_address(value);
}
Arg encode(okk_kernel_func_t value) {
  return pointer(reinterpret_cast<const void*>(value));
}

namespace {

Arg argument(std::string_view type, std::int64_t number, std::uint32_t) {
  if (type == "op_type_t") return encode(static_cast<op_type_t>(number));
  if (type == "mul_type_t") return encode(static_cast<mul_type_t>(number));
  return integer(number);
}

void prefill(std::uint32_t id, std::uint64_t offset, std::span<std::byte> out) {
  std::uint32_t value = static_cast<std::uint32_t>(offset) * 0x9E3779B1U + id * 0x85EBCA6BU;
  for (std::byte& byte : out) {
    byte = static_cast<std::byte>(value >> 24U);
    value += 0x9E3779B1U;
  }
}

constexpr std::string_view kReferencePage = msg(
    "# OKKernel functions\n\n"
    "Every function of `okk.h` as TensorLane has it. Written by `tensorlane ops --pages` from "
    "the list that also\nchecks and runs the calls; do not edit.\n\n"
    "Layouts: *aligned* rounds the C stride up to 128 bytes, *compact* leaves no gaps, *matrix* "
    "spreads columns over\nchannels, *continuous* is dense system memory. *Limits* refuse a "
    "call:\nit ends the "
    "launch with a message. *Limits of range* do, unless a run keeps going (`--keep-going`). "
    "*Limits of the document* are\nan error, but the call is computed as the model does; *limits "
    "not enforced* are a warning; *limits\non values* are errors that the "
    "checker finds (`--check=values`). What is *preferred* only costs time. Limits without a "
    "note\nare documented ones.\n\n");

void report(const std::string& text) {
  std::fputs(text.c_str(), stderr);
}

}  // namespace

const FrontEnd& front_end() {
  static const FrontEnd own{.api = kOkkernel,
                            .chip = bm1684(),
                            .registration = "OKKERNEL_FUNC_REGISTER",
                            .symbols = "okk",
                            .layouts = System::kBm1684,
                            .ops = ops,
                            .tier = nullptr,
                            .argument = argument,
                            .recorded_memory = {0x20000, prefill},
                            .reference_page = kReferencePage,
                            .report = report};
  return own;
}

std::int64_t call(const OpFile::Entry& entry, std::span<const Arg> args, const void* call_site) {
  return call_from_kernel(compiled(entry), args, call_site, front_end());
}

}  // namespace tensorlane::okk

extern "C" void okk_assert_failed(const char* condition, const char* file, int line,
                                  const char* function) {
  tensorlane::assertion_failed(
      "OKKERNEL_ASSERT",
      tensorlane::assertion_text("OKKERNEL_ASSERT", condition, file, line, function),
      __builtin_return_address(0), tensorlane::okk::front_end());
  std::abort();  // outside a launch
}
