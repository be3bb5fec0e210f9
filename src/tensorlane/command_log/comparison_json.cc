#include "tensorlane/command_log/compare.h"

namespace tensorlane::command_log {
namespace {

std::string_view kind_name(Counterpart::Kind kind) {
  switch (kind) {
    case Counterpart::Kind::kAligned:
      return "aligned";
    case Counterpart::Kind::kMoved:
      return "moved";
    case Counterpart::Kind::kTiles:
      return "tiles";
  }
  return "?";
}

Json place_json(const LoggedCommand* command) {
  if (command == nullptr) return {};
  return {{"function", command->function},
          {"file", command->file},
          {"line", command->line},
          {"command", command->number}};
}

Json commands_json(const LoggedLaunch* launch, const std::vector<std::size_t>& which) {
  Json list = Json::array();
  for (const std::size_t each : which) list.push_back(place_json(&launch->commands[each]));
  return list;
}

Json launch_json(const LaunchComparison& launch) {
  const LoggedLaunch& named = launch.a != nullptr ? *launch.a : *launch.b;
  Json differing = Json::array();
  for (const Counterpart& each : launch.counterparts) {
    if (each.same_results) continue;
    Json one = {{"kind", kind_name(each.kind)},
                {"a", commands_json(launch.a, each.a)},
                {"b", commands_json(launch.b, each.b)}};
    if (!each.first_a.empty()) {
      one["first_a"] = commands_json(launch.a, each.first_a);
      one["first_b"] = commands_json(launch.b, each.first_b);
    }
    differing.push_back(std::move(one));
  }
  return {{"device", named.device},
          {"launch", named.number},
          {"kernel", named.kernel},
          {"same", launch.same()},
          {"in_a", launch.a != nullptr},
          {"in_b", launch.b != nullptr},
          {"in_both", launch.counterparts.size()},
          {"other_results", differing},
          {"only_a", commands_json(launch.a, launch.only_a)},
          {"only_b", commands_json(launch.b, launch.only_b)}};
}

}  // namespace

Json comparison_json(const Comparison& comparison, const std::string& a_name,
                     const std::string& b_name) {
  Json launches = Json::array(), lines = Json::array();
  for (const LaunchComparison& launch : comparison.launches)
    launches.push_back(launch_json(launch));
  for (const LineCost& line : comparison.lines) {
    lines.push_back({{"function", line.function},
                     {"a", place_json(line.a)},
                     {"b", place_json(line.b)},
                     {"a_us", line.a_us},
                     {"b_us", line.b_us},
                     {"a_commands", line.a_count},
                     {"b_commands", line.b_count}});
  }
  return {{"same", comparison.same()},
          {"a", a_name},
          {"b", b_name},
          {"launches", launches},
          {"lines", lines}};
}

}  // namespace tensorlane::command_log
