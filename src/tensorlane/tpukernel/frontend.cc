// From the C functions of tpu_kernel.h to commands.
#include <bit>
#include <cstring>

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
Arg encode(rounding_mode_t value) {
  return integer(value);
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
Arg encode(tpu_kernel_func_t value) {
  return pointer(reinterpret_cast<const void*>(value));
}

std::int64_t call_in_session(Session* session, const Op& op, std::span<const Arg> args,
                             const void* call_site) {
  return tensorlane::call_in_session(session, op, args, call_site, bm1684x());
}

std::int64_t call(const OpFile::Entry& entry, std::span<const Arg> args, const void* call_site) {
  return call_from_kernel(ops().compiled(entry), args, call_site, bm1684x());
}

}  // namespace tensorlane::tpukernel

extern "C" void tpu_assert_failed(const char* condition, const char* file, int line,
                                  const char* function) {
  tensorlane::assertion_failed("TPUKERNEL_ASSERT", condition, file, line, function,
                               __builtin_return_address(0));
}
