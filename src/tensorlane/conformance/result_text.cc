#include "tensorlane/conformance/result_text.h"
#include "tensorlane/base/language.h"
#include "tensorlane/json/json.h"

#include <fmt/format.h>

#include <algorithm>

namespace tensorlane::conformance {
namespace {

std::string indented(const std::string& text) {
  std::string out = "  ";
  for (const char c : text) {
    out += c;
    if (c == '\n') out += "  ";
  }
  return out;
}

Json counts_json(const Counts& counts) {
  return {{"passed", counts.passed},
          {"failed", counts.failed},
          {"skipped", counts.skipped},
          {"quirk", counts.quirk}};
}

}  // namespace

std::string failures_text(const Result& result) {
  std::string text;
  for (const Failure& failure : result.failures)
    text += fmt::format("{} {}\n  {}\n{}\n", tr("FAIL"), failure.id, failure.call,
                        indented(failure.why));
  return text;
}

std::string exceptions_text(const Result& result) {
  std::string text;
  for (const std::string& exception : result.exceptions) text += tr("exception {}\n", exception);
  return text;
}

std::string table_text(const Result& result, bool failing_only) {
  std::size_t width = 8;
  for (const FunctionResult& function : result.functions)
    width = std::max(width, function.name.size());
  std::string text = fmt::format("{:<{}} {:>7} {:>7} {:>7} {:>7}\n", tr("function"), width,
                                 tr("passed"), tr("failed"), tr("skipped"), tr("quirk"));
  const auto row = [&](std::string_view name, const Counts& counts) {
    text += fmt::format("{:<{}} {:>7} {:>7} {:>7} {:>7}\n", name, width, counts.passed,
                        counts.failed, counts.skipped, counts.quirk);
  };
  for (const FunctionResult& function : result.functions) {
    if (!failing_only || function.counts.failed > 0) row(function.name, function.counts);
  }
  row(tr("total"), result.total);
  return text;
}

std::string json_text(const Result& result) {
  Json out{{"total", counts_json(result.total)}, {"functions", Json::array()}};
  for (const FunctionResult& function : result.functions) {
    Json entry{{"name", function.name}};
    entry.update(counts_json(function.counts));
    out["functions"].push_back(entry);
  }
  return out.dump(1) + "\n";
}

}  // namespace tensorlane::conformance
