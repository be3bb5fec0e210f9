// Two command logs side by side: which commands stand for each other, where their results differ
// first, what each line costs on either side.
//
// Commands are known again by what survives a change of addresses: the function and the shapes of
// its results. First those are aligned whose results are equal as well, so that of the tiles of a
// loop each meets its own; then the rest between them. What is left over may have moved (the same
// results elsewhere), or be the tiles of a tensor that was cut in another way: commands of one
// function and line whose results have as many elements together.
#ifndef TENSORLANE_COMMAND_LOG_COMPARE_H_
#define TENSORLANE_COMMAND_LOG_COMPARE_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tensorlane/command_log/align.h"
#include "tensorlane/command_log/record.h"
#include "tensorlane/json/json.h"

namespace tensorlane::command_log {

struct CompareOptions {
  // How far values may be apart, as a share of the largest magnitude of both tensors. 0: the bits
  // are the same; where the element types differ, kOtherType.
  double tolerance = 0;
  static constexpr double kOtherType = 0.01;

  // What counts between these types.
  double between(std::string_view a, std::string_view b) const {
    return tolerance == 0 && a != b ? kOtherType : tolerance;
  }
};

// Commands, by their index in the two launches, that do the same work.
struct Counterpart {
  enum class Kind : std::uint8_t { kAligned, kMoved, kTiles };
  std::vector<std::size_t> a, b;  // one each but for kTiles
  Kind kind = Kind::kAligned;
  bool same_results = true;
  // Of tiles whose results differ: the first of them that do, so many of each as cover the same
  // part of the tensor. Empty where cuts of one do not fall on cuts of the other.
  std::vector<std::size_t> first_a = {}, first_b = {};
};

struct LaunchComparison {
  const LoggedLaunch* a = nullptr;  // null where only the other log has the launch
  const LoggedLaunch* b = nullptr;
  std::vector<Counterpart> counterparts = {};  // in the order of their first command in `a`
  std::vector<std::size_t> only_a = {}, only_b = {};
  // Of those left over, the first commands of lines that stand in each other's place all the same:
  // tiles that overlap, for one.
  std::vector<Match> replaced = {};

  // The first of the counterparts whose results differ.
  const Counterpart* first_difference() const;
  bool same() const;
};

// What one source line costs on either side. Counterparts share a row.
struct LineCost {
  const LoggedCommand* a = nullptr;  // the first command of the line; null where there is none
  const LoggedCommand* b = nullptr;
  std::string function = {};
  double a_us = 0, b_us = 0;
  std::size_t a_count = 0, b_count = 0;
};

struct Comparison {
  std::vector<LaunchComparison> launches;
  std::vector<LineCost> lines;  // the largest difference first
  bool same() const;
};

// The logs must outlive the comparison.
Comparison compare(const Log& a, const Log& b, const CompareOptions& options = {});

// How the contents of counterparts differ, in words; nothing where they do not. An operand without
// contents (a dry run) differs from none. `a` and `b`: one operand of each command.
std::optional<std::string> difference(const std::vector<const LoggedOperand*>& a,
                                      const std::vector<const LoggedOperand*>& b,
                                      std::optional<Contents> LoggedOperand::*when,
                                      const CompareOptions& options);

// The arguments of a call that are others than in all other calls of the list, which agree on them:
// what it passes, and what they do, as C.
std::vector<std::pair<std::string, std::string>> unlike_arguments(
    const std::string& call, const std::vector<std::string>& others);

// The first result, of `a` and of `b`, of two single commands that differs; nothing where they do
// not, or where their shapes do.
std::optional<std::pair<const LoggedOperand*, const LoggedOperand*>> differing_result(
    const LaunchComparison& launch, const Counterpart& counterpart, const CompareOptions& options);

// Both runs as `tensorlane diff` prints them; `a_name` and `b_name` say what they were, `details`
// are lines to add to the first results that differ.
std::string comparison_text(const Comparison& comparison, const std::string& a_name,
                            const std::string& b_name, const CompareOptions& options,
                            const std::string& details = "");

// The same for programs.
Json comparison_json(const Comparison& comparison, const std::string& a_name,
                     const std::string& b_name);

}  // namespace tensorlane::command_log

#endif  // TENSORLANE_COMMAND_LOG_COMPARE_H_
