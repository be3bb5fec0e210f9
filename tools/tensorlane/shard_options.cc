#include "shard_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <unordered_map>

#include "output_file.h"
#include "tensorlane/base/error.h"
#include "tensorlane/conformance/digest.h"
#include "tensorlane/io/file.h"

namespace tensorlane::cli {
namespace {

std::optional<std::size_t> number_in(std::string_view text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return number;
}

std::uint64_t digest_of(std::string_view text) {
  return conformance::digest(std::as_bytes(std::span(text.data(), text.size())), std::nullopt);
}

}  // namespace

void add_shard_options(App& command, ShardOptions& options) {
  command
      .add_option("--shard", options.shard,
                  "Only this part of all, I from 1 to N; for machines that share the work")
      ->type_name("I/N");
  command.add_option("--results", options.results, "Write a line of JSON per result, for --merge")
      ->type_name("FILE");
  command
      .add_option("--merge", options.merge,
                  "Run nothing: put the --results of all parts together; a lost one is an error")
      ->type_name("FILE");
}

Shard chosen_shard(const ShardOptions& options) {
  if (options.shard.empty()) return {};
  const std::string_view text = options.shard;
  const std::size_t slash = std::min(text.find('/'), text.size());
  const auto part = number_in(text.substr(0, slash));
  const auto parts = number_in(text.substr(std::min(slash + 1, text.size())));
  if (!part || !parts || *part < 1 || *part > *parts)
    user_error("--shard {}: it is I/N with I from 1 to N, as 2/8", options.shard);
  return {*part - 1, *parts};
}

void RunDigest::add(std::string_view text) {
  texts_ += text;
  texts_ += '\0';
}

void RunDigest::add_file(const std::string& path) {
  add(fmt::format("{:016x}", conformance::digest(FileView(path).bytes(), std::nullopt)));
}

std::string RunDigest::key(std::size_t number) const {
  return fmt::format("{:016x}/{}", digest_of(texts_), number);
}

void write_results(const ShardOptions& options, const std::vector<Json>& rows) {
  if (options.results.empty()) return;
  std::string text;
  for (const Json& row : rows) text += row.dump() + "\n";
  write_output(options.results, text);
}

std::vector<Json> merged_rows(const ShardOptions& options, const std::vector<std::string>& keys) {
  std::unordered_map<std::string, std::optional<Json>> found;
  for (const std::string& key : keys) found[key] = std::nullopt;
  for (const std::string& path : options.merge) {
    const FileView file(path);
    std::string_view rest = file.text();
    for (int line = 1; !rest.empty(); ++line) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      const std::optional<Json> row = Json::try_parse(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (!row || !row->is_object() || !row->contains("key") || !row->at("key").is_string())
        user_error("{}:{}: no result", path, line);
      const auto known = found.find(row->at("key").text());
      if (known == found.end()) user_error("{}:{}: a result of another run", path, line);
      if (known->second && !(*known->second == *row))
        user_error("{}:{}: another result than one before, of {}", path, line, known->first);
      known->second = row;
    }
  }
  std::vector<Json> rows;
  for (const std::string& key : keys) {
    if (const std::optional<Json>& row = found[key]) rows.push_back(*row);
  }
  if (rows.size() < keys.size()) {
    const auto lost =
        std::ranges::find_if(keys, [&](const std::string& key) { return !found[key]; });
    user_error("{} of {} results are lost; the first is number {}", keys.size() - rows.size(),
               keys.size(), lost - keys.begin() + 1);
  }
  return rows;
}

}  // namespace tensorlane::cli
