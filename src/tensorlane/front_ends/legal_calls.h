// Legal calls of any entry of the ops list at three sizes: the examples of the reference pages, and
// what the benchmark over all functions measures.
//
// Nothing here knows a function: arguments follow from the types and names of parameters, which
// functions of both interfaces share, and what is legal the entry's own limits decide. Every
// operand lies behind the one before, in its default layout.
#ifndef TENSORLANE_FRONT_ENDS_LEGAL_CALLS_H_
#define TENSORLANE_FRONT_ENDS_LEGAL_CALLS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tensorlane/device/front_end.h"
#include "tensorlane/ops/command.h"

namespace tensorlane {

// Elements, or the matrices that make as many: full local memory (of products no more than
// kMostOperations multiplications), 1x64x56x56 (a half or a quarter where no more is legal),
// 4x70x7x7.
enum class CallSize { kFull, kMiddle, kSmall };
inline constexpr CallSize kCallSizes[] = {CallSize::kFull, CallSize::kMiddle, CallSize::kSmall};
std::string_view size_name(CallSize size);

inline constexpr double kMostOperations = 0x1p28;

struct OpCall {
  const Op* op;
  const Chip* chip;
  std::string types;  // of the operands: "fp16", "int8 int8 -> int32"
  CallSize size;
  std::vector<Arg> args;
};

// The functions of an interface that have an engine and can be called.
std::vector<const Op*> functions_with_engine(const FrontEnd& front_end);

// Calls of every size for each type that an argument may name, the other types as near to it as
// they may be; conversions are those from and to fp32. Empty where no call is legal.
std::vector<OpCall> calls_of(const FrontEnd& front_end, const Op& op);
// One of them, of the middle size where there is one.
std::optional<OpCall> example_of(const FrontEnd& front_end, const Op& op);

}  // namespace tensorlane

#endif  // TENSORLANE_FRONT_ENDS_LEGAL_CALLS_H_
