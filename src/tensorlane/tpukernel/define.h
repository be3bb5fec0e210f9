// How a TPUKernel function enters the ops list.
//
//   TL_TPU_OP(tpu_bdc_fp_add) = binary(computes("dst = src0 + src1"), ...);
//
// The macro is that of ops/define_op.h, which also defines the C function. Entries stand in files
// that begin with TL_TPU_OPS_FILE(name); op_list.cc lists the files.
//
// The type of an operand is usually an argument: its OperandSpec names the parameter (dtype_param),
// and limits may say dtype.bytes, dtype.is_float or "dtype in {DT_FP32, DT_FP16}".
#ifndef TENSORLANE_TPUKERNEL_DEFINE_H_
#define TENSORLANE_TPUKERNEL_DEFINE_H_

#include <optional>

#include "tensorlane/device/host_call.h"
#include "tensorlane/ops/encode.h"
#include "tensorlane/ops/op.h"
#include "tensorlane/tpukernel/signatures.h"
#include "tpu_kernel.h"

namespace tensorlane::tpukernel {

// Arguments of the C types of tpu_kernel.h in the form of the ops list; see ops/args.cc.
using arguments::encode;
Arg encode(data_type_t value);
Arg encode(scalar_t value);
Arg encode(var_context_t value);
Arg encode(const variable_t* value);

// The type a data_type_t stands for; nothing for codes that no chip here knows.
std::optional<Dtype> dtype_of(int code);

// Runs a call for the current launch. Where the call is illegal the launch ends here and control
// does not return (outside a launch: a message on stderr, and 0).
std::int64_t call(const OpFile::Entry& entry, std::span<const Arg> args, const void* call_site);

// The list of all functions.
const OpList& ops();

// How common a function is in published kernels: 1 (called five times or more, or a helper), 2
// (called at all) or 3.
int tier(std::string_view function);

}  // namespace tensorlane::tpukernel

#define TL_FRONT_END tensorlane::tpukernel
#include "tensorlane/ops/define_op.h"

#define TL_TPU_OPS_FILE(name) TL_OPS_FILE(name)
#define TL_TPU_ENTRY(function) TL_ENTRY(function)
#define TL_TPU_OP(function) TL_OP(function)

#endif  // TENSORLANE_TPUKERNEL_DEFINE_H_
