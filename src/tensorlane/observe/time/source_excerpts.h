// The source around the lines that a page speaks of, as text that the page can show.
#ifndef TENSORLANE_OBSERVE_TIME_SOURCE_EXCERPTS_H_
#define TENSORLANE_OBSERVE_TIME_SOURCE_EXCERPTS_H_

#include <map>
#include <set>
#include <string>

#include "tensorlane/json/json.h"

namespace tensorlane::observe {

class SourceExcerpts {
 public:
  // Lines shown before and after one that is spoken of, and all of them at most.
  static constexpr int kAround = 3;
  static constexpr std::size_t kMostLines = 4000;

  // `else_file` is read where `file` is not there: sources may have moved.
  void add(const std::string& file, int line, const std::string& else_file = {});
  // {"FILE": {"41": "text", "42": ..}}; files that cannot be read are left out.
  Json json() const;

 private:
  std::map<std::string, std::set<int>> lines_;
  std::map<std::string, std::string> else_files_;
};

}  // namespace tensorlane::observe

#endif  // TENSORLANE_OBSERVE_TIME_SOURCE_EXCERPTS_H_
