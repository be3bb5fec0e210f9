// The ops list against the public header, and against itself.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tensorlane/device/call.h"
#include "tensorlane/device/memory.h"
#include "tensorlane/device/session.h"
#include "tensorlane/ops/command.h"
#include "tensorlane/ops/engines.h"
#include "tensorlane/ops/operand_names.h"
#include "tensorlane/tpukernel/define.h"

namespace tensorlane::tpukernel {
namespace {

// One spelling for types: single spaces, none around the stars.
std::string tidy(std::string text) {
  text = std::regex_replace(text, std::regex("\\s+"), " ");
  text = std::regex_replace(text, std::regex(" ?\\* ?"), "*");
  return std::regex_replace(text, std::regex("^ | $"), "");
}

// The declarations of what tpu_kernel.h includes: name, and "returns(type name, ...)".
std::map<std::string, std::string> header_functions() {
  std::stringstream stream;
  for (const auto& header : std::filesystem::directory_iterator(TENSORLANE_TPU_HEADERS))
    stream << std::ifstream(header.path()).rdbuf();
  std::string text = std::regex_replace(stream.str(), std::regex("//[^\n]*"), "");
  text = std::regex_replace(text, std::regex("#(.*\\\\\n)*.*\n"), "\n");
  std::map<std::string, std::string> functions;
  const std::regex declaration(
      "([a-z_][a-z_0-9 ]*[ *]+)((?:tpu|sfu)_\\w+)\\(([^()]*)\\)\\s*[A-Z_]*;");
  for (std::sregex_iterator it(text.begin(), text.end(), declaration), end; it != end; ++it) {
    EXPECT_FALSE(functions.contains((*it)[2])) << (*it)[2];
    const std::string params = tidy((*it)[3]);
    functions[(*it)[2]] = tidy((*it)[1]) + "(" + (params == "void" ? "" : params) + ")";
  }
  functions.erase("tpu_assert_failed");  // the emulator's own, no device function
  return functions;
}

std::string declaration(const Op& op) {
  std::string text = tidy(std::string(op.returns())) + "(";
  for (const Param& param : op.params()) {
    if (text.back() != '(') text += ", ";
    text += tidy(std::string(param.type) + " " + std::string(param.name));
  }
  return text + ")";
}

TEST(OpList, HasEveryFunctionOfTheHeaderOnce) {
  const std::map<std::string, std::string> header = header_functions();
  EXPECT_EQ(header.size(), 717U);
  std::set<std::string> listed;
  for (const Op* op : ops().all()) {
    const std::string name(op->name());
    EXPECT_TRUE(listed.insert(name).second) << name << " stands twice in the list";
    ASSERT_TRUE(header.contains(name)) << name;
    EXPECT_EQ(declaration(*op), tidy(header.at(name))) << name;
  }
  for (const auto& [name, text] : header) EXPECT_TRUE(listed.contains(name)) << name;
}

TEST(OpList, EveryEntryIsComplete) {
  for (const Op* op : ops().all()) {
    const OpSpec& spec = op->spec();
    EXPECT_FALSE(op->doc(Language::kEnglish).empty()) << op->name();
    EXPECT_FALSE(op->doc(Language::kChinese).empty()) << op->name();
    EXPECT_FALSE(spec.group.empty()) << op->name();
    if (spec.absence != Absence::kNone) {
      EXPECT_FALSE(spec.absence_reason.empty()) << op->name();
      continue;
    }
    if (spec.engine == Engine::kNone) {
      EXPECT_NE(spec.call, nullptr) << op->name();
      continue;
    }
    ASSERT_FALSE(spec.implementations.empty()) << op->name();
    EXPECT_EQ(spec.implementations.back().name, "reference") << op->name();
    EXPECT_FALSE(spec.operands.empty()) << op->name();
    EXPECT_LE(spec.operands.size(), static_cast<std::size_t>(kMaxOperands)) << op->name();
    EXPECT_LE(op->params().size(), static_cast<std::size_t>(kMaxArgs)) << op->name();
    EXPECT_EQ(!is_dma(spec.engine), static_cast<bool>(spec.cycles)) << op->name();
  }
}

TEST(OpList, FunctionsOfPublishedKernelsAreImplemented) {
  int first = 0, second = 0;
  for (const Op* op : ops().all()) {
    const int level = tier(op->name());
    if (level == 3) continue;
    ++(level == 1 ? first : second);
    EXPECT_EQ(op->spec().absence, Absence::kNone) << op->name();
  }
  EXPECT_EQ(first, 112);
  EXPECT_EQ(second, 70);
}

// The functions that only chips of several cores have.
TEST(OpList, OneCoreHasNeitherSdmaNorReducingCopies) {
  std::set<std::string> listed;
  for (const Op* op : ops().all()) {
    const std::string name(op->name());
    if (op->spec().absence == Absence::kNone && !name.ends_with("_msg") &&
        (name.starts_with("tpu_sdma_") || name.find("_cpy_reduce_") != std::string::npos))
      listed.insert(name);
  }
  EXPECT_EQ(listed.size(), 20U);
  for (const std::string& name : listed) {
    EXPECT_FALSE(bm1684x().has_function(name)) << name;
    EXPECT_TRUE(find_chip("bm1690").has_function(name)) << name;
    EXPECT_TRUE(find_chip("sg2260e").has_function(name)) << name;
    EXPECT_FALSE(find_chip("bm1688").has_function(name)) << name;
  }
}

TEST(OpList, AnAbsentFunctionSaysWhatItNeeds) {
  DeviceMemory memory(bm1684x());
  Session session{
      .chip = bm1684x(), .memory = memory, .observers = {}, .launch = {"k", 0, nullptr}};
  const auto message = [&](std::string_view name) -> std::string {
    const Op& op = *ops().find(name);
    try {
      call_in_session(&session, op, std::vector<Arg>(op.params().size()), nullptr, bm1684x());
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message("tpu_sdma_lossy_compress").find("SG2260"), std::string::npos);
  EXPECT_NE(message("tpu_bdc_fp_roi_depthwise2d").find("no public definition"), std::string::npos);
}

// One element per NPU and cycle, as counted on boards; 130 channels are three to an NPU.
TEST(OpList, ALookupTakesACycleForEachElement) {
  const Op& op = *ops().find("tpu_bdc_table_lookup");
  const dim4 shape = {2, 130, 3, 5};
  const Arg args[] = {encode(0U),  encode(4096U),   encode(8192U),   encode(&shape),
                      encode(256), encode(DT_INT8), encode(DT_UINT8)};
  Command command;
  decode(op, args, bm1684x(), false, command);
  EXPECT_EQ(op.spec().cycles(command, {}), 2 * 3 * 15);
}

// A type that no chip here knows is refused wherever a type is an argument.
TEST(OpList, LaterTypesAreRefused) {
  for (const data_type_t later : {DT_FP20, DT_TF32}) {
    EXPECT_FALSE(dtype_of(later).has_value());
    const Arg arg = encode(later);
    EXPECT_EQ(arg.field[kDtypeField], -1);
    EXPECT_EQ(arg.value(), later);
  }
}

// A finding about a table that nobody loaded names the function that loads it.
TEST(OpList, EveryTableHasItsLoader) {
  int tables = 0;
  for (const Op* op : ops().all()) {
    for (const OperandSpec& operand : op->spec().operands) {
      if (operand.loaded_by.empty()) continue;
      ++tables;
      EXPECT_NE(ops().find(operand.loaded_by), nullptr)
          << op->name() << " " << operand.param << ": " << operand.loaded_by;
    }
  }
  EXPECT_GT(tables, 40);
}

// What the fastest implementation carries out as a copy says so in its entry, and nothing else
// does.
TEST(OpList, CopiesSaySo) {
  int copies = 0;
  for (const Op* op : ops().all()) {
    const OpSpec& spec = op->spec();
    if (spec.implementations.empty()) continue;
    EXPECT_EQ(spec.only_moves, spec.implementations.front().name == "strided" ||
                                   (spec.only_moves && spec.dependence == Dependence::kMoved))
        << op->name();
    copies += spec.only_moves ? 1 : 0;
  }
  EXPECT_GT(copies, 20);
}

}  // namespace
}  // namespace tensorlane::tpukernel
