#include "tensorlane/observe/time/report_data.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "tensorlane/observe/time/local_map.h"
#include "tensorlane/ops/engines.h"

namespace tensorlane::observe {
namespace {

// A tenth of a nanosecond, less than a cycle: half of the page would be digits otherwise.
double short_us(double us) {
  return std::round(us * 1e4) / 1e4;
}

template <class Value>
Json column(const std::vector<TimedCommand>& commands, const Value& value) {
  Json list = Json::array();
  for (const TimedCommand& command : commands) list.push_back(value(command));
  return list;
}

// What the engine of a command reaches at most: GB/s of its direction, Gop/s of its function.
double command_peak(const TimedCommand& command, const TimingParameters& parameters) {
  if (!is_dma(command.op->engine())) return command.peak * parameters.clock_mhz / 1e3;
  const double least_us = least_transfer_us(command.transfer, parameters);
  return least_us > 0 ? static_cast<double>(command.transfer.bytes) / least_us / 1e3 : 0;
}

Json columns(const Timeline& timeline) {
  // By function and place, as the totals have them.
  std::map<std::pair<const void*, const Op*>, std::size_t> lines;
  for (const LineTime& line : time_by_line(timeline))
    lines.try_emplace({line.call_site, line.op}, lines.size());
  const std::vector<TimedCommand>& commands = timeline.commands;
  using Command = const TimedCommand&;
  return {
      {"line", column(commands,
                      [&](Command each) {
                        return lines.at({each.call_site, each.op});
                      })},
      {"issue",
       column(commands,
              [](Command each) { return short_us(each.slot.issued - each.time.issue_us); })},
      {"issued", column(commands, [](Command each) { return short_us(each.slot.issued); })},
      {"start", column(commands, [](Command each) { return short_us(each.slot.start); })},
      {"end", column(commands, [](Command each) { return short_us(each.slot.end); })},
      {"bytes", column(commands, [](Command each) { return each.transfer.bytes; })},
      {"operations", column(commands, [](Command each) { return std::llround(each.operations); })},
      {"operand_bytes", column(commands, [](Command each) { return std::llround(each.bytes); })},
      {"peak", column(commands,
                      [&](Command each) {
                        return std::round(command_peak(each, *timeline.parameters) * 100) / 100;
                      })},
      {"region", column(commands, [](Command each) { return each.region; })},
      {"core", column(commands, [](Command each) { return each.core; })}};
}

Json blocks(const Timeline& timeline) {
  const auto index = [](std::optional<std::size_t> command) {
    return command ? static_cast<std::int64_t>(*command) : -1;
  };
  Json list = Json::array();
  for (const LocalBlock& block : local_map(timeline)) {
    list.push_back(
        Json::array({block.begin, block.end, short_us(block.start_us), short_us(block.end_us),
                     index(block.writer), index(block.last_reader), block.core}));
  }
  return list;
}

// Of a command that reads what very many wrote, the number of the others follows, negative.
Json sources(const Timeline& timeline) {
  constexpr std::size_t kMost = 32;
  Json list = Json::array();
  for (const std::vector<std::size_t>& all : local_sources(timeline)) {
    Json some = Json::array();
    for (std::size_t k = 0; k < std::min(all.size(), kMost); ++k) some.push_back(all[k]);
    if (all.size() > kMost) some.push_back(-static_cast<std::int64_t>(all.size() - kMost));
    list.push_back(std::move(some));
  }
  return list;
}

Json calls(const Timeline& timeline) {
  Json list = Json::array();
  for (const TimedCommand& command : timeline.commands) {
    if (command.call.empty()) break;
    list.push_back(command.call);
  }
  return list;
}

}  // namespace

Json chart_json(const Timeline& timeline, std::size_t most) {
  Timeline drawn = timeline;
  if (drawn.commands.size() > most) drawn.commands.resize(most);
  return {{"profile", profile_json(timeline)},
          {"commands", columns(drawn)},
          {"blocks", blocks(drawn)},
          {"sources", sources(drawn)},
          {"calls", calls(drawn)}};
}

}  // namespace tensorlane::observe
