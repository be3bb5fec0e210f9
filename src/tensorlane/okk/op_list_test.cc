// The ops list against what it must agree with: the public header, and the facts about every
// function in testdata/okk/api.json.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tensorlane/okk/define.h"
#include "tensorlane/ops/command.h"
#include "tensorlane/ops/operand_names.h"

namespace tensorlane::okk {
namespace {

using nlohmann::json;

std::string read(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// One spelling for types and limits: single spaces, none around punctuation of types.
std::string tidy(std::string text) {
  text = std::regex_replace(text, std::regex("\\s+"), " ");
  text = std::regex_replace(text, std::regex(" ?\\* ?"), "*");
  return std::regex_replace(text, std::regex("^ | $"), "");
}

struct Prototype {
  std::string returns;
  std::vector<std::pair<std::string, std::string>> params;  // type, name
};

// The functions okk.h declares, also those behind TENSORLANE_OKK_UNDECLARED.
std::map<std::string, Prototype> header_functions() {
  std::string text = read(TENSORLANE_OKK_HEADER);
  text = std::regex_replace(text, std::regex("//[^\n]*"), "");
  text = std::regex_replace(text, std::regex("#(.*\\\\\n)*.*\n"), "\n");
  std::map<std::string, Prototype> functions;
  const std::regex declaration("([a-z_][a-z_ ]*[ *]+)(okk_\\w+)\\(([^()]*)\\)\\s*[A-Z_]*;");
  for (std::sregex_iterator it(text.begin(), text.end(), declaration), end; it != end; ++it) {
    Prototype prototype{tidy((*it)[1]), {}};
    std::stringstream params((*it)[3].str());
    for (std::string param; std::getline(params, param, ',');) {
      param = tidy(param);
      if (param == "void") continue;
      const std::size_t name = param.find_last_of(" *") + 1;
      prototype.params.emplace_back(tidy(param.substr(0, name)), param.substr(name));
    }
    EXPECT_FALSE(functions.contains((*it)[2])) << (*it)[2];
    functions[(*it)[2]] = prototype;
  }
  functions.erase("okk_assert_failed");  // the emulator's own, no device function
  return functions;
}

TEST(OpList, HasEveryFunctionOfTheHeaderOnce) {
  const std::map<std::string, Prototype> header = header_functions();
  EXPECT_EQ(header.size(), 141U);
  std::set<std::string> listed;
  for (const Op* op : op_list()) {
    const std::string name(op->name());
    EXPECT_TRUE(listed.insert(name).second) << name << " stands twice in the list";
    ASSERT_TRUE(header.contains(name)) << name;
    const Prototype& prototype = header.at(name);
    EXPECT_EQ(tidy(std::string(op->returns())), prototype.returns) << name;
    ASSERT_EQ(op->params().size(), prototype.params.size()) << name;
    for (std::size_t k = 0; k < prototype.params.size(); ++k) {
      EXPECT_EQ(tidy(std::string(op->params()[k].type)), prototype.params[k].first) << name;
      EXPECT_EQ(op->params()[k].name, prototype.params[k].second) << name;
    }
  }
  for (const auto& [name, prototype] : header) EXPECT_TRUE(listed.contains(name)) << name;
}

TEST(OpList, EveryEntryIsComplete) {
  for (const Op* op : op_list()) {
    const OpSpec& spec = op->spec();
    EXPECT_FALSE(op->doc(Language::kEnglish).empty()) << op->name();
    EXPECT_FALSE(op->doc(Language::kChinese).empty()) << op->name();
    EXPECT_FALSE(spec.group.empty()) << op->name();
    if (spec.engine == Engine::kNone) {
      EXPECT_NE(spec.call, nullptr) << op->name();
      continue;
    }
    ASSERT_FALSE(spec.implementations.empty()) << op->name();
    EXPECT_EQ(spec.implementations.back().name, "reference") << op->name();
    EXPECT_FALSE(spec.operands.empty()) << op->name();
    EXPECT_LE(spec.operands.size(), static_cast<std::size_t>(kMaxOperands)) << op->name();
    EXPECT_LE(op->params().size(), static_cast<std::size_t>(kMaxArgs)) << op->name();
    EXPECT_EQ(spec.engine == Engine::kBdc, static_cast<bool>(spec.cycles)) << op->name();
  }
}

// Facts that the list states in another way, or on purpose not at all.
struct Difference {
  std::string_view function;  // a regular expression
  std::string_view rule;      // a regular expression
  std::string_view reason;
};
constexpr Difference kDifferences[] = {
    {"okk_bdc_fixed_point_.*", "start_npu\\(\\w+\\) == 0",
     "the model takes any start NPU that all operands share; a limit that is not enforced"},
    {"okk_gdma_.*", "dst_stride != NULL => dst_stride.w == 1",
     "the W stride has a meaning only where a row has two elements"},
    {"okk_gdma_.*", "src_stride != NULL => src_stride.w == 1",
     "the W stride has a meaning only where a row has two elements"},
    {"okk_gdma_32bit_matrix_.*|okk_bdc_matmul", "1 <= (left_|right_)?cols_per_channel <= .*",
     "one channel may be wider than the columns there are"},
    {"okk_parallel_.*|okk_poll", "parallel_state == [01]", "Session checks and explains it"},
    {"okk_channle_num_per_npu", ".*", "the model computes with any numbers"},
};

// Whether `limit` says `rule`, maybe as one end of a longer chain: 1 <= x within 1 <= x <= 9.
bool says(const std::string& limit, const std::string& rule) {
  if (limit == rule) return true;
  if (limit.find("=>") != std::string::npos || limit.size() <= rule.size()) return false;
  return limit.starts_with(rule + " <") || limit.ends_with(" <= " + rule);
}

bool states(std::span<const Limit> limits, const std::string& rule) {
  return std::any_of(limits.begin(), limits.end(),
                     [&](const Limit& limit) { return says(limit.rule(), rule); });
}

bool excused(const std::string& function, const std::string& rule) {
  for (const Difference& difference : kDifferences) {
    if (std::regex_match(function, std::regex(std::string(difference.function))) &&
        std::regex_match(rule, std::regex(std::string(difference.rule)))) {
      return true;
    }
  }
  return false;
}

class Facts : public testing::Test {
 protected:
  const json all = json::parse(read(TENSORLANE_TESTDATA "/okk/api.json"));
};

TEST_F(Facts, SignaturesAndGroupsAgree) {
  EXPECT_EQ(all.size(), 139U);
  for (const json& fact : all) {
    const auto name = fact["name"].get<std::string>();
    const Op* op = find_op(name);
    ASSERT_NE(op, nullptr) << name;
    EXPECT_EQ(engine_name(op->engine()), fact["engine"].get<std::string>()) << name;
    EXPECT_EQ(op->spec().group, fact["group"].get<std::string>()) << name;
    ASSERT_EQ(op->params().size(), fact["params"].size()) << name;
    for (std::size_t k = 0; k < op->params().size(); ++k) {
      EXPECT_EQ(op->params()[k].type, fact["params"][k][0].get<std::string>()) << name;
      EXPECT_EQ(op->params()[k].name, fact["params"][k][1].get<std::string>()) << name;
    }
    if (op->engine() == Engine::kBdc) {
      EXPECT_EQ(op->spec().numerics == Numerics::kExactToModel, fact["model_runs"].get<bool>())
          << name;
    }
  }
}

TEST_F(Facts, OperandsAgree) {
  for (const json& fact : all) {
    const auto name = fact["name"].get<std::string>();
    const Op& op = *find_op(name);
    if (op.engine() == Engine::kNone) continue;
    std::map<std::string, const OperandSpec*> operands;
    for (const OperandSpec& operand : op.spec().operands)
      operands[std::string(operand.param)] = &operand;
    EXPECT_EQ(operands.size(), fact["operands"].size()) << name;
    for (const json& operand : fact["operands"]) {
      const auto param = operand[0].get<std::string>();
      ASSERT_TRUE(operands.contains(param)) << name << " " << param;
      const OperandSpec& spec = *operands[param];
      EXPECT_EQ(role_name(spec.role), operand[1].get<std::string>()) << name << " " << param;
      EXPECT_EQ(memory_name(spec.memory), operand[2].get<std::string>());
      const auto dtype = operand[3].get<std::string>();
      if (spec.dtype_rule) {
        EXPECT_FALSE(dtype.starts_with("fp")) << name << " " << param;
      } else if (dtype.find('|') == std::string::npos) {
        EXPECT_EQ(dtype_name(spec.dtype), dtype) << name << " " << param;
      } else {  // either signedness: a raw type of that width
        EXPECT_EQ(dtype_name(spec.dtype), dtype.starts_with("int8") ? "x8" : "x16") << name;
      }
      EXPECT_EQ(spec.stride, operand[4].is_null() ? "" : operand[4].get<std::string>())
          << name << " " << param;
    }
  }
}

TEST_F(Facts, EveryConstraintIsALimit) {
  for (const json& fact : all) {
    const auto name = fact["name"].get<std::string>();
    const Op& op = *find_op(name);
    for (const json& text : fact["constraints"]) {
      const auto rule = text.get<std::string>();
      EXPECT_TRUE(states(op.limits(), rule) || excused(name, rule)) << name << ": " << rule;
    }
    for (const json& text : fact["preferred"]) {
      const auto rule = text.get<std::string>();
      EXPECT_TRUE(states(op.preferred(), rule) || excused(name, rule))
          << name << " prefers: " << rule;
    }
  }
}

// What the fastest implementation carries out as a copy says so in its entry, and nothing else
// does.
TEST(OpList, CopiesSaySo) {
  int copies = 0;
  for (const Op* op : ops().all()) {
    const OpSpec& spec = op->spec();
    if (spec.implementations.empty()) continue;
    const bool is_strided = std::ranges::any_of(
        spec.implementations, [](const Implementation& each) { return each.name == "strided"; });
    EXPECT_EQ(spec.only_moves,
              is_strided || (spec.only_moves && spec.dependence == Dependence::kMoved))
        << op->name();
    copies += spec.only_moves ? 1 : 0;
  }
  EXPECT_GT(copies, 20);
}

}  // namespace
}  // namespace tensorlane::okk
