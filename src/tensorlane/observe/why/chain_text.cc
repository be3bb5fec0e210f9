#include "tensorlane/observe/why/chain_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "tensorlane/base/language.h"
#include "tensorlane/observe/why/source_text.h"
#include "tensorlane/observe/why/summary.h"

namespace tensorlane::why {
namespace {

// "         30 | okk_poll();", below the place of the line.
std::string source_line(const Json& place, const std::string& indent) {
  const std::string source = place.value("source", "");
  if (source.empty()) return "";
  return fmt::format("{}{:>8} | {}\n", indent, place["line"].get<int>(), source);
}

std::string location_text(const Json& location, const std::string& indent) {
  constexpr std::size_t kShownCallers = 3;
  std::string text = source_line(location, indent);
  const Json& callers = location["callers"];
  const std::size_t shown = std::min(callers.size(), kShownCallers);
  for (std::size_t k = 0; k < shown; ++k) {
    text += fmt::format("{}{}\n", indent, tr("from {}", callers[k]["place"].text()));
    text += source_line(callers[k], indent);
  }
  if (shown < callers.size())
    text += fmt::format("{}{}\n", indent, tr("from {} more calls", callers.size() - shown));
  return text;
}

std::string call_at(const std::string& call, const Json& location) {
  const std::string place = location["place"].text();
  return place.empty() ? call : tr("{} at {}", call, place);
}

// The chain as text, from the question on.
class ChainPrinter {
 public:
  ChainPrinter(const Json& answer, bool all) : answer_(answer) {
    for (const Json& step : answer["steps"]) steps_[step["id"].get<int>()] = &step;
    choose(all);
  }

  std::string print() {
    std::string text =
        tr("{} of device {} ({}), {}", answer_["place"].text(), answer_["device"].get<int>(),
           answer_["chip"].text(), answer_["when"].text()) +
        "\n";
    if (const Json* const read = answer_.find("read")) {
      text += fmt::format(
          "  {}\n",
          tr("{}, byte {} of {}", call_at((*read)["location"]["call"].text(), (*read)["location"]),
             (*read)["offset"].get<std::int64_t>(), (*read)["bytes"].get<std::int64_t>()));
    }
    for (const std::string& line : summary_lines(answer_, answer_.contains("read") ? 2 : 1))
      text += line + "\n";
    if (!steps_.empty()) text += "\n" + block(*steps_.begin()->second, 0);
    if (shown_.size() < steps_.size()) {
      text += "\n" +
              tr_n("{} step more, with --all", "{} steps more, with --all",
                   static_cast<std::int64_t>(steps_.size() - shown_.size())) +
              "\n";
    }
    return text;
  }

 private:
  void choose(bool all);
  std::string block(const Json& step, int depth);
  std::string command(const Json& step, const std::string& indent) const;
  std::string origin(const Json& step, const std::string& indent) const;

  const Json& answer_;
  std::map<int, const Json*> steps_;
  std::set<int> shown_, printed_;
};

std::string launch_text(const Json& step) {
  const Json* const launch = step.find("launch");
  if (launch == nullptr) return "";
  const auto number = (*launch)["number"].get<std::int64_t>();
  const std::string kernel = (*launch)["kernel"].text();
  const Json* const command = launch->find("command");
  std::string text = command == nullptr ? tr("launch {} ('{}')", number, kernel)
                                        : tr("launch {} ('{}'), command {}", number, kernel,
                                             command->get<std::int64_t>());
  if (const Json* const core = launch->find("core"))
    text = tr("{}, {}", text, tr("core {}", core->get<int>()));
  return text;
}

std::string ChainPrinter::command(const Json& step, const std::string& indent) const {
  const Json& location = step["location"];
  std::string text =
      fmt::format("{}   {}\n", call_at(step["call"].text(), location), launch_text(step));
  text += location_text(location, indent);
  text += fmt::format("{}{}\n", indent, step["statement"].text());
  if (const Json* const operand = step.find("operand")) {
    text += fmt::format("{}{}{} = {}   {}\n", indent, operand->text(), step["element"].text(),
                        step["value"].text(), step["place"].text());
    text += fmt::format("{}  {}\n", indent, step["tensor"].text());
  }
  if (const Json* const sources = step.find("sources")) {
    text += fmt::format("{}{}\n", indent, sources->empty() ? tr("of constants alone") : tr("of"));
    for (const Json& each : *sources) text += source_text(each, indent + "  ");
  }
  if (const Json* const chosen = step.find("chosen"))
    text += fmt::format("{}{}\n", indent, chosen_text(*chosen));
  if (const Json* const sum = step.find("terms")) text += terms_text(*sum, indent);
  return text;
}

// Where a chain ends.
std::string ChainPrinter::origin(const Json& step, const std::string& indent) const {
  const std::string kind = step["kind"].text();
  std::string text;
  if (kind == "host") {
    const auto offset = step["offset"].get<std::int64_t>();
    text = tr("the host: {}", call_at(step["call"].text(), step["location"])) + "\n";
    text += location_text(step["location"], indent);
    text += fmt::format("{}{}\n", indent,
                        tr("{}: byte {} of the {} that it writes", step["place"].text(), offset,
                           step["bytes"].get<std::int64_t>()));
    if (const Json* const copied = step.find("copied_from")) {
      text += fmt::format("{}{}  -> #{}\n", indent, tr("copied from {}", (*copied)["place"].text()),
                          (*copied)["step"].get<int>());
    }
  } else if (kind == "processor" || kind == "unseen") {
    text = fmt::format("{}   {}\n", call_at(tr("the kernel's own code"), step["location"]),
                       launch_text(step));
    text += location_text(step["location"], indent);
    text += fmt::format("{}{}\n", indent, step["place"].text());
  } else if (kind == "open") {
    text = fmt::format("{}\n{}{}\n", tr("not found: further back than could be kept, see --memory"),
                       indent, step["place"].text());
  } else {
    text = fmt::format("{}\n{}{}\n", tr("nobody wrote it"), indent, step["place"].text());
  }
  if (const Json* const allocation = step.find("allocation")) {
    text += fmt::format(
        "{}{}\n", indent,
        tr("byte {} of the allocation of {} bytes made at {}",
           (*allocation)["offset"].get<std::int64_t>(), (*allocation)["bytes"].get<std::int64_t>(),
           (*allocation)["location"]["place"].text()));
    text += source_line((*allocation)["location"], indent);
  }
  return text;
}

// The steps that a step leads to.
std::vector<int> next_steps(const Json& step) {
  std::vector<int> next;
  if (const Json* const copied = step.find("copied_from"))
    next.push_back((*copied)["step"].get<int>());
  if (const Json* const sources = step.find("sources")) {
    for (const Json& source : *sources) {
      for (const Json& writer : source["writers"]) {
        if (writer.contains("step")) next.push_back(writer["step"].get<int>());
      }
    }
  }
  return next;
}

// The nearest steps, and those of suspects with what leads to them.
void ChainPrinter::choose(bool all) {
  constexpr std::size_t kShownSteps = 12;
  std::map<int, int> from;
  std::vector<int> queue;
  if (!steps_.empty()) queue.push_back(steps_.begin()->first);
  for (std::size_t k = 0; k < queue.size(); ++k) {
    if (all || k < kShownSteps) shown_.insert(queue[k]);
    for (const int next : next_steps(*steps_.at(queue[k]))) {
      if (steps_.contains(next) && next != queue.front() && from.try_emplace(next, queue[k]).second)
        queue.push_back(next);
    }
  }
  const Json* const suspects = answer_.find("suspects");
  if (suspects == nullptr || suspects->empty()) return;
  const Json* const step = suspects->front().find("step");
  for (int id = step == nullptr ? -1 : step->get<int>(); id >= 0 && shown_.insert(id).second;)
    id = from.contains(id) ? from.at(id) : -1;
}

std::string ChainPrinter::block(const Json& step, int depth) {
  const int id = step["id"].get<int>();
  constexpr int kDeepest = 12;  // long chains stay readable
  const std::string indent(static_cast<std::size_t>(2 * std::min(depth, kDeepest)), ' ');
  if (!shown_.contains(id) || !printed_.insert(id).second) return "";
  const std::string number = fmt::format("#{} ", id);
  const std::string below = indent + std::string(number.size(), ' ');
  std::string text = indent + number;
  text += step["kind"].text() == "command" ? command(step, below) : origin(step, below);
  if (const Json* const notes = step.find("notes")) {
    for (const Json& note : *notes)
      text += fmt::format("{}{}\n", below, tr("note: {}", note.text()));
  }
  for (const int next : next_steps(step)) {
    const auto found = steps_.find(next);
    if (found == steps_.end()) continue;
    const std::string rest = block(*found->second, depth + 1);
    if (!rest.empty()) text += "\n" + rest;
  }
  return text;
}

}  // namespace

std::string chain_text(const Json& answer, bool all) {
  return ChainPrinter(answer, all).print();
}

}  // namespace tensorlane::why
