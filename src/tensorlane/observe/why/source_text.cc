#include "tensorlane/observe/why/source_text.h"

#include <fmt/format.h>

#include <cstdint>

#include "tensorlane/base/language.h"

namespace tensorlane::why {

std::string source_text(const Json& source, const std::string& indent) {
  const std::string part = source["part"].text();
  const auto elements = source["elements"].get<std::int64_t>();
  std::string text =
      fmt::format("{}{}{}", indent, source["operand"].text(), source["element"].text());
  if (const Json* const value = source.find("value")) {
    text += fmt::format(" = {}   {}", value->text(), source["place"].text());
  } else {
    text += "   " + tr_n("{} element", "{} elements", elements);
  }
  if (part == "before") text += tr(", before the command, which adds to it");
  if (part == "decides") text += tr(", decides where the element comes from");
  if (part == "table") text += tr(", coefficients");
  if (part == "compared") text += tr(", compared");
  text += "\n";
  text += fmt::format("{}  {}\n", indent, source["tensor"].text());
  for (const Json& writer : source["writers"]) {
    text += fmt::format("{}  {}", indent, tr("written by {}", writer["who"].text()));
    const Json* const step = writer.find("step");
    if (elements > 1) {
      text += ": " + tr_n("{} element", "{} elements", writer["elements"].get<std::int64_t>());
      if (step != nullptr)
        text += fmt::format(", {} = {}", writer["element"].text(), writer["value"].text());
    }
    if (step != nullptr) text += fmt::format("  -> #{}", step->get<int>());
    text += "\n";
  }
  if (const auto more = source["more_writers"].get<std::int64_t>(); more > 0)
    text += fmt::format("{}  {}\n", indent, tr("and by {} others", more));
  return text;
}

// Which of the elements it is.
std::string chosen_text(const Json& chosen) {
  const auto of = chosen["of"].get<std::int64_t>();
  const std::string by = chosen["by"].text();
  if (chosen.value("constant", false))
    return tr("a constant of the call, as no one of the {} elements decides", of);
  if (by == "maximum") return tr("the largest of {} elements", of);
  if (by == "minimum") return tr("the smallest of {} elements", of);
  return tr("by its rank among {} elements", of);
}

std::string terms_text(const Json& terms, const std::string& indent) {
  const auto count = terms["count"].get<std::int64_t>();
  const auto shown = static_cast<std::int64_t>(terms["largest"].size());
  std::string text = fmt::format(
      "{}{}\n", indent,
      tr("{} terms that add up to {} (in double precision)", count, terms["sum"].text()));
  for (const Json& term : terms["largest"]) {
    std::string factors;
    for (const Json& factor : term["factors"]) {
      factors += fmt::format("{}{}{} = {}", factors.empty() ? "" : ", ", factor["operand"].text(),
                             factor["element"].text(), factor["value"].text());
    }
    text += fmt::format("{}  {}: {}\n", indent, term["value"].text(), factors);
  }
  if (count > shown)
    text += fmt::format("{}  {}\n", indent, tr("and {} smaller ones", count - shown));
  return text;
}

}  // namespace tensorlane::why
