#include "tensorlane/observe/check/check_list.h"

#include <algorithm>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/base/names.h"

namespace tensorlane::check {
namespace {

#define TENSORLANE_CHECK_ROW(file, name, in_all, cores, finds) \
  {name, in_all, CheckOfCores::cores, finds, file##_check},
constexpr CheckRow kRows[] = {TENSORLANE_CHECKS(TENSORLANE_CHECK_ROW)};
#undef TENSORLANE_CHECK_ROW

}  // namespace

std::span<const CheckRow> check_rows() {
  return kRows;
}

std::vector<std::string_view> check_names() {
  std::vector<std::string_view> names;
  for (const CheckRow& row : kRows) {
    if (std::ranges::find(names, row.name) == names.end()) names.push_back(row.name);
  }
  return names;
}

Checks parse_checks(std::string_view text) {
  // A launch that failed has no results that could be right: that is always found.
  constexpr std::string_view kAll = "all", kAdvice = "lint", kAlways = "launch";
  const std::vector<std::string_view> known = check_names();
  std::vector<std::string_view> wanted;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    wanted.push_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
    if (wanted.back() != kAll && std::ranges::find(known, wanted.back()) == known.end()) {
      std::vector<std::string_view> meant = known;
      meant.push_back(kAll);
      const std::string hint = did_you_mean(wanted.back(), meant);
      const bool lists_all = hint.find(fmt::format("{}, {}", known[0], known[1])) != hint.npos;
      user_error("no check is called '{}'{}{}", wanted.back(), hint,
                 lists_all      ? ""
                 : hint.empty() ? tr(". There are {}", fmt::join(meant, ", "))
                                : tr(" There are {}", fmt::join(meant, ", ")));
    }
  }
  const auto asked_for = [&](std::string_view name) {
    return std::ranges::find(wanted, name) != wanted.end();
  };
  Checks checks;
  for (const CheckRow& row : kRows) {
    if ((row.name == kAlways && !wanted.empty()) || asked_for(row.name) ||
        (row.in_all && asked_for(kAll)))
      checks.rows.push_back(&row);
  }
  checks.advice = asked_for(kAdvice);
  return checks;
}

}  // namespace tensorlane::check
