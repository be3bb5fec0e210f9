// tensorlane fit: parameters of the timing model from rows.
#include <fmt/format.h>

#include <algorithm>

#include "commands.h"
#include "json_option.h"
#include "row_runner.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/base/names.h"
#include "tensorlane/chip/chip.h"
#include "tensorlane/json/json.h"
#include "tensorlane/recording/board_rows.h"
#include "tensorlane/recording/fit.h"
#include "validation_tables.h"

namespace tensorlane::cli {
namespace {

struct FitOptions {
  std::string rows, chip;
  std::vector<std::string> parameters;
  JsonOption json;
};

double TimingParameters::*parameter_called(const std::string& name) {
  std::vector<std::string_view> names;
  for (const TimingParameterRow& row : timing_parameter_rows()) {
    if (name == row.name || name == translated(row.name)) return row.value;
    names.push_back(row.name);
  }
  user_error("there is no parameter '{}'{}", name, did_you_mean(name, names));
}

Json fit_json(const BoardRows& rows, const Fit& fit) {
  Json parameters = Json::array(), list = Json::array();
  for (const FittedParameter& each : fit.found) {
    parameters.push_back({{"name", each.row->name},
                          {"unit", each.row->unit},
                          {"in_use", each.before},
                          {"fitted", each.fitted},
                          {"least", each.least},
                          {"largest", each.largest},
                          {"rows", each.rows},
                          {"groups", each.groups}});
  }
  for (const FittedRow& each : fit.rows) {
    list.push_back({{"operator", each.row->op},
                    {"shape", each.row->shape},
                    {"variant", each.row->variant},
                    {"part", each.row->part},
                    {"group", each.row->group},
                    {"time_us", each.row->time_us},
                    {"fitted_us", each.fitted_us},
                    {"left_out_us", each.left_out_us}});
  }
  return {{"chip", rows.chip->name}, {"parameters", parameters}, {"rows", list}};
}

void run(const FitOptions& options) {
  RowRunner runner("fit");
  const BoardRows rows = read_board_rows(
      options.rows, options.chip.empty() ? nullptr : &find_chip(options.chip),
      [&](const RowRun& wanted, const Chip& chip) { return runner.run(wanted, chip); });
  std::vector<double TimingParameters::*> sought;
  for (const std::string& name : options.parameters) sought.push_back(parameter_called(name));
  for (double TimingParameters::*const each : sought) {
    if (rows.chip->timing.*each <= 0)
      user_error("a parameter that is 0 of the {} cannot be fitted", rows.chip->name);
  }
  const Fit fit = fit_parameters(rows, sought);
  options.json.write(fit_json(rows, fit));
  if (options.json.replaces_text()) return;
  fmt::print("{}\n\n{}\n{}\n\n{}",
             tr("Parameters of the {}, fitted on its calibration rows:", rows.chip->full_name),
             parameters_table(fit),
             tr("Errors of those rows, and of fits that leave their group out:"),
             left_out_table(fit));
}

}  // namespace

void add_fit_command(App& app) {
  auto options = std::make_shared<FitOptions>();
  App* command = app.add_subcommand("fit", "Fit parameters of the timing model to measured times");
  command->footer(
      "Examples:\n  tensorlane fit data/board/counters.json\n"
      "  tensorlane fit mine.csv --chip bm1684x --parameter \"read bandwidth\"");
  command->add_option("ROWS", options->rows, "file of rows, .json or .csv (docs/timing.md)")
      ->required();
  command->add_option("--chip", options->chip, "chip, instead of the one that the rows name")
      ->type_name("CHIP");
  command->add_option("--parameter", options->parameters,
                      "only these, by the names that chips prints; otherwise all that the rows "
                      "know of");
  options->json.add_to(*command);
  command->callback([options] { run(*options); });
}

}  // namespace tensorlane::cli
