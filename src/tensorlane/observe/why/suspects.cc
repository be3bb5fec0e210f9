#include "tensorlane/observe/why/suspects.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <set>

#include "tensorlane/base/language.h"
#include "tensorlane/observe/check/describe.h"
#include "tensorlane/observe/check/finding_json.h"
#include "tensorlane/observe/why/replay.h"
#include "tensorlane/observe/why/step_facts.h"

namespace tensorlane::why {
namespace {

constexpr std::size_t kMostLaunches = 3;
constexpr int kWeak = 50;        // such marks count where there are no others
constexpr int kOfOneValue = 30;  // less for what explains one value of several
constexpr int kOffPath = 12;     // less for lines that the value did not come through

// Launches that the value came through, the nearest first.
std::vector<std::uint64_t> launches_of(const Json& steps) {
  std::vector<std::pair<int, std::uint64_t>> by_depth;
  for (const Json& step : steps) {
    if (const Json* const launch = step.find("launch"))
      by_depth.emplace_back(step["depth"].get<int>(), (*launch)["number"].get<std::uint64_t>());
  }
  std::ranges::stable_sort(by_depth, {}, [](const auto& each) { return each.first; });
  std::vector<std::uint64_t> numbers;
  for (const auto& [depth, number] : by_depth) {
    if (std::ranges::find(numbers, number) == numbers.end() && numbers.size() < kMostLaunches)
      numbers.push_back(number);
  }
  return numbers;
}

// Where nothing wrote the value: the last launch before.
std::optional<std::uint64_t> last_launch(const trail::History& history, trail::Writer before) {
  for (trail::Writer event = before - 1; event >= history.first_kept() && event > 0; --event) {
    const trail::Event* const each = history.find(event);
    if (each != nullptr && each->launch != nullptr) return each->launch->number;
  }
  return std::nullopt;
}

std::size_t indent_of(const std::string& line) {
  return line.find_first_not_of(" \t");
}

bool begins_loop(const std::string& line) {
  const std::size_t first = indent_of(line);
  if (first == std::string::npos) return false;
  for (const std::string_view word : {"for", "while"}) {
    const std::string_view rest = std::string_view(line).substr(first);
    if (rest.starts_with(word) && rest.size() > word.size() &&
        (rest[word.size()] == ' ' || rest[word.size()] == '('))
      return true;
  }
  return false;
}

// The line of the innermost loop that line `line` of a file stands in, by its indentation; 0 where
// there is none.
int loop_around(const std::string& file, int line) {
  std::ifstream in(file);
  std::vector<std::string> lines;
  for (std::string text; static_cast<int>(lines.size()) < line && std::getline(in, text);)
    lines.push_back(text);
  if (static_cast<int>(lines.size()) < line || line < 1) return 0;
  std::size_t indent = indent_of(lines.back());
  for (int k = line - 1; k > 0; --k) {
    const std::string& each = lines[static_cast<std::size_t>(k - 1)];
    const std::size_t here = indent_of(each);
    if (here == std::string::npos || here >= indent) continue;
    if (begins_loop(each)) return k;
    indent = here;
    if (here == 0) break;
  }
  return 0;
}

// The suspects of one launch, with the steps of its lines.
class Ranking {
 public:
  Ranking(const Json& steps, const ChainFacts& chain) : chain_(chain) {
    for (const Json& step : steps) {
      if (const auto command = chain.command(step))
        step_of_line_.try_emplace(line_of(*command), step["id"].get<int>());
    }
  }

  std::vector<Suspect> ranked(Suspects found) const {
    std::map<std::size_t, Suspect> by_place;  // cores run the same lines
    for (Suspect& each : found) {
      const std::size_t line = line_of(each.command);
      if (!step_of_line_.contains(line)) each.weight -= kOffPath;
      const auto [entry, added] = by_place.try_emplace(chain_.launch().lines[line].place, each);
      if (!added && each.weight > entry->second.weight) entry->second = each;
    }
    std::vector<Suspect> all;
    for (auto& [place, each] : by_place) all.push_back(std::move(each));
    std::ranges::stable_sort(all, std::greater{}, &Suspect::weight);
    return all;
  }

  Json json(const Suspect& suspect, std::uint64_t launch) const {
    const Issued& issued = chain_.launch().commands[suspect.command];
    check::FindingLocation location = check::make_location("", issued.command);
    Json result = {{"kind", suspect.kind},
                   {"text", suspect.text},
                   {"call", issued.command.op->name()},
                   {"launch", launch},
                   {"command", issued.command.sequence},
                   {"weight", suspect.weight}};
    check::complete(location);
    result["location"] = check::json(location);
    if (const auto step = step_of_line_.find(issued.line); step != step_of_line_.end())
      result["step"] = step->second;
    const int loop = loop_around(location.file, location.line);
    if (loop > 0 && chain_.launch().lines[issued.line].issued.size() > 1) result["loop"] = loop;
    return result;
  }

 private:
  std::size_t line_of(std::size_t command) const { return chain_.launch().commands[command].line; }

  const ChainFacts& chain_;
  std::map<std::size_t, int> step_of_line_;  // the first step of each line in the chain
};

}  // namespace

Json suspects_of(const Json& steps, std::span<const Target> targets, trail::History& history,
                 const trail::Allocations& allocations, DeviceMemory& memory, const Chip& chip,
                 trail::Writer before) {
  std::vector<Json> all;
  std::vector<std::uint64_t> launches = launches_of(steps);
  if (launches.empty()) {
    if (const auto last = last_launch(history, before)) launches.push_back(*last);
  }
  for (const std::uint64_t number : launches) {
    const LaunchCommands launch = commands_of(history, allocations, chip, number, before);
    if (launch.commands.empty()) continue;
    const ChainFacts chain(steps, launch);
    Suspects found;
    find_siblings(launch, found);
    find_flow(launch, history, memory, found);
    find_left_out(launch, found);
    find_mismatches(launch, found);
    find_constants(launch, found);
    find_in_chain(chain, steps, found);
    find_constant_results(chain, steps, history, memory, found);
    find_unconfirmed(chain, steps, found);
    if (!targets.empty()) {
      {
        const std::size_t before_them = found.size();
        Replay replay(history, memory);
        find_explanations(chain, targets.front().expected, replay, allocations, found);
        // What explains one value may well be wrong of others.
        for (std::size_t k = before_them; k < found.size() && targets.size() > 1; ++k)
          found[k].weight -= kOfOneValue;
      }
      Trial trial(launch, history, memory, chip, before);
      find_repairs(chain, steps, targets, trial, found);
    }
    const Ranking ranking(steps, chain);
    for (const Suspect& each : ranking.ranked(std::move(found)))
      all.push_back(ranking.json(each, number));
  }
  std::ranges::stable_sort(all, std::greater{},
                           [](const Json& each) { return each["weight"].get<int>(); });
  // Who knows what would make it right needs no guesses.
  const bool known =
      std::ranges::any_of(all, [](const Json& each) { return each["kind"].text() == "repairs"; });
  Json result = Json::array();
  for (Json& each : all) {
    if (known && each["kind"].text() == "unconfirmed") continue;
    if (each["weight"].get<int>() < kWeak) each["weak"] = true;
    result.push_back(std::move(each));
  }
  return result;
}

}  // namespace tensorlane::why
