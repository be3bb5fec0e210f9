#include "tensorlane/device/front_end.h"

#include <cstdlib>

#include "tensorlane/base/error.h"

namespace tensorlane {

const Chip& chosen_chip(const FrontEnd& front_end) {
  const char* const name = std::getenv("TENSORLANE_CHIP");
  if (name == nullptr || *name == '\0') return front_end.chip;
  const Chip& chip = find_chip(name);
  if (chip.api.name != front_end.api.name) {
    user_error("TENSORLANE_CHIP is '{}', a chip for {}; this program uses the library of {}", name,
               chip.api.title, front_end.api.title);
  }
  return chip;
}

}  // namespace tensorlane
