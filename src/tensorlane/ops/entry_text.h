// Texts of the ops list's entries in the language of the process.
#ifndef TENSORLANE_OPS_ENTRY_TEXT_H_
#define TENSORLANE_OPS_ENTRY_TEXT_H_

#include <string>
#include <string_view>

namespace tensorlane {

// What a function costs, "2 cycles per step", or needs, "an SDMA engine (SG2260)". The catalogue
// has the numbers of costs as values: "{} cycles per step".
std::string entry_text(std::string_view english);

// How the catalogue has the text of a cost.
std::string cost_without_numbers(std::string_view english);

}  // namespace tensorlane

#endif  // TENSORLANE_OPS_ENTRY_TEXT_H_
