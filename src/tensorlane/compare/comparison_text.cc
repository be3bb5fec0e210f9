// A comparison in words.
#include <fmt/format.h>

#include <cmath>

#include "tensorlane/base/labelled.h"
#include "tensorlane/base/language.h"
#include "tensorlane/compare/compare.h"
#include "tensorlane/compare/patterns.h"

namespace tensorlane::compare {
namespace {

std::string difference_text(const Difference& difference, const Comparison& comparison) {
  std::string text = tr("{}: {:.9g}, expected {:.9g}", index_text(difference.at, comparison.shape),
                        difference.got, difference.want);
  const double by = difference.got - difference.want;
  if (std::isfinite(by)) text += tr(" (off by {:.3g})", by);
  return text;
}

std::string tolerance_text(const Tolerance& tolerance) {
  std::string text = tr("exactly equal");
  if (tolerance.absolute > 0 || tolerance.relative > 0) {
    text = tr("within {:.3g}", tolerance.absolute);
    if (tolerance.relative > 0) text += tr(" + {:.3g} of the reference", tolerance.relative);
  }
  if (tolerance.ulps > 0) text += tr(", or within {:.3g} ulp", tolerance.ulps);
  return text;
}

// "all of them", "62 of 64 of them, and 3 that agree it does not explain".
std::string share_text(const Pattern& pattern, const Comparison& comparison) {
  std::string text = pattern.explained == comparison.differing
                         ? tr("all of them")
                         : tr("{} of the {}", pattern.explained, comparison.differing);
  if (pattern.forbidden > 0) text += tr("; {} more would have to differ", pattern.forbidden);
  return text;
}

}  // namespace

std::string index_text(std::int64_t at, const Shape& shape) {
  if (shape.empty()) return "[]";
  const std::vector<std::int64_t> strides = strides_of(shape);
  std::string text;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const std::int64_t index = at / strides[d] % shape[d];
    text += text.empty() ? "" : ", ";
    if (shape.size() == 3 || shape.size() == 4) text += axis_letter(d, shape.size()) + " ";
    text += fmt::format("{}", index);
  }
  return "[" + text + "]";
}

std::vector<std::string> comparison_lines(const Comparison& comparison) {
  if (comparison.differing == 0)
    return {
        tr("all {} elements agree, {}", comparison.elements, tolerance_text(comparison.tolerance))};
  std::vector<std::string> lines{labelled("first", difference_text(comparison.first, comparison)),
                                 labelled("worst", difference_text(comparison.worst, comparison))};
  for (const Pattern& place : comparison.places) {
    lines.push_back(labelled(&place == comparison.places.data() ? msg("where") : msg("or"),
                             tr("{} ({})", place.text, share_text(place, comparison))));
  }
  for (const Pattern& value : comparison.values) {
    lines.push_back(labelled(&value == comparison.values.data() ? msg("what") : msg("or"),
                             tr("{} ({})", value.text, share_text(value, comparison))));
  }
  std::string sizes;
  for (const Bin& bin : comparison.histogram) {
    sizes += sizes.empty() ? "" : tr(", ");
    sizes += std::isfinite(bin.high) ? tr("{} below {:.0e}", bin.count, bin.high)
                                     : tr("{} not finite", bin.count);
  }
  lines.push_back(labelled("by", sizes));
  lines.push_back(labelled("asked", tolerance_text(comparison.tolerance)));
  return lines;
}

}  // namespace tensorlane::compare
