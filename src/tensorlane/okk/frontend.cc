// From the C functions of okk.h to commands.
#include <cstring>

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

std::int64_t call_in_session(Session* session, const Op& op, std::span<const Arg> args,
                             const void* call_site) {
  return tensorlane::call_in_session(session, op, args, call_site, bm1684());
}

std::int64_t call(const OpFile::Entry& entry, std::span<const Arg> args, const void* call_site) {
  return call_from_kernel(compiled(entry), args, call_site, bm1684());
}

}  // namespace tensorlane::okk

extern "C" void okk_assert_failed(const char* condition, const char* file, int line,
                                  const char* function) {
  tensorlane::assertion_failed("OKKERNEL_ASSERT", condition, file, line, function,
                               __builtin_return_address(0));
}
