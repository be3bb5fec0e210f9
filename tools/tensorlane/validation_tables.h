// Tables of modelled beside measured times, as validate and fit print them: Markdown.
#ifndef TENSORLANE_TOOLS_TENSORLANE_VALIDATION_TABLES_H_
#define TENSORLANE_TOOLS_TENSORLANE_VALIDATION_TABLES_H_

#include <string>
#include <vector>

#include "tensorlane/recording/board_rows.h"
#include "tensorlane/recording/fit.h"
#include "tensorlane/recording/rankings.h"
#include "tensorlane/recording/validation.h"

namespace tensorlane::cli {

// A table row by row.
class Table {
 public:
  explicit Table(const std::vector<std::string>& titles);
  void add(const std::vector<std::string>& cells);
  // Nothing where no case counts.
  void add(std::vector<std::string> cells, const ErrorSummary& errors);
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

bool calibrating(const BoardCase& board);
bool judging(const BoardCase& board);
bool any(const BoardCase& board);
std::vector<std::string> operators_of(const std::vector<BoardCase>& cases);

// Of the calibration cases or of the others: they never share a table.
std::string by_operator(const std::vector<BoardCase>& cases, bool calibration);
std::string by_case(const std::vector<BoardCase>& cases, bool calibration, int digits);

// What a fit found, and what it rests on.
std::string parameters_table(const Fit& fit);
// What the cycles of functions rest on.
std::string cycles_table(const std::vector<CycleSupport>& functions);
// Errors of the calibration rows by operator, beside those of fits that leave their group out.
std::string left_out_table(const Fit& fit);
std::string ranking_table(const std::vector<Ranking>& rankings);
// "1 row alone", "12 rows in 3 groups", "no row".
std::string support_text(int rows, int groups);

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_TENSORLANE_VALIDATION_TABLES_H_
