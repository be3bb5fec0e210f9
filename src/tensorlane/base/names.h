// Help with misspelt names: every place that looks a name up says what was probably meant.
#ifndef TENSORLANE_BASE_NAMES_H_
#define TENSORLANE_BASE_NAMES_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tensorlane {

// Number of single-character insertions, deletions and replacements that turn `a` into `b`.
int edit_distance(std::string_view a, std::string_view b);

// "; did you mean 'x'?" for the nearest candidate, or the list of all when none is near and it is
// short.
std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates);

}  // namespace tensorlane

#endif  // TENSORLANE_BASE_NAMES_H_
