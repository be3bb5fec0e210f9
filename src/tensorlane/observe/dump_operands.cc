#include "tensorlane/observe/dump_operands.h"

#include <fmt/format.h>

#include <cctype>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/inspect/operand_elements.h"
#include "tensorlane/inspect/value.h"
#include "tensorlane/io/npy.h"
#include "tensorlane/observe/report_file.h"

namespace tensorlane::observe {
namespace {

constexpr std::string_view kNumber = "{n}", kCore = "{core}";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// `path` for the next command of a core; all devices of the program count together.
std::string next_path(std::string path, int core) {
  static std::mutex mutex;
  static std::map<std::string, int>& counts = *new std::map<std::string, int>;
  if (const std::size_t at = path.find(kCore); at != std::string::npos)
    path.replace(at, kCore.size(), fmt::format("{}", core));
  const std::size_t at = path.find(kNumber);
  if (at == std::string::npos) return path;
  const std::lock_guard lock(mutex);
  const int number = counts[path]++;
  return path.replace(at, kNumber.size(), fmt::format("{}", number));
}

// The = behind FILE:LINE or FILE:LINE:OPERAND, as the file may have one in its name; else the
// first.
std::size_t end_of_choice(const std::string& text) {
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  for (std::size_t at = text.find('='); at != std::string::npos; at = text.find('=', at + 1)) {
    std::size_t begin = at;  // of the line, or of the operand
    while (begin > 0 && is_word(text[begin - 1])) --begin;
    if (begin == 0 || begin == at || text[begin - 1] != ':') continue;
    if (is_digit(text[begin])) return at;
    std::size_t line = begin - 1;
    while (line > 0 && is_digit(text[line - 1])) --line;
    if (line > 0 && line < begin - 1 && text[line - 1] == ':') return at;
  }
  return text.find('=');
}

const Operand* find_operand(const Command& command, const std::string& name) {
  if (!name.empty()) return command.find(name);
  for (const Operand& operand : command.operands()) {
    if (operand.writes() && operand.role != Role::kWork) return &operand;
  }
  return nullptr;
}

}  // namespace

DumpText parse_dump(const std::string& text) {
  const std::size_t equals = end_of_choice(text);
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    user_error("--dump '{}': it must be FILE:LINE=OUT.npy or FILE:LINE:OPERAND=OUT.npy", text);
  DumpText dump{text.substr(0, equals), "", text.substr(equals + 1)};
  // What follows the last colon is a line, or an operand, whose name begins with no digit.
  const std::size_t colon = dump.choice.rfind(':');
  if (colon != std::string::npos && colon + 1 < dump.choice.size() &&
      !is_digit(dump.choice[colon + 1])) {
    dump.operand = dump.choice.substr(colon + 1);
    dump.choice.resize(colon);
  }
  const CommandChoice known("--dump", dump.choice);  // throws for what is none
  return dump;
}

DumpOperands::DumpOperands(const std::vector<DumpText>& dumps, const DeviceMemory& memory, Say say)
    : memory_(memory), say_(std::move(say)) {
  for (const DumpText& dump : dumps) dumps_.push_back({dump, {"--dump", dump.choice}});
}

DumpOperands::~DumpOperands() {
  for (const Dump& dump : dumps_) {
    report_choice(dump.choice, say_);
    if (!dump.problem.empty()) report_problem(dump.problem, say_);
  }
}

void DumpOperands::launch_begin(const Launch& launch) {
  for (Dump& dump : dumps_) dump.choice.launch_begin(launch);
}

void DumpOperands::command_begin(const Command& command) {
  for (Dump& dump : dumps_) {
    dump.operand = nullptr;
    if (!dump.choice.matches(command)) continue;
    dump.core = command.core;
    dump.operand = find_operand(command, dump.text.operand);
    if (dump.operand == nullptr) {
      std::string names;
      for (const Operand& operand : command.operands())
        names += fmt::format("{}{}", names.empty() ? "" : ", ", operand.name());
      if (dump.problem.empty())
        dump.problem =
            tr("{}: {} has no operand '{}'; it has {}", dump.choice.name(), command.op->name(),
               dump.text.operand, names.empty() ? tr("none") : names);
    } else if (!dump.operand->writes()) {
      write(dump);  // before an output that lies in the same place covers it
    }
  }
}

void DumpOperands::command_end(const Command&) {
  for (Dump& dump : dumps_) {
    if (dump.operand != nullptr && dump.operand->writes()) write(dump);
    dump.operand = nullptr;
  }
}

void DumpOperands::write(Dump& dump) const {
  try {
    Tensor tensor =
        inspect::OperandElements(*dump.operand, memory_.base(dump.operand->space)).tensor();
    tensor.dtype = inspect::readable(tensor.dtype);
    write_npy_file(next_path(dump.text.path, dump.core), tensor);
  } catch (const UserError& error) {
    if (dump.problem.empty())
      dump.problem = fmt::format("{}: {}", dump.choice.name(), error.what());
  }
}

void dump_operands(Device& device, const std::string& value, const Say& say) {
  if (device.implementation() == ImplementationChoice::kNone)
    user_error("--dump: a dry run computes no values");
  std::vector<DumpText> dumps;
  std::istringstream lines(value);
  for (std::string line; std::getline(lines, line);) dumps.push_back(parse_dump(line));
  device.trace_calls();
  device.add_observer(std::make_unique<DumpOperands>(dumps, device.memory(), say));
}

}  // namespace tensorlane::observe
