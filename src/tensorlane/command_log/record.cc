#include "tensorlane/command_log/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "tensorlane/base/error.h"
#include "tensorlane/inspect/operand_elements.h"
#include "tensorlane/inspect/value.h"

namespace tensorlane::command_log {
namespace {

Json value_line(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

double read_value(const Json& line) {
  if (!line.is_string()) return line.get<double>();
  if (line.text() == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (line.text() == "inf") return std::numeric_limits<double>::infinity();
  if (line.text() == "-inf") return -std::numeric_limits<double>::infinity();
  user_error("value is '{}'; it must be a number, nan, inf or -inf", line.text());
}

Json contents_line(const Contents& contents) {
  const inspect::Statistics& statistics = contents.statistics;
  Json values = Json::array();
  for (const double value : contents.values) values.push_back(value_line(value));
  return {{"hash", fmt::format("{:016x}", statistics.hash)},
          {"elements", statistics.elements},
          {"min", statistics.min},
          {"max", statistics.max},
          {"mean", statistics.mean},
          {"nan", statistics.nans},
          {"inf", statistics.infinities},
          {"values", values}};
}

// Of a tensor with `elements` elements.
Contents read_contents(const Json& line, std::int64_t elements) {
  Contents contents;
  inspect::Statistics& statistics = contents.statistics;
  const std::string& hash = line.at("hash").text();
  const char* const end = hash.data() + hash.size();
  const auto [read, error] = std::from_chars(hash.data(), end, statistics.hash, 16);
  if (error != std::errc() || read != end)
    user_error("hash is '{}'; it must be a hexadecimal number", hash);
  statistics.elements = line.at("elements").get<std::int64_t>();
  statistics.min = line.at("min").get<double>();
  statistics.max = line.at("max").get<double>();
  statistics.mean = line.at("mean").get<double>();
  statistics.nans = line.at("nan").get<std::int64_t>();
  statistics.infinities = line.at("inf").get<std::int64_t>();
  if (statistics.elements != elements || statistics.nans < 0 || statistics.infinities < 0 ||
      statistics.nans > elements || statistics.infinities > elements - statistics.nans)
    user_error("{} elements, {} NaN and {} infinities; the shape has {} elements",
               statistics.elements, statistics.nans, statistics.infinities, elements);
  for (const Json& value : line.at("values")) contents.values.push_back(read_value(value));
  if (std::ssize(contents.values) != std::min(statistics.elements, Contents::kMostValues))
    user_error("{} values of {} elements; at most {} are logged", contents.values.size(),
               statistics.elements, Contents::kMostValues);
  return contents;
}

Json operand_line(const LoggedOperand& operand) {
  Json line{{"name", operand.name},       {"role", operand.role},   {"space", operand.space},
            {"address", operand.address}, {"shape", operand.shape}, {"dtype", operand.dtype},
            {"layout", operand.layout}};
  if (operand.before) line["before"] = contents_line(*operand.before);
  if (operand.after) line["after"] = contents_line(*operand.after);
  return line;
}

LoggedOperand read_operand(const Json& line) {
  LoggedOperand operand{.name = line.at("name").text(),
                        .role = line.at("role").text(),
                        .space = line.at("space").text(),
                        .dtype = line.at("dtype").text(),
                        .layout = line.at("layout").text(),
                        .address = line.at("address").get<std::uint64_t>(),
                        .shape = line.at("shape").get<std::vector<std::int64_t>>(),
                        .before = {},
                        .after = {}};
  const std::int64_t elements = element_count(operand.shape, "shape");
  if (const Json* const before = line.find("before"))
    operand.before = read_contents(*before, elements);
  if (const Json* const after = line.find("after")) operand.after = read_contents(*after, elements);
  return operand;
}

}  // namespace

Contents contents_of(const Tensor& tensor) {
  Contents contents{inspect::statistics(tensor), {}};
  const std::int64_t elements = contents.statistics.elements;
  const std::int64_t values = std::min(elements, Contents::kMostValues);
  for (std::int64_t k = 0; k < values; ++k) {
    const std::int64_t at = values == 1 ? 0 : k * (elements - 1) / (values - 1);
    contents.values.push_back(inspect::value_of(inspect::element_bits(tensor, at), tensor.dtype));
  }
  return contents;
}

Json launch_line(const LoggedLaunch& launch) {
  Json line = {{"event", "launch"},       {"version", kVersion},     {"device", launch.device},
               {"launch", launch.number}, {"kernel", launch.kernel}, {"chip", launch.chip}};
  if (launch.cores > 1) line["cores"] = launch.cores;
  return line;
}

Json command_line(const LoggedCommand& command, const LoggedLaunch& launch) {
  Json operands = Json::array();
  for (const LoggedOperand& operand : command.operands) operands.push_back(operand_line(operand));
  Json line = {
      {"event", "command"},        {"device", launch.device},      {"launch", launch.number},
      {"number", command.number},  {"function", command.function}, {"call", command.call},
      {"file", command.file},      {"line", command.line},         {"in", command.in},
      {"source", command.source},  {"region", command.region},     {"start_us", command.start_us},
      {"time_us", command.time_us}};
  if (launch.cores > 1) line["core"] = command.core;
  line["operands"] = operands;
  return line;
}

Json end_line(const LoggedLaunch& launch) {
  return {{"event", "end"},
          {"device", launch.device},
          {"launch", launch.number},
          {"failed", launch.failed},
          {"time_us", launch.time_us}};
}

LoggedCommand read_command(const Json& line) {
  LoggedCommand command{.number = line.at("number").get<std::uint64_t>(),
                        .core = line.value("core", 0),
                        .function = line.at("function").text(),
                        .call = line.at("call").text(),
                        .file = line.at("file").text(),
                        .line = line.at("line").get<int>(),
                        .in = line.at("in").text(),
                        .source = line.at("source").text(),
                        .region = line.at("region").get<std::int64_t>(),
                        .start_us = line.at("start_us").get<double>(),
                        .time_us = line.at("time_us").get<double>(),
                        .operands = {}};
  for (const Json& operand : line.at("operands")) command.operands.push_back(read_operand(operand));
  return command;
}

}  // namespace tensorlane::command_log
