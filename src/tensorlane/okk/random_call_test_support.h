// Random legal calls of any entry of OKKernel with an engine, and data for them, for the tests of
// the whole list that RapidCheck runs.
#ifndef TENSORLANE_OKK_RANDOM_CALL_TEST_SUPPORT_H_
#define TENSORLANE_OKK_RANDOM_CALL_TEST_SUPPORT_H_

#include <rapidcheck/Gen.h>

#include <iosfwd>
#include <vector>

#include "tensorlane/ops/command.h"

namespace tensorlane::okk {

// How the data of an operand is drawn.
enum class DataKind { kSmall, kModerate, kWide, kSpecial, kBits };
inline constexpr int kDataKinds = 5;

// The 32-bit word number `index` of the data called `seed`.
std::uint32_t random_word(DataKind kind, std::uint32_t seed, std::uint64_t index);

// See differential/lone_calls.h.
struct RandomCall {
  const Op* op;
  bool legal = false;  // no legal call came out when false
  std::vector<Arg> args;
  std::vector<DataKind> data;  // per operand
  std::uint32_t seed;
};

// Shown as a C statement.
std::ostream& operator<<(std::ostream& out, const RandomCall& call);

rc::Gen<RandomCall> random_call(const Op& op);

}  // namespace tensorlane::okk

#endif  // TENSORLANE_OKK_RANDOM_CALL_TEST_SUPPORT_H_
