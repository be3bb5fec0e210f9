// Every implementation of every function beside its reference: see net.h. A sample of what the
// program `differential` does by the hour.
#include <gtest/gtest.h>

#include <cstdlib>
#include <ostream>
#include <string>

#include "tensorlane/differential/net.h"
#include "tensorlane/front_ends/front_ends.h"

namespace tensorlane::differential {
namespace {

// Of each function; ten times slower under sanitizers.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr std::int64_t kCalls = 20, kSought = 0;
#else
constexpr std::int64_t kCalls = 100, kSought = 300;
#endif
// Calls of a form that an implementation admits, after which it must have taken some.
constexpr std::int64_t kEnough = 12;

// The same calls in every run; TENSORLANE_SEED draws others.
std::uint64_t seed() {
  const char* const text = std::getenv("TENSORLANE_SEED");
  return text == nullptr ? 1 : std::strtoull(text, nullptr, 10);
}

struct Function {
  const FrontEnd* front_end;
  const Op* op;
};
std::ostream& operator<<(std::ostream& out, const Function& function) {
  return out << function.op->name();
}

std::vector<Function> functions() {
  std::vector<Function> list;
  for (const FrontEnd* front_end : all_front_ends()) {
    for (const Op* op : functions_with_a_choice(*front_end)) list.push_back({front_end, op});
  }
  return list;
}

class Differential : public testing::TestWithParam<Function> {};

TEST_P(Differential, EveryImplementationIsTheReference) {
  const auto [front_end, op] = GetParam();
  const FunctionFigures figures =
      Net(*front_end).run(*op, {.seed = seed(), .calls = kCalls, .sought = kSought});
  for (const std::string& difference : figures.differences) ADD_FAILURE() << difference;
  if (!figures.differences.empty()) return;
  EXPECT_LE(figures.none, kCalls / 4) << "the generator finds few legal calls";
  for (const ImplementationFigures& each : figures.implementations) {
    EXPECT_GT(each.taken, 0) << each.name << " met no call that it takes";
    for (const std::string& form : each.never_taken(kEnough)) {
      ADD_FAILURE() << each.name << " says that it takes " << form << ", and took none";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, Differential, testing::ValuesIn(functions()),
                         [](const auto& info) { return std::string(info.param.op->name()); });

}  // namespace
}  // namespace tensorlane::differential
