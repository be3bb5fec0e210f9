// Numbers in rows: JSON has them as numbers, CSV as texts.
#ifndef TENSORLANE_RECORDING_ROW_VALUES_H_
#define TENSORLANE_RECORDING_ROW_VALUES_H_

#include <string_view>

#include "tensorlane/json/json.h"

namespace tensorlane {

// A number above 0. UserError for anything else, and where there is none of this name.
double row_number(const Json& row, std::string_view name);
// A whole number from 1 to `most`.
int row_whole(const Json& row, std::string_view name, int most);

}  // namespace tensorlane

#endif  // TENSORLANE_RECORDING_ROW_VALUES_H_
