#include "run_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>
#include <set>

#include "tensorlane/base/language.h"
#include "tensorlane/base/system_text.h"
#include "tensorlane/chip/numerics_rules.h"
#include "tensorlane/json/json.h"
#include "text.h"

namespace tensorlane::cli {
namespace {

// The statistics of all devices together.
struct Totals {
  std::string chip;
  int opened = 0, devices = 0;  // devices, those that reported
  std::uint64_t launches = 0, failed = 0, gdma = 0, bdc = 0, hau = 0, sdma = 0;
  std::uint64_t to_device = 0, from_device = 0, peak_allocated = 0;
  double kernel_seconds = 0;
  std::map<std::pair<std::string, std::string>, std::uint64_t> moved;  // (from, to) -> bytes
  std::map<std::string, std::set<std::string>> evidence;               // kind -> functions
};

Totals add_up(const std::vector<Json>& lines) {
  Totals totals;
  for (const Json& line : lines) {
    if (line.value("state", "") == "open") ++totals.opened;
    if (line.value("tool", "") != "statistics") continue;
    ++totals.devices;
    totals.chip = line.at("chip").get<std::string>();
    totals.launches += line.at("launches").get<std::uint64_t>();
    totals.failed += line.at("failed_launches").get<std::uint64_t>();
    totals.gdma += line.at("commands").at("gdma").get<std::uint64_t>();
    totals.bdc += line.at("commands").at("bdc").get<std::uint64_t>();
    totals.hau += line.at("commands").at("hau").get<std::uint64_t>();
    totals.sdma += line.at("commands").value("sdma", std::uint64_t{0});
    totals.to_device += line.at("host").at("bytes_to_device").get<std::uint64_t>();
    totals.from_device += line.at("host").at("bytes_from_device").get<std::uint64_t>();
    totals.peak_allocated += line.at("peak_allocated_bytes").get<std::uint64_t>();
    totals.kernel_seconds += line.at("kernel_seconds").get<double>();
    for (const auto& [kind, functions] : line.at("evidence").items()) {
      std::set<std::string>& known = totals.evidence[std::string(kind)];
      for (const Json& each : functions) known.insert(each.get<std::string>());
    }
    for (const Json& moved : line.at("moved")) {
      totals.moved[{moved.at("from").get<std::string>(), moved.at("to").get<std::string>()}] +=
          moved.at("bytes").get<std::uint64_t>();
    }
  }
  return totals;
}

// "local memory" -> "local"
std::string short_name(const std::string& memory) {
  constexpr std::string_view kNames[] = {msg("local"), msg("global"), msg("static")};
  const std::string name = memory.substr(0, memory.find(' '));
  const auto known = std::ranges::find(kNames, name);
  return known == std::end(kNames) ? name : std::string(translated(*known));
}

// "model 23; choice 2 (tpu_bdc_fp32_exp, tpu_bdc_fp32_tanh)": functions of each kind, those of a
// choice by name.
std::string evidence_row(const Totals& totals) {
  std::string text;
  for (const Evidence evidence : kAllEvidence) {
    const auto found = totals.evidence.find(std::string(evidence_name(evidence)));
    if (found == totals.evidence.end() || found->second.empty()) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : "; ", translated(evidence_name(evidence)),
                        found->second.size());
    if (evidence == Evidence::kChoice) text += fmt::format(" ({})", fmt::join(found->second, ", "));
  }
  return text;
}

// Whether results of a choice got out; empty where there were none.
std::string choice_row(const Totals& totals) {
  const auto functions = [&](const char* key) {
    const auto found = totals.evidence.find(key);
    return found == totals.evidence.end() ? std::set<std::string>() : found->second;
  };
  if (functions("choice").empty()) return {};
  const std::set<std::string> out = functions("choices_in_outputs");
  if (out.empty()) return tr("no result of a choice reached global memory");
  return tr("results of a choice reached global memory: {}", fmt::join(out, ", "));
}

// Whether the order in which cores came decided bits; empty where it did not.
std::string order_row(const Totals& totals) {
  const auto found = totals.evidence.find("order_of_cores");
  if (found == totals.evidence.end() || found->second.empty()) return {};
  return tr(
      "cores reduced floats into the same bytes in one of the orders that a chip may have, "
      "which decides last bits of sums: {}",
      fmt::join(found->second, ", "));
}

}  // namespace

Json evidence_of_run(const std::vector<Json>& lines) {
  const Totals totals = add_up(lines);
  Json evidence = Json::object();
  for (const auto& [kind, functions] : totals.evidence) {
    evidence[kind] = Json::array();
    for (const std::string& function : functions) evidence[kind].push_back(function);
  }
  return evidence;
}

std::string run_summary(const ProcessResult& process, const std::vector<Json>& lines,
                        const Terminal& terminal) {
  const Totals totals = add_up(lines);
  std::string text;
  const auto row = [&](std::string_view name, const std::string& value) {
    text += fmt::format(
        "{} {}\n", styled(terminal, TextStyle::kDim, fmt::format("  {:<10}", translated(name))),
        value);
  };
  text += styled(terminal, TextStyle::kBold, "tensorlane: ");
  if (totals.devices == 0) {
    text += totals.opened == 0
                ? tr("the program opened no emulated device (is it linked with libbmlib.so?)")
                : tr("the program ended before its devices could report");
    text += "\n";
  } else {
    text += tr("{}, {}", totals.chip, tr_n("{} launch", "{} launches", totals.launches));
    if (totals.devices > 1) text += tr(" on {} devices", totals.devices);
    if (totals.failed > 0)
      text += tr(", {}", styled(terminal, TextStyle::kRed, tr("{} failed", totals.failed)));
    text += "\n";
    row(msg("commands"), fmt::format("{} GDMA, {} BDC{}{}", totals.gdma, totals.bdc,
                                     totals.hau > 0 ? fmt::format(", {} HAU", totals.hau) : "",
                                     totals.sdma > 0 ? fmt::format(", {} SDMA", totals.sdma) : ""));
    std::string moved;
    for (const auto& [path, bytes] : totals.moved) {
      moved += moved.empty() ? "" : tr(", ");
      moved += path.first == "fill"
                   ? tr("{} filled in {}", bytes_text(bytes), short_name(path.second))
                   : fmt::format("{} {} -> {}", bytes_text(bytes), short_name(path.first),
                                 short_name(path.second));
    }
    row("GDMA", moved.empty() ? tr("nothing moved") : moved);
    row(msg("host"),
        tr("{} to the device, {} from it, at most {} allocated", bytes_text(totals.to_device),
           bytes_text(totals.from_device), bytes_text(totals.peak_allocated)));
    if (const std::string evidence = evidence_row(totals); !evidence.empty())
      row(msg("evidence"), evidence);
    if (const std::string choice = choice_row(totals); !choice.empty()) row("", choice);
    if (const std::string order = order_row(totals); !order.empty()) row("", order);
  }
  row(msg("wall time"),
      totals.devices == 0 ? seconds_text(process.seconds)
                          : tr("{}, of it {} in kernels; emulated, not the chip's time",
                               seconds_text(process.seconds), seconds_text(totals.kernel_seconds)));
  row(msg("memory"),
      tr("{} at most", bytes_text(static_cast<std::uint64_t>(process.peak_memory_bytes))));
  if (process.signal != 0) {
    row(msg("ended"), styled(terminal, TextStyle::kRed,
                             tr("by signal {} ({})", process.signal, signal_text(process.signal))));
  } else if (process.status != 0) {
    row(msg("ended"), styled(terminal, TextStyle::kRed, tr("with exit status {}", process.status)));
  }
  return text;
}

}  // namespace tensorlane::cli
