// Every implementation of every function beside its reference: see net.h. A sample of what the
// program `differential` does by the hour.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "tensorlane/differential/net.h"
#include "tensorlane/front_ends/front_ends.h"

namespace tensorlane::differential {
namespace {

constexpr std::int64_t kCalls = 60;  // of each function
// Admitted calls of a form after which an implementation must have taken some.
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

std::vector<Function> functions() {
  std::vector<Function> list;
  for (const FrontEnd* front_end : all_front_ends()) {
    for (const Op* op : functions_with_a_choice(*front_end)) list.push_back({front_end, op});
  }
  return list;
}

template <std::size_t N>
void expect_met(const std::array<std::int64_t, N>& admitted,
                const std::array<std::int64_t, N>& took, std::string_view what) {
  for (std::size_t form = 0; form < N; ++form) {
    if (admitted[form] >= kEnough) {
      EXPECT_GT(took[form], 0) << what << " of form " << form << ": admitted " << admitted[form]
                               << " times, never taken";
    }
  }
}

class Differential : public testing::TestWithParam<Function> {};

TEST_P(Differential, EveryImplementationIsTheReference) {
  const auto [front_end, op] = GetParam();
  const FunctionFigures figures = Net(*front_end).run(*op, {.seed = seed(), .calls = kCalls});
  for (const std::string& difference : figures.differences) ADD_FAILURE() << difference;
  if (!figures.differences.empty()) return;
  EXPECT_LE(figures.none, kCalls / 4) << "the generator finds few legal calls";
  std::size_t k = 0;
  for (const ImplementationFigures& each : figures.implementations) {
    SCOPED_TRACE(each.name);
    EXPECT_GT(each.taken, 0) << "no call met it";
    // What admits every row may decline views of its own choice.
    const OperandForms& forms = op->spec().implementations[k++].forms;
    if (!(forms.results == AlongSet::all())) {
      expect_met(each.admitted.results, each.took.results, "results");
      expect_met(each.admitted.sources, each.took.sources, "sources");
    }
    expect_met(each.admitted.overlaps, each.took.overlaps, "overlap");
  }
}

INSTANTIATE_TEST_SUITE_P(, Differential, testing::ValuesIn(functions()),
                         [](const auto& info) { return std::string(info.param.op->name()); });

}  // namespace
}  // namespace tensorlane::differential
