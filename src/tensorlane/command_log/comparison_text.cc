#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "tensorlane/base/language.h"
#include "tensorlane/command_log/compare.h"

namespace tensorlane::command_log {
namespace {

// Rows of the table of times, and groups of commands that only one run has, that are shown.
constexpr std::size_t kMostLines = 20, kMostGroups = 8, kMostLaunches = 8;

std::string place_text(const LoggedCommand& command) {
  if (command.file.empty()) return command.in.empty() ? tr("an unknown place") : command.in;
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
  std::string text = tr("{} at {}", command.function, place_text(command));
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
      add_line(
          "\n{}: every command has its counterpart, with the same results",
          shown == 0 ? tr("all launches") : tr_n("{} other launch", "{} other launches", same));
    if (shown > kMostLaunches)
      add_line("\n{} differ, too",
               tr_n("{} more launch", "{} more launches", shown - kMostLaunches));
    times();
    return std::move(text_);
  }

 private:
  template <class... Args>
  void add_line(fmt::format_string<Args...> format, Args&&... values) {
    text_ += tr(format, std::forward<Args>(values)...) + "\n";
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
    add_line("{}  {}: {}, {}, {:.3f} us modelled{}{}", side, name,
             tr_n("{} launch", "{} launches", launches),
             tr_n("{} command", "{} commands", commands), time_us,
             failed > 0 ? tr(", {} failed", failed) : "", cut > 0 ? tr(", {} cut off", cut) : "");
  }

  void add_launch(const LaunchComparison& launch, bool detail) {
    const LoggedLaunch& named = launch.a != nullptr ? *launch.a : *launch.b;
    const std::string name =
        tr("launch {} of device {}, kernel '{}'", named.number, named.device, named.kernel);
    if (launch.a == nullptr || launch.b == nullptr) {
      add_line("\n{}: only in {}", name, launch.a != nullptr ? "A" : "B");
      return;
    }
    std::map<Counterpart::Kind, std::size_t> kinds;
    std::size_t differ = 0;
    for (const Counterpart& each : launch.counterparts) {
      ++kinds[each.kind];
      differ += each.same_results ? 0 : 1;
    }
    add_line("\n{}", name);
    add_line("  {} in both{}{}; {} with other results",
             tr_n("{} command", "{} commands", kinds[Counterpart::Kind::kAligned]),
             kinds[Counterpart::Kind::kMoved] > 0
                 ? tr(", {} moved", kinds[Counterpart::Kind::kMoved])
                 : "",
             kinds[Counterpart::Kind::kTiles] > 0
                 ? tr_n(", {} line with tiles cut otherwise", ", {} lines with tiles cut otherwise",
                        kinds[Counterpart::Kind::kTiles])
                 : "",
             differ);
    if (launch.a->failed != launch.b->failed)
      add_line("  it failed in {} alone", launch.a->failed ? "A" : "B");
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
    add_line("\n  only in {}:", side);
    for (std::size_t k = 0; k < std::min(groups.size(), kMostGroups); ++k) {
      add_line("    {}; {}, from command {} on", command_text(*groups[k].first),
               tr_n("{} command", "{} commands", groups[k].count), groups[k].first->number);
      add_source(*groups[k].first);
    }
    if (groups.size() > kMostGroups)
      add_line("    and of {}", tr_n("{} more line", "{} more lines", groups.size() - kMostGroups));
  }

  void add_source(const LoggedCommand& command) {
    if (!command.source.empty()) add_line("      {:>5} | {}", command.line, command.source);
  }

  // `tiles`: those that differ first, of `all`.
  void add_side(std::string_view side, const LoggedLaunch& launch,
                const std::vector<std::size_t>& all, const std::vector<std::size_t>& tiles) {
    const LoggedCommand& first = launch.commands[tiles.front()];
    const auto number = std::ranges::find(all, tiles.front()) - all.begin() + 1;
    add_line(
        "    {}  {}; {}", side, command_text(first),
        all.size() == 1              ? tr("command {}", first.number)
        : tiles.size() == all.size() ? tr("{} tiles, from command {} on", all.size(), first.number)
        : tiles.size() == 1
            ? tr("tile {} of {}, command {}", number, all.size(), first.number)
            : tr("tiles {} to {} of {}, from command {} on", number,
                 number + static_cast<std::ptrdiff_t>(tiles.size()) - 1, all.size(), first.number));
    add_source(first);
    add_line("       {}", first.call);
    if (all.size() > tiles.size()) add_unlike(launch, all, tiles);
  }

  // What these tiles pass unlike the others of the same run.
  void add_unlike(const LoggedLaunch& launch, const std::vector<std::size_t>& all,
                  const std::vector<std::size_t>& tiles) {
    std::vector<std::string> others;
    for (const std::size_t each : all) {
      if (std::ranges::find(tiles, each) == tiles.end())
        others.push_back(launch.commands[each].call);
    }
    for (const std::size_t tile : tiles) {
      for (const auto& [own, usual] : unlike_arguments(launch.commands[tile].call, others))
        add_line("       unlike all other tiles: {}, not {}", own, usual);
    }
  }

  std::string equal_text(const std::vector<const LoggedOperand*>& a,
                         const std::vector<const LoggedOperand*>& b) const {
    if (a.empty() || b.empty() || a.front()->dtype == b.front()->dtype) return tr("equal");
    const std::string &left = a.front()->dtype, &right = b.front()->dtype;
    return tr("{} and {}, equal to within {} of the largest magnitude", left, right,
              options_.between(left, right));
  }

  void add_difference(const LaunchComparison& launch, const Counterpart& first) {
    add_line("\n  the first results that differ:");
    const std::vector<std::size_t>& a_tiles = first.first_a.empty() ? first.a : first.first_a;
    const std::vector<std::size_t>& b_tiles = first.first_b.empty() ? first.b : first.first_b;
    add_side("A", *launch.a, first.a, a_tiles);
    add_side("B", *launch.b, first.b, b_tiles);
    bool inputs_differ = false, same_places = true;
    const std::vector<LoggedOperand>& operands = launch.a->commands[first.a.front()].operands;
    for (std::size_t k = 0; k < operands.size(); ++k) {
      const auto a = operands_at(*launch.a, a_tiles, k), b = operands_at(*launch.b, b_tiles, k);
      if (operands[k].reads()) {
        const auto found = difference(a, b, &LoggedOperand::before, options_);
        add_line("    {:<8} {}: {}", tr("input"), operands[k].name,
                 found.value_or(equal_text(a, b)));
        inputs_differ = inputs_differ || found.has_value();
        if (found && !same_place(*a.front(), *b.front())) same_places = false;
      }
      if (operands[k].writes())
        add_line("    {:<8} {}: {}", tr("result"), operands[k].name,
                 difference(a, b, &LoggedOperand::after, options_).value_or(equal_text(a, b)));
    }
    add_line("    {}", translated(blame(launch, first, inputs_differ, same_places)));
    text_ += details_;
  }

  // What follows from the inputs of the first commands whose results differ.
  static std::string_view blame(const LaunchComparison& launch, const Counterpart& first,
                                bool inputs_differ, bool same_places) {
    if (!inputs_differ)
      return msg(
          "The inputs are equal: look at the arguments of these two calls, and at their types.");
    const auto before = [](const std::vector<std::size_t>& only, std::size_t command) {
      return std::ranges::any_of(only, [&](std::size_t each) { return each < command; });
    };
    if (before(launch.only_a, first.a.front()) || before(launch.only_b, first.b.front()))
      return msg(
          "No result before it differs: either it reads another place, or a command before it "
          "that only one run has wrote the input.");
    if (same_places && launch.a->commands[first.a.front()].region >= 0)
      return msg(
          "No result before it differs, and it reads the same place: commands of its parallel "
          "region took effect in another order, or the host or the kernel's own code wrote "
          "something else there.");
    if (same_places)
      return msg(
          "No result before it differs, and it reads the same place: the host, or the kernel's "
          "own code, wrote something else there.");
    return msg(
        "No result before it differs: it reads another place, or what the host wrote differs. "
        "Look at the addresses, shapes and strides of these two calls.");
  }

  void times() {
    if (comparison_.lines.empty()) return;
    add_line("\nmodelled time per line, us");
    add_line("  {:>11} {:>11} {:>11}  {}", "A", "B", "B - A",
             tr("line of A, of B where it is another"));
    for (std::size_t k = 0; k < std::min(comparison_.lines.size(), kMostLines); ++k) {
      const LineCost& cost = comparison_.lines[k];
      const std::string a = cost.a == nullptr ? "" : short_place(*cost.a);
      const std::string b = cost.b == nullptr ? "" : short_place(*cost.b);
      add_line("  {:>11.3f} {:>11.3f} {:>+11.3f}  {}{} {} ({} and {})", cost.a_us, cost.b_us,
               cost.b_us - cost.a_us, a.empty() ? "-" : a,
               a == b ? "" : ", " + (b.empty() ? "-" : b), cost.function, cost.a_count,
               cost.b_count);
    }
    if (comparison_.lines.size() > kMostLines)
      add_line("  and {}",
               tr_n("{} more line", "{} more lines", comparison_.lines.size() - kMostLines));
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
