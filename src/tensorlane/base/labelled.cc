#include "tensorlane/base/labelled.h"

#include <fmt/format.h>

#include "tensorlane/base/language.h"

namespace tensorlane {

std::string labelled(std::string_view label, std::string_view text) {
  return fmt::format("{:<8} {}", translated(label), text);
}

}  // namespace tensorlane
