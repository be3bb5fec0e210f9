#include "tensorlane/ops/limits_test_support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "tensorlane/ops/repeated_calls.h"

namespace tensorlane {
namespace {

constexpr int kRounds = 240;  // legal calls to start from
// Rounds in which a limit should be broken alone. Some cannot: as many elements in two shapes is
// one limit, and the range of each extent another.
constexpr int kAloneRounds = 3;
constexpr std::size_t kStructFields = 4;

using Args = std::vector<Arg>;
using Visit = std::function<void(const Args&)>;

// Numbers a field may have: around the limits of any, around what it is, and the addresses of the
// other operands.
std::set<std::int64_t> field_values(const Op& op, const Args& args, std::size_t at,
                                    std::int64_t now, const Chip& chip) {
  std::set<std::int64_t> values{
      -70,     -33,        -1,      0,        1,       2,
      7,       33,         64,      65,       300,     65536,
      now - 1, now + 1,    now + 2, now + 32, 1 << 20, now + chip.local.npu_bytes,
      1 << 30, now + 40000};
  const auto is_local = [&](std::size_t k) {
    return arg_type(op.params()[k].type).kind == ArgKind::kLocalAddress;
  };
  for (std::size_t other = 0; is_local(at) && other < args.size(); ++other) {
    if (is_local(other)) values.insert(args[other].value());
  }
  return values;
}

// The calls that differ from `args` in one field of one argument.
void each_change(const Op& op, const Args& args, const LimitsLaw& law, const Visit& visit) {
  for (std::size_t k = 0; k < args.size(); ++k) {
    const ArgType& type = arg_type(op.params()[k].type);
    Args changed = args;
    Arg base = args[k];
    const Args whole = law.whole_values(type.spelling);
    for (const Arg& value : whole) {
      changed[k] = value;
      visit(changed);
      if (base.is_null) base = value;
    }
    const bool by_field = whole.empty() || type.kind == ArgKind::kStruct;
    for (std::size_t field = 0; by_field && field < kStructFields; ++field) {
      if (field > 0 && type.fields[field].empty()) break;
      changed[k] = base;
      for (const std::int64_t value : field_values(op, args, k, base.field[field], law.chip)) {
        changed[k].field[field] = value;
        visit(changed);
      }
    }
  }
}

bool is_newer_model(const Violation& violation) {
  return violation.breach == Breach::kNewerModel;
}

// The limits a call breaks, those that are not enforced as well.
std::vector<Violation> violations(const Op& op, const Args& args, const Chip& chip) {
  constexpr LimitPolicy kStrict{.strict = true};
  try {
    Command command;
    return decode(op, args, chip, false, command, kStrict);
  } catch (const IllegalCall& error) {
    const std::string text = error.what();
    EXPECT_TRUE(text.starts_with(op.name())) << text;
    for (const Violation& violation : error.violations()) {
      if (is_newer_model(violation)) continue;
      EXPECT_NE(text.find("rule: " + violation.rule), std::string::npos) << text;
      EXPECT_FALSE(violation.values.empty()) << text;
    }
    return error.violations();
  }
}

// Whether a call that breaks one limit is refused as its breach says, and computed if not.
void expect_consequence(const Op& op, const Args& args, const Violation& broken,
                        const LimitsLaw& law) {
  SCOPED_TRACE(broken.rule + ": " + broken.values);
  for (const bool keep_going : {false, true}) {
    const bool refused =
        broken.breach == Breach::kRefused || (broken.breach == Breach::kOnRequest && !keep_going);
    Command command;
    try {
      decode(op, args, law.chip, false, command, {.keep_going = keep_going});
    } catch (const IllegalCall& error) {
      // Memory and what a limit said implicitly still count.
      const auto is_implicit = [](const Violation& violation) {
        return violation.about_memory || violation.source == "emulator";
      };
      EXPECT_TRUE(refused || std::ranges::all_of(error.violations(), is_implicit)) << error.what();
      continue;
    }
    EXPECT_FALSE(refused);
    law.compute(command);
  }
}

}  // namespace

bool keeps_the_limits(const std::vector<Violation>& tolerated) {
  return std::ranges::all_of(tolerated, is_newer_model);
}

void expect_every_limit_enforced(const Op& op, const LimitsLaw& law) {
  constexpr int kComputed = 3;  // calls that break the same limit
  std::set<std::string> waiting, broken_with_others;
  std::map<std::string, int> computed;
  for (const Limit& limit : op.limits()) {
    if (!limit.about_data()) waiting.insert(limit.rule(law.chip));
  }
  for (int round = 0; round < kRounds && !waiting.empty(); ++round) {
    const std::optional<Args> args = law.legal_call(op);
    ASSERT_TRUE(args) << "no legal call came out";
    each_change(op, *args, law, [&](const Args& changed) {
      std::vector<Violation> broken = violations(op, changed, law.chip);
      for (const Violation& violation : broken) {
        if (is_newer_model(violation)) waiting.erase(violation.rule);
      }
      std::erase_if(broken, is_newer_model);
      if (broken.size() == 1) waiting.erase(broken.front().rule);
      if (broken.size() == 1 && !broken.front().about_memory &&
          computed[broken.front().rule]++ < kComputed)
        expect_consequence(op, changed, broken.front(), law);
      for (const Violation& violation : broken) broken_with_others.insert(violation.rule);
    });
    if (round >= kAloneRounds)
      std::erase_if(waiting,
                    [&](const std::string& rule) { return broken_with_others.contains(rule); });
  }
  for (const std::string& rule : waiting) ADD_FAILURE() << rule << " is never broken";
}

namespace {

// A decoded call, or why there is none.
struct Outcome {
  std::vector<Operand> operands;
  std::vector<Arg> args;
  std::string text;
};

// A NaN among the arguments is the same one where its bits are.
bool same(Arg a, Arg b) {
  if (std::isnan(a.number) && std::isnan(b.number)) a.number = b.number = 0;
  return a == b;
}
bool operator==(const Outcome& a, const Outcome& b) {
  return a.operands == b.operands && a.text == b.text && std::ranges::equal(a.args, b.args, same);
}

template <class Decode>
Outcome outcome_of(const Op& op, Decode decode) {
  std::vector<Violation> tolerated;
  try {
    const Command& command = decode(tolerated);
    return {command.operand_storage, command.arg_storage, violations_text(op.name(), tolerated)};
  } catch (const IllegalCall& error) {
    return {{}, {}, error.what()};
  }
}

}  // namespace

void expect_repeated_calls_decoded_alike(const Op& op, const LimitsLaw& law) {
  constexpr int kAlikeRounds = 3;
  RepeatedCalls repeated;
  Command alone;
  int decoded = 0;
  for (int round = 0; round < kAlikeRounds; ++round) {
    const std::optional<Args> args = law.legal_call(op);
    ASSERT_TRUE(args) << "no legal call came out";
    each_change(op, *args, law, [&](const Args& changed) {
      const bool in_region = ++decoded % 5 == 0;
      const LimitPolicy policy{.keep_going = round == 1, .strict = round == 2};
      // The legal call comes between, as most changes break a limit.
      for (const Args& next : {*args, changed, changed}) {
        const Outcome wanted =
            outcome_of(op, [&](std::vector<Violation>& tolerated) -> const Command& {
              tolerated = decode(op, next, law.chip, in_region, alone, policy);
              return alone;
            });
        const Outcome got =
            outcome_of(op, [&](std::vector<Violation>& tolerated) -> const Command& {
              return repeated.decode(op, next, law.chip, in_region, policy, &op, tolerated);
            });
        ASSERT_TRUE(got == wanted) << got.text << "\n" << wanted.text;
      }
    });
  }
}

void expect_repeated_calls_computed_alike(const Op& op, const LimitsLaw& law) {
  constexpr int kCalls = 3, kTimes = 4;
  for (int k = 0; k < kCalls; ++k) {
    const std::optional<Args> args = law.legal_call(op);
    ASSERT_TRUE(args) << "no legal call came out";
    RepeatedCalls repeated;
    for (int time = 0; time < kTimes; ++time) {
      std::vector<Violation> tolerated;
      law.compute(repeated.decode(op, *args, law.chip, false, {}, &op, tolerated));
    }
  }
}

std::vector<const Op*> functions_with_an_engine(std::span<const Op* const> list) {
  std::vector<const Op*> result;
  for (const Op* op : list) {
    if (op->spec().absence == Absence::kNone && op->engine() != Engine::kNone) result.push_back(op);
  }
  return result;
}

}  // namespace tensorlane
