// Operands of the conversions between 8-bit integers and fp32: the flags is_signed and
// is_aligned_layout decide their type and layout.
#ifndef TENSORLANE_OKK_INT8_OPERANDS_H_
#define TENSORLANE_OKK_INT8_OPERANDS_H_

#include "tensorlane/okk/families.h"
#include "tensorlane/ops/command.h"

namespace tensorlane::okk {

inline const Texts kInt8CastLimits =
    join({kBdcShape,
          {"dst_addr % 4 == 0", "src_addr % 4 == 0", "work_addr % 4 == 0",
           "same_start_npu(dst_addr, src_addr, work_addr)", "distinct(dst_addr, work_addr)"}});
inline const Texts kInt8CastPreferred = {"dst_addr % 128 == 0", "src_addr % 128 == 0",
                                         "work_addr % 128 == 0"};

template <DefaultLayout kOtherwise>
DefaultLayout int8_layout(const Command& command) {
  return command.arg("is_aligned_layout").value() != 0 ? DefaultLayout::kAligned : kOtherwise;
}

inline Dtype int8_type(const Command& command) {
  return command.arg("is_signed").value() != 0 ? Dtype::kInt8 : Dtype::kUint8;
}

// One byte per element; otherwise rows of channels padded to whole words.
inline OperandSpec int8_bytes(Role role, std::string_view param) {
  OperandSpec spec = local(role, param, Dtype::kX8);
  spec.dtype_rule = int8_type;
  spec.layout_rule = int8_layout<DefaultLayout::kCompactWords>;
  return spec;
}

// 4N storage; otherwise compact in words.
inline OperandSpec int8_4n(Role role, std::string_view param) {
  OperandSpec spec = local(role, param, Dtype::kX8);
  spec.storage = Storage::kPacked;
  spec.dtype_rule = int8_type;
  spec.layout_rule = int8_layout<DefaultLayout::kCompact>;
  return spec;
}

}  // namespace tensorlane::okk

#endif  // TENSORLANE_OKK_INT8_OPERANDS_H_
