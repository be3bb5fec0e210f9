#include "tensorlane/observe/why/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "tensorlane/base/language.h"

namespace tensorlane::why {
namespace {

constexpr std::size_t kLines = 10, kStrong = 5;

// "kernel.c:21"
std::string line_of(const Json& location) {
  const std::string file = location.value("file", "");
  if (file.empty()) return location["place"].text();
  return fmt::format("{}:{}", file.substr(file.find_last_of('/') + 1), location["line"].get<int>());
}

// "3.5 of src0_addr[0,0,0,0] = 1.5, src1_addr[0,0,0,0] = 2"
std::string made_text(const Json& step) {
  constexpr std::size_t kShownSources = 3;
  std::vector<std::string> parts;
  for (const Json& source : step["sources"]) {
    const std::string what = source["operand"].text() + source["element"].text();
    if (source["part"].text() == "table") continue;
    parts.push_back(source.contains("value")
                        ? fmt::format("{} = {}", what, source["value"].text())
                        : tr("{} elements of {}", source["elements"].get<std::int64_t>(), what));
  }
  if (parts.size() > kShownSources) {
    parts.resize(kShownSources);
    parts.emplace_back("...");
  }
  if (const Json* const constants = step.find("constants")) {
    for (const auto& [name, text] : constants->items())
      parts.push_back(fmt::format("{} = {}", name, text.text()));
  }
  return tr("{} of {}", step["value"].text(), fmt::format("{}", fmt::join(parts, ", ")));
}

// What is computed, not moved.
bool computes(const Json& step) {
  return step["kind"].text() == "command" && !step.value("moved", false) &&
         step.contains("sources") && step.contains("value");
}

class Summary {
 public:
  Summary(const Json& answer, std::size_t room) : room_(room) {
    for (const Json& step : answer["steps"]) steps_[step["id"].get<int>()] = &step;
    const Json* const suspects = answer.find("suspects");
    if (suspects == nullptr) {
      made_at(tr("made at: {}", path()));
      return;
    }
    for (const Json& each : *suspects)
      (each.value("weak", false) ? weak_ : strong_).push_back(&each);
    strong();
    weak();
    if (left() > 0) made_at(tr("made at: {}", path()));
  }

  std::vector<std::string> lines() { return std::move(lines_); }

 private:
  std::size_t left() const { return room_ - std::min(room_, lines_.size()); }
  void made_at(std::string line) {
    if (!steps_.empty() && !path().empty()) lines_.push_back(std::move(line));
  }

  std::string place(const Json& suspect) const {
    return fmt::format("  {} {}: ", line_of(suspect["location"]), suspect["call"].text());
  }
  static std::string behind(const Json& suspect) {
    std::string text;
    if (const Json* const loop = suspect.find("loop"))
      text += " " + tr("(loop of line {})", loop->get<int>());
    if (const Json* const step = suspect.find("step"))
      text += fmt::format("  -> #{}", step->get<int>());
    return text;
  }

  void strong() {
    if (strong_.empty()) return;
    lines_.push_back(tr("suspects, the likeliest first:"));
    const std::size_t shown = std::min(strong_.size(), kStrong);
    for (std::size_t k = 0; k < shown; ++k)
      lines_.push_back(place(*strong_[k]) + (*strong_[k])["text"].text() + behind(*strong_[k]));
    if (shown < strong_.size()) {
      lines_.push_back("  " + tr_n("{} more, with --json", "{} more, with --json",
                                   static_cast<std::int64_t>(strong_.size() - shown)));
    }
  }

  // With what the line computed at this element. The last line is for the whole way.
  void weak() {
    if (weak_.empty() || left() < 2) return;
    lines_.push_back(strong_.empty()
                         ? tr("nothing breaks a pattern; suspects that nothing confirms, the "
                              "likeliest first:")
                         : tr("nothing confirms:"));
    const std::size_t room = left() - (left() > weak_.size() ? 0 : 1);
    const std::size_t shown = std::min(weak_.size(), room);
    for (std::size_t k = 0; k < shown; ++k) {
      const Json& each = *weak_[k];
      const Json* const id = each.find("step");
      const auto step = id == nullptr ? steps_.end() : steps_.find(id->get<int>());
      std::string text = each["text"].text();
      if (step != steps_.end() && computes(*step->second))
        text = fmt::format("{}; {}", text, made_text(*step->second));
      lines_.push_back(place(each) + text + behind(each));
    }
  }

  // The lines that the value came through, each once, the last one first.
  std::string path() const {
    constexpr std::size_t kShown = 8;
    std::vector<std::string> all;
    for (const auto& [id, step] : steps_) {
      if ((*step)["kind"].text() != "command") continue;
      std::string line = line_of((*step)["location"]);
      if (std::ranges::find(all, line) == all.end()) all.push_back(std::move(line));
    }
    const bool more = all.size() > kShown;
    if (more) all.resize(kShown);
    return fmt::format("{}{}", fmt::join(all, " <- "), more ? " <- ..." : "");
  }

  const std::size_t room_;
  std::map<int, const Json*> steps_;
  std::vector<const Json*> strong_, weak_;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> summary_lines(const Json& answer, std::size_t used) {
  return Summary(answer, kLines - used).lines();
}

}  // namespace tensorlane::why
