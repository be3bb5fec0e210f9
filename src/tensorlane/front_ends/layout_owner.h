// What has layouts: a chip, or MACE, which has none.
#ifndef TENSORLANE_FRONT_ENDS_LAYOUT_OWNER_H_
#define TENSORLANE_FRONT_ENDS_LAYOUT_OWNER_H_

#include <string_view>

#include "tensorlane/chip/chip.h"
#include "tensorlane/layout/named.h"

namespace tensorlane {

struct LayoutOwner {
  System system;
  std::string_view name;
  const Chip* chip;  // null: MACE
};
// Upper and lower case are alike. UserError with the nearest name for an unknown one.
LayoutOwner find_owner(std::string_view name);

}  // namespace tensorlane

#endif  // TENSORLANE_FRONT_ENDS_LAYOUT_OWNER_H_
