// What a launch spent its time on: times, traces, pictures' data.
#include <pybind11/stl.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "bindings.h"
#include "emulated_device.h"
#include "tensorlane/base/error.h"
#include "tensorlane/device/source_location.h"
#include "tensorlane/json/json.h"
#include "tensorlane/observe/time/local_map.h"
#include "tensorlane/observe/time/report_page.h"
#include "tensorlane/observe/time/trace_file.h"

namespace tensorlane::python {
namespace {

using Record = std::shared_ptr<LaunchRecord>;

std::string commands_json(const LaunchRecord& launch) {
  Json commands = Json::array();
  for (const observe::TimedCommand& command : launch.timeline.commands) {
    const SourceLocation at = find_source_location(command.call_site);
    commands.push_back({{"call", command.op->name()},
                        {"engine", engine_name(command.op->engine())},
                        {"start_us", command.slot.start},
                        {"end_us", command.slot.end},
                        {"region", command.region},
                        {"bytes", command.transfer.bytes},
                        {"file", at.path()},
                        {"line", at.line},
                        {"function", at.function},
                        {"core", command.core}});
  }
  return commands.dump();
}

Json number_or_null(const std::optional<std::size_t>& number) {
  return number ? Json(*number) : Json();
}

std::string evidence_json(const LaunchRecord& launch) {
  return launch.evidence.dump();
}

std::string local_map_json(const LaunchRecord& launch) {
  Json blocks = Json::array();
  for (const observe::LocalBlock& block : observe::local_map(launch.timeline)) {
    blocks.push_back({{"begin", block.begin},
                      {"end", block.end},
                      {"start_us", block.start_us},
                      {"end_us", block.end_us},
                      {"writer", number_or_null(block.writer)},
                      {"last_reader", number_or_null(block.last_reader)},
                      {"core", block.core}});
  }
  return blocks.dump();
}

std::vector<observe::Timeline> timelines_of(const std::vector<Record>& launches) {
  std::vector<observe::Timeline> timelines;
  for (const Record& launch : launches) timelines.push_back(launch->timeline);
  return timelines;
}

// What all of them rest on together, as a run says it of its launches.
Json evidence_of_all(const std::vector<Record>& launches) {
  std::map<std::string, std::set<std::string>> functions;
  for (const Record& launch : launches) {
    for (const auto& [kind, names] : launch->evidence.items()) {
      std::set<std::string>& all = functions[std::string(kind)];
      for (const Json& name : names) all.insert(name.text());
    }
  }
  Json evidence = Json::object();
  for (const auto& [kind, names] : functions) {
    evidence[kind] = Json::array();
    for (const std::string& name : names) evidence[kind].push_back(name);
  }
  return evidence;
}

void save_trace(const std::vector<Record>& launches, const std::string& path) {
  const py::gil_scoped_release unlocked;
  observe::TraceFile file(path);
  for (const Record& launch : launches) file.add(launch->timeline);
  file.finish();
}

}  // namespace

void add_timelines(py::module_& module) {
  const auto unlocked = py::call_guard<py::gil_scoped_release>();
  module.def("time_text", [](const LaunchRecord& launch) { return time_text(launch.timeline); });
  module.def("profile", [](const LaunchRecord& launch) {
    return observe::profile_json(launch.timeline).dump();
  });
  module.def("commands", commands_json);
  module.def("diagnostic_page", [](const std::string& id) {
    return std::string(check::diagnostic_page(check::find_diagnostic(id)));
  });
  module.def("local_map", local_map_json);
  module.def("evidence", evidence_json);
  module.def("save_trace", save_trace);
  module.def(
      "report_page",
      [](const std::vector<Record>& launches) {
        return observe::report_page(timelines_of(launches), evidence_of_all(launches));
      },
      unlocked);
}

}  // namespace tensorlane::python
