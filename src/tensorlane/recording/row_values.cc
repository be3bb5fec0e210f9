#include "tensorlane/recording/row_values.h"

#include <charconv>
#include <cmath>
#include <string>

#include "tensorlane/base/error.h"

namespace tensorlane {

double row_number(const Json& row, std::string_view name) {
  const Json& value = row.at(name);
  double number = 0;
  if (value.is_number()) {
    number = value.get<double>();
  } else {
    const std::string& text = value.text();
    const char* const end = text.data() + text.size();
    if (std::from_chars(text.data(), end, number).ptr != end) number = 0;
  }
  if (!(number > 0) || !std::isfinite(number))
    user_error("'{}' is {}; it is a number above 0", name, value.dump());
  return number;
}

int row_whole(const Json& row, std::string_view name, int most) {
  const double number = row_number(row, name);
  if (number != std::floor(number) || number > most)
    user_error("'{}' is {}; it is a whole number from 1 to {}", name, number, most);
  return static_cast<int>(number);
}

}  // namespace tensorlane
