// A run cut into parts for machines that know nothing of each other: --shard I/N with --results,
// and
// --merge, which puts the results of all parts together and misses none.
#ifndef TENSORLANE_TOOLS_SHARD_OPTIONS_H_
#define TENSORLANE_TOOLS_SHARD_OPTIONS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "app.h"
#include "tensorlane/json/json.h"

namespace tensorlane::cli {

struct ShardOptions {
  std::string shard, results;
  std::vector<std::string> merge;
};

void add_shard_options(App& command, ShardOptions& options);

// Every `parts`-th thing, from number `part` on; all without --shard.
struct Shard {
  std::size_t part = 0, parts = 1;
  bool has(std::size_t number) const { return number % parts == part; }
};

// Throws UserError for a shard that is no I/N with I from 1 to N.
Shard chosen_shard(const ShardOptions& options);

// What the key of a result begins with: a digest of all that decides results, texts and the content
// of files.
class RunDigest {
 public:
  void add(std::string_view text);
  void add_file(const std::string& path);
  std::string key(std::size_t number) const;  // of one result

 private:
  std::string texts_;
};

// Writes --results: a line of JSON per row, each with its "key". Nothing without the option.
void write_results(const ShardOptions& options, const std::vector<Json>& rows);

// The rows of all files of --merge in the order of `keys`. Throws UserError where one is lost,
// belongs to another run, or where two say different things.
std::vector<Json> merged_rows(const ShardOptions& options, const std::vector<std::string>& keys);

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_SHARD_OPTIONS_H_
