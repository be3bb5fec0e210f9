// From the C functions of okk.h to commands.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "tensorlane/base/error.h"
#include "tensorlane/device/kernel_runner.h"
#include "tensorlane/device/source_location.h"
#include "tensorlane/okk/define.h"

namespace tensorlane::okk {
namespace {

Arg integer(std::int64_t value) {
  Arg arg;
  arg.field[0] = value;
  return arg;
}

// A NULL pointer keeps the defaults its type documents (padding 0, stride and dilation 1).
Arg null_struct(std::int64_t default_value) {
  Arg arg;
  arg.is_null = true;
  arg.field.fill(default_value);
  return arg;
}

// A NULL pointer with no documented default.
Arg missing_struct() {
  Arg arg;
  arg.is_null = true;
  arg.has_value = false;
  return arg;
}

Arg pointer(const void* value) {
  Arg arg;
  arg.is_null = value == nullptr;
  arg.pointer = const_cast<void*>(value);
  return arg;
}

}  // namespace

Arg encode(int value) {
  return integer(value);
}
Arg encode(unsigned int value) {
  return integer(value);
}
Arg encode(unsigned long long value) {
  return integer(static_cast<std::int64_t>(value));
}
Arg encode(bool value) {
  return integer(value ? 1 : 0);
}
Arg encode(float value) {
  Arg arg = integer(std::bit_cast<std::uint32_t>(value));
  arg.number = value;
  return arg;
}
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
Arg encode(const dim4* value) {
  if (value == nullptr) return missing_struct();
  Arg arg;
  arg.field = {value->n, value->c, value->h, value->w};
  return arg;
}
Arg encode(dim4* value) {
  return pointer(value);
}
Arg encode(const dim2* value) {
  if (value == nullptr) return null_struct(1);
  Arg arg;
  arg.field = {value->h, value->w};
  return arg;
}
Arg encode(const Padding* value) {
  if (value == nullptr) return null_struct(0);
  Arg arg;
  arg.field = {value->top, value->bottom, value->left, value->right};
  return arg;
}
Arg encode(const fp32_or_addr_t* value) {
  if (value == nullptr) return missing_struct();
  Arg arg;
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value->context, sizeof bits);
  arg.field = {value->is_addr ? 1 : 0, value->is_addr ? bits : 0, value->is_addr ? 0 : bits};
  return arg;
}
Arg encode(const x32_or_addr_t* value) {
  if (value == nullptr) return missing_struct();
  Arg arg;
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value->context, sizeof bits);
  arg.field = {value->is_addr ? 1 : 0, value->is_addr ? bits : 0, value->is_addr ? 0 : bits};
  return arg;
}
Arg encode(const char* value) {
  return pointer(value);
}
Arg encode(const void* value) {
  return pointer(value);
}
Arg encode(okk_kernel_func_t value) {
  return pointer(reinterpret_cast<const void*>(value));
}

std::int64_t call_in_session(Session* session, const Op& op, std::span<const Arg> args,
                             const void* call_site) {
  if (op.engine() == Engine::kNone) {
    const Chip& chip = session != nullptr ? session->chip : bm1684();
    const Environment environment{args, &chip, session != nullptr && session->in_parallel_region};
    std::vector<Violation> violations;
    for (const Limit& limit : op.limits()) {
      if (auto violation = limit.check(environment)) violations.push_back(std::move(*violation));
    }
    if (!violations.empty()) {
      const IllegalCall error(op.name(), std::move(violations));
      if (session != nullptr)
        session->refuse({Refusal::Kind::kLimit, op.name(), error.what(), call_site});
      throw error;
    }
    return op.spec().call({chip, session, args, call_site});
  }
  if (session == nullptr) {
    user_error(
        "{} is called outside a launch\n    rule: kernels run on the device; launch them with "
        "okkernel_launch_sync or _async [doc]",
        op.name());
  }
  if (op.spec().implementations.empty()) user_error("{} is not implemented", op.name());
  session->issue(op, args, call_site);
  return 0;
}

std::int64_t call(const OpFile::Entry& entry, std::span<const Arg> args, const void* call_site) {
  Session* const session = current_session();
  try {
    return call_in_session(session, compiled(entry), args, call_site);
  } catch (const std::exception& error) {
    if (session == nullptr) {
      std::fprintf(stderr, "tensorlane: error at %s:\n  %s\n",
                   find_source_location(call_site).text().c_str(), error.what());
      return 0;
    }
    set_failure(error.what(), call_site);
  }
  end_kernel();
}

}  // namespace tensorlane::okk

extern "C" void okk_assert_failed(const char* condition, const char* file, int line,
                                  const char* function) {
  using namespace tensorlane;
  const void* const call_site = __builtin_return_address(0);
  if (current_session() == nullptr) {
    std::fprintf(stderr, "tensorlane: OKKERNEL_ASSERT(%s) failed outside a launch at %s:%d in %s\n",
                 condition, file, line, function);
    std::abort();  // as assert() would
  }
  {
    const std::string message =
        fmt::format("OKKERNEL_ASSERT({}) failed at {}:{} in {}", condition, file, line, function);
    current_session()->refuse({Refusal::Kind::kAssertion, "OKKERNEL_ASSERT", message, call_site});
    set_failure(message, call_site);
  }
  end_kernel();
}
