// Every limit of the list is enforced: from random legal calls one field of one argument is changed
// until the limit is broken, and the error must say so; alone, unless it follows from others.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "tensorlane/device/session.h"
#include "tensorlane/ops/call_text.h"
#include "tensorlane/tpukernel/define.h"
#include "tensorlane/tpukernel/random_call_test_support.h"

namespace tensorlane::tpukernel {
namespace {

constexpr int kRounds = 60;  // legal calls to start from
// Rounds in which a limit should be broken alone. Some cannot: as many elements in two shapes is
// one limit, and the range of each extent another.
constexpr int kAloneRounds = 3;

// The calls that differ from `args` in one field of one argument.
template <class F>
void each_change(const Op& op, const std::vector<Arg>& args, F visit) {
  for (std::size_t k = 0; k < args.size(); ++k) {
    const ArgType& type = arg_type(op.params()[k].type);
    std::vector<Arg> changed = args;
    if (type.kind == ArgKind::kDtype) {
      for (const data_type_t code : {DT_FP32, DT_FP16, DT_BFP16, DT_INT32, DT_UINT32, DT_INT16,
                                     DT_UINT16, DT_INT8, DT_UINT8, DT_INT4, DT_FP8E4M3}) {
        changed[k] = encode(code);
        visit(changed);
      }
      continue;
    }
    if (op.params()[k].type == "const variable_t*") {
      changed[k] = encode(static_cast<const variable_t*>(nullptr));
      visit(changed);
      for (const var_type_t kind : {TENSOR, SCALAR, VECTOR}) {
        for (const unsigned address : {0U, 32U, 40000U, 3U * 262144U, 64U * 262144U}) {
          const variable_t value{.type = kind, .context = {.addr = address}};
          changed[k] = encode(&value);
          visit(changed);
        }
      }
      continue;
    }
    if (type.kind == ArgKind::kStruct || type.kind == ArgKind::kPointer) {
      changed[k] = op.params()[k].type == "const dim4*" ? encode(static_cast<const dim4*>(nullptr))
                                                        : Arg{.is_null = true};
      visit(changed);
      changed = args;
      if (changed[k].is_null && type.kind == ArgKind::kStruct) {
        const dim4 unlike{3, 3, 3, 3};
        changed[k] = encode(&unlike);
        visit(changed);
      }
    }
    for (std::size_t field = 0; field < kMaxArgFields; ++field) {
      if (field > 0 && (type.fields[field].empty() || field >= 4)) break;
      const std::int64_t now = args[k].field[field];
      std::set<std::int64_t> values{-70,
                                    -33,
                                    -1,
                                    0,
                                    1,
                                    2,
                                    7,
                                    33,
                                    64,
                                    65,
                                    300,
                                    65536,
                                    now - 1,
                                    now + 1,
                                    now + 2,
                                    now + 32,
                                    now + bm1684x().local.npu_bytes,
                                    now + 40000};
      if (type.kind == ArgKind::kLocalAddress) {
        for (std::size_t other = 0; other < args.size(); ++other) {
          if (arg_type(op.params()[other].type).kind == ArgKind::kLocalAddress)
            values.insert(args[other].value());
        }
      }
      for (const std::int64_t value : values) {
        changed[k].field[field] = value;
        visit(changed);
      }
      changed[k] = args[k];
    }
  }
}

std::vector<Violation> violations(const Op& op, const std::vector<Arg>& args) {
  try {
    Command command;
    decode(op, args, bm1684x(), false, command);
  } catch (const IllegalCall& error) {
    const std::string text = error.what();
    EXPECT_TRUE(text.starts_with(op.name())) << text;
    for (const Violation& violation : error.violations()) {
      EXPECT_NE(text.find("rule: " + violation.rule), std::string::npos) << text;
      EXPECT_FALSE(violation.values.empty()) << text;
    }
    return error.violations();
  }
  return {};
}

class Limits : public testing::TestWithParam<const Op*> {};

TEST_P(Limits, EveryOneIsEnforcedByItself) {
  const Op& op = *GetParam();
  std::set<std::string> waiting, broken_with_others;
  for (const Limit& limit : op.limits()) {
    if (!limit.about_data()) waiting.insert(limit.rule());
  }
  Random random(54321);
  for (int round = 0; round < kRounds && !waiting.empty(); ++round) {
    const std::optional<std::vector<Arg>> args = random_call(op, random);
    ASSERT_TRUE(args) << "no legal call came out";
    each_change(op, *args, [&](const std::vector<Arg>& changed) {
      const std::vector<Violation> broken = violations(op, changed);
      if (broken.size() == 1) waiting.erase(broken.front().rule);
      for (const Violation& violation : broken) broken_with_others.insert(violation.rule);
    });
    if (round >= kAloneRounds)
      std::erase_if(waiting,
                    [&](const std::string& rule) { return broken_with_others.contains(rule); });
  }
  for (const std::string& rule : waiting) ADD_FAILURE() << rule << " is never broken";
}

std::vector<const Op*> functions_with_an_engine() {
  std::vector<const Op*> list;
  for (const Op* op : ops().all()) {
    if (op->spec().absence == Absence::kNone && op->engine() != Engine::kNone) list.push_back(op);
  }
  return list;
}

INSTANTIATE_TEST_SUITE_P(, Limits, testing::ValuesIn(functions_with_an_engine()),
                         [](const auto& info) { return std::string(info.param->name()); });

}  // namespace
}  // namespace tensorlane::tpukernel
