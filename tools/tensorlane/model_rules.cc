#include "model_rules.h"

#include <algorithm>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/base/names.h"
#include "tensorlane/io/file.h"
#include "tensorlane/json/toml.h"

namespace tensorlane::cli {
namespace {

// A table of the file, read key by key.
class RuleTable {
 public:
  RuleTable(const std::string& file, const Json& table) : file_(file), table_(table) {}

  std::int64_t line() const { return table_.at("").get<std::int64_t>(); }
  [[noreturn]] void fail(const std::string& what) const {
    user_error("'{}', line {}: {}", file_, line(), what);
  }

  bool take(std::string_view key, std::string& value) {
    const Json* const found = find(key);
    if (found == nullptr) return false;
    if (found->is_array() && key_is_integers(key)) {
      std::vector<std::int64_t> values;
      for (const Json& each : *found) values.push_back(integer(key, each));
      value = comma(values);
      return true;
    }
    if (!found->is_string()) fail(tr("{} has to be a text", key));
    value = found->text();
    return true;
  }
  void take(std::string_view key, std::int64_t& value) {
    if (const Json* const found = find(key)) value = integer(key, *found);
  }
  void take(std::string_view key, std::optional<std::int64_t>& value) {
    if (const Json* const found = find(key)) value = integer(key, *found);
  }
  bool take(std::string_view key, bool& value) {
    const Json* const found = find(key);
    if (found == nullptr) return false;
    if (!found->is_boolean()) fail(tr("{} has to be true or false", key));
    value = found->get<bool>();
    return value;
  }
  void take(std::string_view key, std::vector<std::string>& values) {
    const Json* const found = find(key);
    if (found == nullptr) return;
    const Json one = Json::array({*found});
    for (const Json& each : found->is_array() ? *found : one) {
      if (!each.is_string()) fail(tr("{} has to be a text or a list of texts", key));
      values.push_back(each.text());
    }
  }
  bool has(std::string_view key) const { return table_.contains(key); }
  // Of the keys that nobody took, `allowed` but here.
  void finish(std::string_view allowed) const {
    for (const auto& [key, value] : table_.items()) {
      if (key.empty() || key == allowed || std::ranges::find(known_, key) != known_.end()) continue;
      std::vector<std::string_view> names(known_.begin(), known_.end());
      fail(tr("unknown key '{}'{}", key, did_you_mean(key, names)));
    }
  }

 private:
  static bool key_is_integers(std::string_view key) {
    return key.ends_with("shape") || key.ends_with("strides");
  }
  const Json* find(std::string_view key) {
    known_.push_back(key);
    return table_.find(key);
  }
  std::int64_t integer(std::string_view key, const Json& value) const {
    if (!value.is_number() || value.is_number_float()) fail(tr("{} has to be a whole number", key));
    return value.get<std::int64_t>();
  }

  const std::string& file_;
  const Json& table_;
  std::vector<std::string_view> known_;
};

void take_ends(RuleTable& table, LayoutEndpoints& ends) {
  table.take("from", ends.from);
  table.take("to", ends.to);
  table.take("chip", ends.chip);
  table.take("from_chip", ends.from_chip);
  table.take("to_chip", ends.to_chip);
  table.take("shape", ends.shape);
  table.take("to_shape", ends.to_shape);
  table.take("dtype", ends.dtype);
  table.take("to_dtype", ends.to_dtype);
  table.take("rounding", ends.rounding);
  table.take("saturate", ends.saturate);
  table.take("from_start_npu", ends.from_start_npu);
  table.take("start_npu", ends.to_start_npu);
  table.take("to_start_npu", ends.to_start_npu);
  table.take("from_cols_per_channel", ends.from_cols);
  table.take("cols_per_channel", ends.to_cols);
  table.take("to_cols_per_channel", ends.to_cols);
  table.take("from_strides", ends.from_strides);
  table.take("strides", ends.to_strides);
  table.take("to_strides", ends.to_strides);
  table.take("npus", ends.npus);
  std::int64_t block = ends.winograd_block;
  table.take("winograd_block", block);
  if (block != 2 && block != 4 && block != 6)
    table.fail(tr("winograd_block is {}; allowed are {}", block, "2, 4, 6"));
  ends.winograd_block = static_cast<int>(block);
  // At once, not when the first tensor comes.
  try {
    parse_rounding_mode(ends.rounding);
    for (const std::string* dtype : {&ends.dtype, &ends.to_dtype}) {
      if (!dtype->empty()) parse_dtype(*dtype);
    }
  } catch (const UserError& error) {
    table.fail(error.what());
  }
}

ModelRule read_rule(RuleTable table, const LayoutEndpoints& defaults) {
  ModelRule rule;
  rule.line = table.line();
  rule.ends = defaults;
  table.take("match", rule.match);
  table.take("rank", rule.rank);
  take_ends(table, rule.ends);
  int actions = table.has("to") ? 1 : 0;
  for (const auto& [key, action] : {std::pair("keep", ModelAction::kKeep),
                                    {"unpack", ModelAction::kUnpack},
                                    {"skip", ModelAction::kSkip}}) {
    bool wanted = false;
    if (!table.take(key, wanted)) continue;
    rule.action = action;
    ++actions;
  }
  table.finish("");
  if (rule.match.empty()) table.fail(tr("a rule needs match, the names of its tensors"));
  if (actions == 0 && !defaults.to.empty()) actions = 1;
  if (actions != 1)
    table.fail(tr("a rule needs one of to, keep = true, unpack = true and skip = true"));
  return rule;
}

}  // namespace

bool ModelRule::fits(std::string_view name, std::size_t of_rank) const {
  if (rank && *rank != static_cast<std::int64_t>(of_rank)) return false;
  return std::ranges::any_of(
      match, [&](const std::string& pattern) { return matches_pattern(pattern, name); });
}

std::vector<ModelRule> read_model_rules(const std::string& file) {
  const FileView view(file);
  const Json document = parse_toml(view.text(), fmt::format("'{}'", file));
  LayoutEndpoints defaults;
  RuleTable whole(file, document);
  take_ends(whole, defaults);
  whole.finish("rule");
  std::vector<ModelRule> rules;
  const Json* const tables = document.find("rule");
  if (tables == nullptr || !tables->is_array() || tables->empty())
    user_error("'{}': no rules: each begins with a line [[rule]]", file);
  for (const Json& table : *tables) {
    if (!table.is_object()) user_error("'{}': no rules: each begins with a line [[rule]]", file);
    rules.push_back(read_rule(RuleTable(file, table), defaults));
  }
  return rules;
}

bool matches_pattern(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, from = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      from = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      const bool character = pattern[p++] == '?';
      ++t;
      while (character && t < text.size() && (static_cast<unsigned char>(text[t]) & 0xc0) == 0x80)
        ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++from;
    } else {
      return false;
    }
  }
  return std::ranges::all_of(pattern.substr(p), [](char c) { return c == '*'; });
}

}  // namespace tensorlane::cli
