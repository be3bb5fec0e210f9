// A call as a C statement that a kernel could contain:
//
//   okk_bdc_add_C(0x80000, 0x81000, 1.5f, &(dim4){1, 3, 4, 5}, NULL, NULL);
//   tpu_bdc_fp_mul_C(0x0, 0x0, (scalar_t){.f32 = 2.0f}, &(dim4){1, 3, 4, 5}, NULL, NULL, DT_FP32);
//
// Tests print failing calls this way, so that one can be pasted into a kernel.
#ifndef TENSORLANE_OPS_CALL_TEXT_H_
#define TENSORLANE_OPS_CALL_TEXT_H_

#include <span>
#include <string>
#include <string_view>

#include "tensorlane/ops/op.h"

namespace tensorlane {

std::string call_text(const Op& op, std::span<const Arg> args);
// The enumerator of a data_type_t: "DT_FP32".
std::string dtype_enumerator(Dtype dtype);
// One argument of a parameter of this C type: "0x80000", "1.5f", "&(dim4){1, 3, 4, 5}".
std::string argument_text(std::string_view type, const Arg& arg);
// Argument `param` of a call, which knows the types of its constants.
std::string argument_text(const Op& op, std::span<const Arg> args, std::size_t param);

}  // namespace tensorlane

#endif  // TENSORLANE_OPS_CALL_TEXT_H_
