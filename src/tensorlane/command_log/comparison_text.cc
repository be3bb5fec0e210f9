#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "tensorlane/command_log/compare.h"

namespace tensorlane::command_log {
namespace {

// Rows of the table of times, and groups of commands that only one run has, that are shown.
constexpr std::size_t kMostLines = 20, kMostGroups = 8, kMostLaunches = 8;

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string place_text(const LoggedCommand& command) {
  if (command.file.empty()) return command.in.empty() ? "an unknown place" : command.in;
  std::error_code error;
  const std::string here = std::filesystem::current_path(error).string() + "/";
  const std::string file =
      command.file.starts_with(here) ? command.file.substr(here.size()) : command.file;
  return fmt::format("{}:{}", file, command.line);
}

// For the narrow columns of the table.
std::string short_place(const LoggedCommand& command) {
  const std::string place = place_text(command);
  return place.substr(place.rfind('/') + 1);
}

// Whether both read the same bytes in the same order.
bool same_place(const LoggedOperand& a, const LoggedOperand& b) {
  return a.space == b.space && a.address == b.address && a.shape == b.shape && a.layout == b.layout;
}

std::string command_text(const LoggedCommand& command) {
  std::string text = fmt::format("{} at {}", command.function, place_text(command));
  if (!command.file.empty() && !command.in.empty()) text += " in " + command.in;
  return text;
}

std::vector<const LoggedOperand*> operands_at(const LoggedLaunch& launch,
                                              const std::vector<std::size_t>& commands,
                                              std::size_t k) {
  std::vector<const LoggedOperand*> operands;
  for (const std::size_t each : commands) {
    if (k < launch.commands[each].operands.size())
      operands.push_back(&launch.commands[each].operands[k]);
  }
  return operands;
}

class Text {
 public:
  Text(const Comparison& comparison, const CompareOptions& options, const std::string& details)
      : comparison_(comparison), options_(options), details_(details) {}

  std::string run(const std::string& a_name, const std::string& b_name) {
    totals("A", a_name, &LaunchComparison::a);
    totals("B", b_name, &LaunchComparison::b);
    std::size_t shown = 0, same = 0;
    bool detailed = false;
    for (const LaunchComparison& launch : comparison_.launches) {
      if (launch.same()) {
        ++same;
        continue;
      }
      if (++shown <= kMostLaunches) {
        add_launch(launch, !detailed);
        detailed = detailed || launch.first_difference() != nullptr;
      }
    }
    if (same > 0)
      line("\n{}: every command has its counterpart, with the same results",
           shown == 0 ? "all launches" : counted(same, "other launch", "other launches"));
    if (shown > kMostLaunches)
      line("\n{} differ, too", counted(shown - kMostLaunches, "more launch", "more launches"));
    times();
    return std::move(text_);
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... values) {
    text_ += fmt::format(format, std::forward<Args>(values)...) + "\n";
  }

  void totals(std::string_view side, const std::string& name,
              const LoggedLaunch* LaunchComparison::*which) {
    std::size_t launches = 0, commands = 0, failed = 0, cut = 0;
    double time_us = 0;
    for (const LaunchComparison& each : comparison_.launches) {
      const LoggedLaunch* const launch = each.*which;
      if (launch == nullptr) continue;
      ++launches;
      commands += launch->commands.size();
      failed += launch->failed ? 1 : 0;
      cut += launch->ended ? 0 : 1;
      time_us += launch->time_us;
    }
    line("{}  {}: {}, {}, {:.3f} us modelled{}{}", side, name,
         counted(launches, "launch", "launches"), counted(commands, "command", "commands"), time_us,
         failed > 0 ? fmt::format(", {} failed", failed) : "",
         cut > 0 ? fmt::format(", {} cut off", cut) : "");
  }

  void add_launch(const LaunchComparison& launch, bool detail) {
    const LoggedLaunch& named = launch.a != nullptr ? *launch.a : *launch.b;
    const std::string name = fmt::format("launch {} of device {}, kernel '{}'", named.number,
                                         named.device, named.kernel);
    if (launch.a == nullptr || launch.b == nullptr) {
      line("\n{}: only in {}", name, launch.a != nullptr ? "A" : "B");
      return;
    }
    std::map<Counterpart::Kind, std::size_t> kinds;
    std::size_t differ = 0;
    for (const Counterpart& each : launch.counterparts) {
      ++kinds[each.kind];
      differ += each.same_results ? 0 : 1;
    }
    line("\n{}", name);
    line("  {} in both{}{}; {} with other results",
         counted(kinds[Counterpart::Kind::kAligned], "command", "commands"),
         kinds[Counterpart::Kind::kMoved] > 0
             ? fmt::format(", {} moved", kinds[Counterpart::Kind::kMoved])
             : "",
         kinds[Counterpart::Kind::kTiles] > 0
             ? ", " + counted(kinds[Counterpart::Kind::kTiles], "line with tiles cut otherwise",
                              "lines with tiles cut otherwise")
             : "",
         differ);
    if (launch.a->failed != launch.b->failed)
      line("  it failed in {} alone", launch.a->failed ? "A" : "B");
    add_only("A", *launch.a, launch.only_a);
    add_only("B", *launch.b, launch.only_b);
    if (const Counterpart* const first = launch.first_difference(); first != nullptr && detail)
      add_difference(launch, *first);
  }

  // Commands without a counterpart, by line.
  void add_only(std::string_view side, const LoggedLaunch& launch,
                const std::vector<std::size_t>& commands) {
    struct Group {
      const LoggedCommand* first;
      std::size_t count = 0;
    };
    std::vector<Group> groups;
    std::map<std::string, std::size_t> index;
    for (const std::size_t each : commands) {
      const LoggedCommand& command = launch.commands[each];
      const auto [at, is_new] = index.emplace(command_text(command), groups.size());
      if (is_new) groups.push_back({&command});
      ++groups[at->second].count;
    }
    if (groups.empty()) return;
    line("\n  only in {}:", side);
    for (std::size_t k = 0; k < std::min(groups.size(), kMostGroups); ++k) {
      line("    {}; {}, from command {} on", command_text(*groups[k].first),
           counted(groups[k].count, "command", "commands"), groups[k].first->number);
      add_source(*groups[k].first);
    }
    if (groups.size() > kMostGroups)
      line("    and of {}", counted(groups.size() - kMostGroups, "more line", "more lines"));
  }

  void add_source(const LoggedCommand& command) {
    if (!command.source.empty()) line("      {:>5} | {}", command.line, command.source);
  }

  void add_side(std::string_view side, const LoggedLaunch& launch,
                const std::vector<std::size_t>& commands) {
    const LoggedCommand& first = launch.commands[commands.front()];
    line("    {}  {}; {}{}", side, command_text(first),
         commands.size() == 1 ? "command" : counted(commands.size(), "tile", "tiles") + ", from",
         commands.size() == 1 ? fmt::format(" {}", first.number)
                              : fmt::format(" command {} on", first.number));
    add_source(first);
    line("       {}", first.call);
  }

  std::string equal_text(const std::vector<const LoggedOperand*>& a,
                         const std::vector<const LoggedOperand*>& b) const {
    if (a.empty() || b.empty() || a.front()->dtype == b.front()->dtype) return "equal";
    const std::string &left = a.front()->dtype, &right = b.front()->dtype;
    return fmt::format("{} and {}, equal to within {} of the largest magnitude", left, right,
                       options_.between(left, right));
  }

  void add_difference(const LaunchComparison& launch, const Counterpart& first) {
    line("\n  the first results that differ:");
    add_side("A", *launch.a, first.a);
    add_side("B", *launch.b, first.b);
    bool inputs_differ = false, same_places = true;
    const std::vector<LoggedOperand>& operands = launch.a->commands[first.a.front()].operands;
    for (std::size_t k = 0; k < operands.size(); ++k) {
      const auto a = operands_at(*launch.a, first.a, k), b = operands_at(*launch.b, first.b, k);
      if (operands[k].reads()) {
        const auto found = difference(a, b, &LoggedOperand::before, options_);
        line("    {:<8} {}: {}", "input", operands[k].name, found.value_or(equal_text(a, b)));
        inputs_differ = inputs_differ || found.has_value();
        if (found && !same_place(*a.front(), *b.front())) same_places = false;
      }
      if (operands[k].writes())
        line("    {:<8} {}: {}", "result", operands[k].name,
             difference(a, b, &LoggedOperand::after, options_).value_or(equal_text(a, b)));
    }
    line("    {}", blame(launch, first, inputs_differ, same_places));
    text_ += details_;
  }

  // What follows from the inputs of the first commands whose results differ.
  static std::string_view blame(const LaunchComparison& launch, const Counterpart& first,
                                bool inputs_differ, bool same_places) {
    if (!inputs_differ)
      return "The inputs are equal: look at the arguments of these two calls, and at their types.";
    const auto before = [](const std::vector<std::size_t>& only, std::size_t command) {
      return std::ranges::any_of(only, [&](std::size_t each) { return each < command; });
    };
    if (before(launch.only_a, first.a.front()) || before(launch.only_b, first.b.front()))
      return "No result before it differs: either it reads another place, or a command before it "
             "that only one run has wrote the input.";
    if (same_places && launch.a->commands[first.a.front()].region >= 0)
      return "No result before it differs, and it reads the same place: commands of its parallel "
             "region took effect in another order, or the host or the kernel's own code wrote "
             "something else there.";
    if (same_places)
      return "No result before it differs, and it reads the same place: the host, or the kernel's "
             "own code, wrote something else there.";
    return "No result before it differs: it reads another place, or what the host wrote differs. "
           "Look at the addresses, shapes and strides of these two calls.";
  }

  void times() {
    if (comparison_.lines.empty()) return;
    line("\nmodelled time per line, us");
    line("  {:>11} {:>11} {:>11}  {}", "A", "B", "B - A", "line of A, of B where it is another");
    for (std::size_t k = 0; k < std::min(comparison_.lines.size(), kMostLines); ++k) {
      const LineCost& cost = comparison_.lines[k];
      const std::string a = cost.a == nullptr ? "" : short_place(*cost.a);
      const std::string b = cost.b == nullptr ? "" : short_place(*cost.b);
      line("  {:>11.3f} {:>11.3f} {:>+11.3f}  {}{} {} ({} and {})", cost.a_us, cost.b_us,
           cost.b_us - cost.a_us, a.empty() ? "-" : a, a == b ? "" : ", " + (b.empty() ? "-" : b),
           cost.function, cost.a_count, cost.b_count);
    }
    if (comparison_.lines.size() > kMostLines)
      line("  and {}", counted(comparison_.lines.size() - kMostLines, "more line", "more lines"));
  }

  const Comparison& comparison_;
  const CompareOptions& options_;
  const std::string& details_;
  std::string text_;
};

}  // namespace

std::string comparison_text(const Comparison& comparison, const std::string& a_name,
                            const std::string& b_name, const CompareOptions& options,
                            const std::string& details) {
  return Text(comparison, options, details).run(a_name, b_name);
}

}  // namespace tensorlane::command_log
