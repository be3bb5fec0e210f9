#include "tensorlane/recording/row_runs.h"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <string_view>

#include "tensorlane/base/error.h"
#include "tensorlane/recording/row_values.h"

namespace tensorlane {
namespace {

// A list of texts, or a text that is one of them.
std::vector<std::string> texts_of(const Json& row, std::string_view name) {
  const Json& value = row.at(name);
  std::vector<std::string> texts;
  if (value.is_array()) {
    for (const Json& each : value) texts.push_back(each.get<std::string>());
  } else {
    texts.push_back(value.get<std::string>());
  }
  if (texts.empty() || std::ranges::any_of(texts, &std::string::empty))
    user_error("'{}' is {}; it is a text or a list of texts", name, value.dump());
  return texts;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

// "1,64,1,16" of a list, a number or a text as it is.
std::string argument_of(const Json& value) {
  if (value.is_string()) return value.text();
  if (!value.is_array()) return value.dump();
  std::string list;
  for (const Json& each : value)
    list += (list.empty() ? "" : ",") + (each.is_string() ? each.text() : each.dump());
  return list;
}

std::vector<std::pair<std::string, std::string>> arguments_of(const Json& value) {
  std::vector<std::pair<std::string, std::string>> arguments;
  if (value.is_object()) {
    for (const auto& [name, each] : value.items()) arguments.emplace_back(name, argument_of(each));
    return arguments;
  }
  for (const std::string& word : words_of(value.get<std::string>())) {
    const std::size_t at = word.find('=');
    if (at == std::string::npos || at == 0 || at + 1 == word.size())
      user_error("'arguments' has \"{}\"; wanted are words like rows=64 or in=fp16:64x1024", word);
    arguments.emplace_back(word.substr(0, at), word.substr(at + 1));
  }
  return arguments;
}

constexpr std::string_view kWhatDidIt[] = {"recording", "code", "module", "program"};

}  // namespace

std::optional<RowRun> row_run(const Json& row, const std::filesystem::path& folder) {
  std::string_view which;
  for (const std::string_view name : kWhatDidIt) {
    if (!row.contains(name)) continue;
    if (!which.empty()) user_error("'{}' and '{}': one of them says what did it", which, name);
    which = name;
  }
  if (which.empty())
    user_error("what did it is missing: one of 'recording', 'code', 'module', 'program'");
  if (which == "recording") return {};
  RowRun run;
  const bool program = which == "program";
  if (!program || row.contains("kernel")) run.kernel = row.at("kernel").get<std::string>();
  if (program) {
    run.program = row.at("program").is_array() ? texts_of(row, "program")
                                               : words_of(row.at("program").get<std::string>());
    if (run.program.empty()) user_error("'program' is empty");
    // As a shell has it: a name without a slash is looked for elsewhere.
    if (run.program[0].find('/') != std::string::npos)
      run.program[0] = (folder / run.program[0]).string();
    for (const std::string_view name : {"arguments", "cores"}) {
      if (row.contains(name))
        user_error("'{}' beside 'program', which passes them to its kernels itself", name);
    }
    return run;
  }
  for (const std::string& each : texts_of(row, which))
    run.sources.push_back((folder / each).string());
  if (which == "module") {
    if (run.sources.size() != 1)
      user_error("'module' is {}; it is one file", row.at("module").dump());
    run.module = run.sources[0];
    run.sources.clear();
  }
  if (row.contains("arguments")) run.arguments = arguments_of(row.at("arguments"));
  if (row.contains("cores")) run.cores = row_whole(row, "cores", 1 << 10);
  return run;
}

}  // namespace tensorlane
