// How an OKKernel function enters the ops list.
//
//   TL_OKK_OP(okk_bdc_relu) = {
//       .engine = Engine::kBdc,
//       .group = "bdc-nn",
//       .doc = {"...", "..."},
//       ...
//   };
//
// The macro is that of ops/define_op.h, which also defines the C function okk_bdc_relu. Entries
// stand in files that begin with TL_OKK_OPS_FILE(name); op_list.cc lists the files.
#ifndef TENSORLANE_OKK_DEFINE_H_
#define TENSORLANE_OKK_DEFINE_H_

#ifndef USING_CMODEL
#define USING_CMODEL
#endif
#include "okk.h"
#include "tensorlane/device/host_call.h"
#include "tensorlane/okk/signatures.h"
#include "tensorlane/ops/encode.h"
#include "tensorlane/ops/op.h"

namespace tensorlane::okk {

// Arguments of the C types of okk.h in the form of the ops list; see ops/args.cc for the fields.
using arguments::encode;
Arg encode(op_type_t value);
Arg encode(mul_type_t value);
Arg encode(x32 value);
Arg encode(x16 value);
Arg encode(x8 value);
Arg encode(const fp32_or_addr_t* value);
Arg encode(const x32_or_addr_t* value);
Arg encode(okk_kernel_func_t value);

// Runs a call for the current launch. Where the call is illegal the launch ends here and control
// does not return (outside a launch: a message on stderr, and 0).
std::int64_t call(const OpFile::Entry& entry, std::span<const Arg> args, const void* call_site);

// The list of all functions.
const OpList& ops();
inline const Op& compiled(const OpFile::Entry& entry) {
  return ops().compiled(entry);
}
inline std::span<const Op* const> op_list() {
  return ops().all();
}
inline const Op* find_op(std::string_view name) {
  return ops().find(name);
}

}  // namespace tensorlane::okk

#define TL_FRONT_END tensorlane::okk
#include "tensorlane/ops/define_op.h"

#define TL_OKK_OPS_FILE(name) TL_OPS_FILE(name)
#define TL_OKK_ENTRY(function) TL_ENTRY(function)
#define TL_OKK_OP(function) TL_OP(function)

#endif  // TENSORLANE_OKK_DEFINE_H_
