// Random legal calls of any entry with an engine, for differential tests.
//
// A call is drawn parameter by parameter with RapidCheck, so that a failing one shrinks: shapes to
// 1, start NPUs to 0, strides to NULL, operands apart from each other. What is legal the entry's
// own limits decide: scalars are drawn again until they hold.
#ifndef TENSORLANE_OKK_RANDOM_CALL_TEST_SUPPORT_H_
#define TENSORLANE_OKK_RANDOM_CALL_TEST_SUPPORT_H_

#include <rapidcheck/Gen.h>

#include <iosfwd>
#include <vector>

#include "tensorlane/ops/command.h"

namespace tensorlane::okk {

// Each operand gets a slot of its own: bytes of every NPU, and of global memory.
inline constexpr std::int64_t kLocalSlotBytes = 8192;
inline constexpr std::int64_t kSystemSlotBytes = 1 << 20;
inline constexpr int kSlots = 8;

// How the data of an operand is drawn.
enum class DataKind { kSmall, kModerate, kWide, kSpecial, kBits };
inline constexpr int kDataKinds = 5;

// The 32-bit word number `index` of the data called `seed`.
std::uint32_t random_word(DataKind kind, std::uint32_t seed, std::uint64_t index);

struct RandomCall {
  const Op* op;
  bool legal = false;  // no legal call came out when false
  std::vector<Arg> args;
  std::vector<DataKind> data;  // per operand
  std::uint32_t seed;
};

// Shown as a C statement.
std::ostream& operator<<(std::ostream& out, const RandomCall& call);

rc::Gen<RandomCall> random_call(const Op& op, const Chip& chip);

}  // namespace tensorlane::okk

#endif  // TENSORLANE_OKK_RANDOM_CALL_TEST_SUPPORT_H_
