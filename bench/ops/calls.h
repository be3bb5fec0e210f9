// Legal calls of any entry of the ops list at three sizes, for the benchmark over all of them.
//
// Nothing here knows a function: arguments follow from the types and names of parameters, which
// functions of both interfaces share, and what is legal the entry's own limits decide. Every
// operand lies behind the one before, in its default layout.
#ifndef TENSORLANE_BENCH_OPS_CALLS_H_
#define TENSORLANE_BENCH_OPS_CALLS_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tensorlane/device/front_end.h"
#include "tensorlane/ops/command.h"

namespace tensorlane::bench {

// Elements, or the matrices that make as many: full local memory (of products no more than
// kMostOperations multiplications), 1x64x56x56, 4x70x7x7.
enum class Size { kFull, kMiddle, kSmall };
inline constexpr Size kSizes[] = {Size::kFull, Size::kMiddle, Size::kSmall};
std::string_view size_name(Size size);

inline constexpr double kMostOperations = 0x1p28;

struct OpCall {
  const Op* op;
  const Chip* chip;
  std::string types;  // of the operands: "fp16", "int8 int8 -> int32"
  Size size;
  std::vector<Arg> args;
};

// The functions of an interface that have an engine and can be called.
std::vector<const Op*> measurable(const FrontEnd& front_end);

// Calls of every size for each type that an argument may name, the other types as near to it as
// they may be; conversions are those from and to fp32. Empty where no call is legal.
std::vector<OpCall> calls_of(const FrontEnd& front_end, const Op& op);

// Fills what the command reads: numbers between 1/2 and 1, small integers, indices that exist.
void fill_sources(const Command& command, std::span<std::byte* const> memory);

}  // namespace tensorlane::bench

#endif  // TENSORLANE_BENCH_OPS_CALLS_H_
