// The lines of reports on a terminal: a label in the language of the process, then a text.
#ifndef TENSORLANE_BASE_LABELLED_H_
#define TENSORLANE_BASE_LABELLED_H_

#include <string>
#include <string_view>

namespace tensorlane {

// "repair   end the region first": the texts of all labels of up to 8 columns begin in one column.
std::string labelled(std::string_view label, std::string_view text);

}  // namespace tensorlane

#endif  // TENSORLANE_BASE_LABELLED_H_
