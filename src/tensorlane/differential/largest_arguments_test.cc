// Arguments that say how often something is done have an upper limit: with each as large as its
// limits let it be, every function ends soon, and refuses what it cannot do by an error of its own.
//
// Nothing here says which arguments these are. All that are no shape, stride or place are made as
// large as a legal call can have them, one field at a time and all fields of one together. What
// makes operands larger, or the products that an entry counts, is bounded by memory: such calls are
// left out.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <exception>
#include <string>
#include <vector>

#include "tensorlane/differential/call_generator.h"
#include "tensorlane/differential/functions_test_support.h"
#include "tensorlane/differential/trial.h"
#include "tensorlane/ops/call_text.h"

namespace tensorlane::differential {
namespace {

constexpr int kCalls = 2;        // of each function, each argument of which is enlarged
constexpr rlim_t kSeconds = 60;  // of processor time for all of them; a tenth of one is usual
constexpr double kKnownWork = 1e5;
constexpr std::int64_t kMost = 0x7fffffff;

std::vector<Function> functions() {
  return functions_where([](const Op& op) {
    return op.engine() != Engine::kNone && !op.spec().implementations.empty();
  });
}

// Whether an argument may say how often: numbers and windows, no extents, steps and types.
bool may_count(const Param& param) {
  const ArgType& type = arg_type(param.type);
  if (type.kind == ArgKind::kStruct) return type.spelling != "const dim4*";
  return type.kind == ArgKind::kInteger && type.spelling != "bool";
}

bool is_legal(const Call& call) {
  Command command;
  return decode_legal(call, command);
}

// The call with some fields of argument `k` larger by as much as they can be together.
Call enlarged(const Call& call, std::size_t k, int first, int last) {
  const auto with = [&](std::int64_t most) {
    Call changed = call;
    changed.args[k].is_null = false;
    for (int field = first; field < last; ++field) {
      std::int64_t& value = changed.args[k].field[static_cast<std::size_t>(field)];
      value = std::max(value, most);
    }
    return changed;
  };
  std::int64_t low = 0, high = kMost;
  if (is_legal(with(high))) return with(high);
  while (low + 1 < high) {
    const std::int64_t middle = low + (high - low) / 2;
    (is_legal(with(middle)) ? low : high) = middle;
  }
  return with(low);
}

void compute(Trial& trial, const Call& call, Random& random) {
  Command command;
  if (!decode_legal(call, command) || operations_of(command) > kKnownWork) return;
  const Case one{call, draw_data(command, random)};
  if (trial.begin(one)) trial.run({.implementation = kDispatched});
}

// All calls of a function. `tell` hears of each before it is computed.
template <class Tell>
void compute_largest(const Function& function, const Tell& tell) {
  Trial trial(function.front_end->chip);
  CallGenerator generator(*function.front_end, *function.op);
  Random random(7);
  for (int n = 0; n < kCalls; ++n) {
    const std::optional<Call> call = generator.next({.elements = 200, .operations = 2e4}, random);
    if (!call) continue;
    for (std::size_t k = 0; k < call->args.size(); ++k) {
      const Param& param = function.op->params()[k];
      if (!may_count(param)) continue;
      const int fields = std::max(field_count(arg_type(param.type)), 1);  // a number has no names
      std::vector<std::pair<int, int>> ranges{{0, fields}};
      for (int field = 0; fields > 1 && field < fields; ++field)
        ranges.emplace_back(field, field + 1);
      for (const auto& [first, last] : ranges) {
        const Call large = enlarged(*call, k, first, last);
        tell(call_text(*function.op, large.args));
        compute(trial, large, random);
      }
    }
  }
}

class LargestArguments : public testing::TestWithParam<Function> {};

TEST_P(LargestArguments, AreSoonDone) {
  // In a process of its own, which can be ended; it says which call it is at.
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    close(ends[0]);
    const rlimit limit{kSeconds, kSeconds};
    setrlimit(RLIMIT_CPU, &limit);
    const auto tell = [&](const std::string& text) {
      const std::string line = text + "\n";
      if (write(ends[1], line.data(), line.size()) < 0) _exit(2);
    };
    try {
      compute_largest(GetParam(), tell);
    } catch (const std::exception& error) {
      tell(error.what());
      _exit(1);
    }
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  std::array<char, 4096> bytes{};
  for (ssize_t got = 0; (got = read(ends[0], bytes.data(), bytes.size())) > 0;)
    text.append(bytes.data(), static_cast<std::size_t>(got));
  close(ends[0]);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  const std::size_t lines = text.size() > 1 ? text.rfind('\n', text.size() - 2) : 0;
  const std::string last = text.substr(lines == std::string::npos ? 0 : lines);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0)
      << (WIFSIGNALED(status) ? "did not end: " : "failed: ")
      << (WIFEXITED(status) ? text.substr(text.size() > 2000 ? text.size() - 2000 : 0) : last);
}

INSTANTIATE_TEST_SUITE_P(, LargestArguments, testing::ValuesIn(functions()),
                         [](const auto& info) { return std::string(info.param.op->name()); });

}  // namespace
}  // namespace tensorlane::differential
