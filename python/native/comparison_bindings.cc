// Arrays against references, runs against runs, and the list of device functions.
#include <pybind11/stl.h>

#include <map>
#include <string>
#include <vector>

#include "bindings.h"
#include "tensorlane/base/error.h"
#include "tensorlane/command_log/compare.h"
#include "tensorlane/command_log/log_reader.h"
#include "tensorlane/compare/compare.h"
#include "tensorlane/front_ends/front_ends.h"
#include "tensorlane/io/file.h"
#include "tensorlane/json/json.h"
#include "tensorlane/ops/evidence.h"
#include "tensorlane/ops/op.h"

namespace tensorlane::python {
namespace {

std::span<const double> doubles(const Bytes& bytes) {
  return {reinterpret_cast<const double*>(bytes.span().data()),
          bytes.span().size() / sizeof(double)};
}

Json difference_json(const compare::Difference& difference) {
  return {{"at", difference.at}, {"got", difference.got}, {"want", difference.want}};
}

Json patterns_json(const std::vector<compare::Pattern>& patterns) {
  Json list = Json::array();
  for (const compare::Pattern& pattern : patterns) {
    list.push_back({{"text", pattern.text},
                    {"explained", pattern.explained},
                    {"forbidden", pattern.forbidden}});
  }
  return list;
}

// Both arrays are float64. `tolerance`: as --expect takes it; empty: what the type allows for.
std::string compare_arrays(const py::buffer& got, const py::buffer& want, const Shape& shape,
                           const std::string& dtype, const std::string& tolerance) {
  const Bytes got_bytes(got), want_bytes(want);
  const py::gil_scoped_release unlocked;
  const std::span<const double> wanted = doubles(want_bytes);
  const Dtype type = parse_dtype(dtype);
  const double largest = compare::largest_magnitude(wanted);
  const compare::Comparison found =
      compare::compare(doubles(got_bytes), wanted, shape,
                       tolerance.empty() ? compare::default_tolerance(type, largest)
                                         : compare::parse_tolerance(tolerance, type, largest));
  return Json{{"elements", found.elements},
              {"differing", found.differing},
              {"first", difference_json(found.first)},
              {"worst", difference_json(found.worst)},
              {"places", patterns_json(found.places)},
              {"values", patterns_json(found.values)},
              {"lines", compare::comparison_lines(found)}}
      .dump();
}

// A script counts all its devices; in logs that are compared the first of either is the same one.
command_log::Log read_log_of_script(const std::string& path) {
  const FileView file(path);
  command_log::Log log = command_log::read_log(file.text(), path);
  std::map<int, int> numbers;
  for (command_log::LoggedLaunch& launch : log.launches) {
    const int next = static_cast<int>(numbers.size());
    launch.device = numbers.try_emplace(launch.device, next).first->second;
  }
  return log;
}

py::tuple compare_logs(const std::string& a_path, const std::string& b_path, double tolerance) {
  std::string text;
  bool same = false;
  {
    const py::gil_scoped_release unlocked;
    const command_log::Log a = read_log_of_script(a_path), b = read_log_of_script(b_path);
    const command_log::CompareOptions options{.tolerance = tolerance};
    const command_log::Comparison comparison = command_log::compare(a, b, options);
    same = comparison.same();
    text = command_log::comparison_text(comparison, a_path, b_path, options);
  }
  return py::make_tuple(same, text);
}

std::string ops_json(const std::string& chip_name) {
  const Chip& chip = find_chip(chip_name);
  Json list = Json::array();
  for (const Op* op : front_end_of(chip).ops().all()) {
    if (!chip.has_function(op->name())) continue;
    Json params = Json::array(), limits = Json::array();
    for (const Param& param : op->params())
      params.push_back({{"name", param.name}, {"type", param.type}});
    for (const Limit& limit : op->limits()) limits.push_back(limit.rule());
    list.push_back({{"name", op->name()},
                    {"group", op->spec().group},
                    {"engine", engine_name(op->engine())},
                    {"returns", op->returns()},
                    {"params", params},
                    {"limits", limits},
                    {"numerics", numerics_name(op->spec().numerics)},
                    {"evidence", evidence_in_english(*op, chip)},
                    {"does", op->doc(Language::kEnglish)},
                    {"does_zh", op->doc(Language::kChinese)}});
  }
  return list.dump();
}

// The figures of a chip that decide at which sizes kernels go wrong.
std::string chip_json(const std::string& name) {
  const Chip& chip = find_chip(name);
  return Json{
      {"name", chip.name},         {"npus", chip.local.npus}, {"npu_bytes", chip.local.npu_bytes},
      {"eu_bytes", chip.eu_bytes}, {"cores", chip.cores},     {"clock", chip.timing.clock_mhz}}
      .dump();
}

}  // namespace

void add_comparisons(py::module_& module) {
  module.def("compare", compare_arrays);
  module.def("compare_logs", compare_logs);
  module.def("ops", ops_json);
  module.def("chip_facts", chip_json);
}

}  // namespace tensorlane::python
