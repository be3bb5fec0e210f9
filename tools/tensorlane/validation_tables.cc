#include "validation_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "tensorlane/base/language.h"
#include "tensorlane/ops/entry_text.h"

namespace tensorlane::cli {

Table::Table(const std::vector<std::string>& titles) {
  add(titles);
  for (std::size_t k = 0; k < titles.size(); ++k) text_ += "|---";
  text_ += "|\n";
}

void Table::add(const std::vector<std::string>& cells) {
  for (const std::string& cell : cells) text_ += fmt::format("| {} ", cell);
  text_ += "|\n";
}

void Table::add(std::vector<std::string> cells, const ErrorSummary& errors) {
  if (errors.cases == 0) return;
  cells.push_back(fmt::format("{}", errors.cases));
  for (const double percent : {errors.median, errors.p90, errors.maximum})
    cells.push_back(fmt::format("{:.1f} %", percent));
  add(cells);
}

bool calibrating(const BoardCase& board) {
  return board.calibration;
}
bool judging(const BoardCase& board) {
  return !board.calibration;
}
bool any(const BoardCase& /*board*/) {
  return true;
}

std::vector<std::string> operators_of(const std::vector<BoardCase>& cases) {
  std::vector<std::string> operators;
  for (const BoardCase& board : cases) {
    if (std::ranges::find(operators, board.op) == operators.end()) operators.push_back(board.op);
  }
  return operators;
}

std::string by_operator(const std::vector<BoardCase>& cases, bool calibration) {
  Table table({tr("operator"), tr("cases"), tr("median"), tr("90th percentile"), tr("maximum")});
  for (const std::string& op : operators_of(cases)) {
    table.add({std::string(translated(op))}, summarise_errors(cases, [&](const BoardCase& board) {
                return board.op == op && board.calibration == calibration;
              }));
  }
  return table.text();
}

std::string by_case(const std::vector<BoardCase>& cases, bool calibration, int digits) {
  Table table({tr("case"), tr("published us"), tr("modelled us"), tr("off by")});
  for (const BoardCase& board : cases) {
    if (board.calibration != calibration) continue;
    table.add({board.text(), fmt::format("{:.{}f}", board.published_us, digits),
               fmt::format("{:.{}f}", board.modelled_us, digits),
               fmt::format("{:+.1f} %{}", board.error_percent(),
                           board.note.empty() ? "" : tr(": {}", translated(board.note)))});
  }
  return table.text();
}

std::string support_text(int rows, int groups) {
  if (rows == 0) return tr("no row");
  if (rows == 1) return tr("1 row alone");
  if (groups == 1) return tr("{} rows of 1 group alone", rows);
  return tr("{} rows in {} groups", rows, groups);
}

std::string parameters_table(const Fit& fit) {
  Table table({tr("parameter"), tr("unit"), tr("value in use"), tr("fitted"),
               tr("without one group"), tr("rests on")});
  for (const FittedParameter& each : fit.found) {
    table.add({std::string(translated(each.row->name)), std::string(translated(each.row->unit)),
               fmt::format("{:.4g}", each.before), fmt::format("{:.4g}", each.fitted),
               tr("{:.4g} to {:.4g}", each.least, each.largest),
               support_text(each.rows, each.groups)});
  }
  return table.text();
}

std::string cycles_table(const std::vector<CycleSupport>& functions) {
  Table table({tr("function"), tr("cycles"), tr("rests on")});
  for (const CycleSupport& each : functions) {
    table.add({fmt::format("`{}`", each.op->name()), entry_text(each.op->spec().cycles.text),
               support_text(each.rows, each.groups)});
  }
  return table.text();
}

std::string left_out_table(const Fit& fit) {
  std::vector<BoardCase> fitted, left_out;
  for (const FittedRow& each : fit.rows) {
    BoardCase board{.op = each.row->op, .what = {}, .published_us = each.row->time_us};
    board.modelled_us = each.fitted_us;
    fitted.push_back(board);
    board.modelled_us = each.left_out_us;
    left_out.push_back(board);
  }
  Table table({tr("operator"), tr("cases"), tr("fitted: median"), tr("90th percentile"),
               tr("without their group: median"), tr("90th percentile"), tr("maximum")});
  const auto add = [&](const std::string& title, const auto& chosen) {
    const ErrorSummary with = summarise_errors(fitted, chosen),
                       without = summarise_errors(left_out, chosen);
    std::vector<std::string> cells = {title, fmt::format("{}", with.cases)};
    for (const double percent :
         {with.median, with.p90, without.median, without.p90, without.maximum})
      cells.push_back(fmt::format("{:.1f} %", percent));
    table.add(cells);
  };
  for (const std::string& op : operators_of(fitted))
    add(std::string(translated(op)), [&](const BoardCase& board) { return board.op == op; });
  add(tr("all"), any);
  return table.text();
}

std::string ranking_table(const std::vector<Ranking>& rankings) {
  const bool repeated =
      std::ranges::any_of(rankings, [](const Ranking& each) { return each.repeat.has_value(); });
  std::vector<std::string> titles = {tr("kernel"), tr("variants"), tr("rank correlation")};
  if (repeated) {
    titles.push_back(tr("of two sessions"));
    titles.push_back(tr("of a repeat"));
    titles.push_back(tr("scatter"));
  }
  Table table(titles);
  const auto figure = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.2f}", *value) : "-";
  };
  for (const Ranking& each : rankings) {
    const std::string kernel = fmt::format("{} {}", translated(each.op), translated(each.shape));
    std::vector<std::string> cells = {
        each.session.empty() ? kernel : tr("{}, session {}", kernel, each.session),
        fmt::format("{}", each.variants), figure(each.correlation)};
    if (repeated) {
      cells.push_back(figure(each.sessions));
      cells.push_back(figure(each.repeat));
      cells.push_back(each.repeat ? fmt::format("{:.1f} %", 100 * each.scatter) : "-");
    }
    table.add(cells);
  }
  return table.text();
}

}  // namespace tensorlane::cli
