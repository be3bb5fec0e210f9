#include "tensorlane/front_ends/layout_owner.h"

#include <cctype>
#include <string>
#include <vector>

#include "tensorlane/base/error.h"
#include "tensorlane/base/names.h"
#include "tensorlane/front_ends/front_ends.h"

namespace tensorlane {

LayoutOwner find_owner(std::string_view name) {
  const std::string_view mace = system_name(System::kMace);
  std::string lower;
  for (const char c : name) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (lower == mace) return {System::kMace, mace, nullptr};
  std::vector<std::string_view> names;
  for (const Chip* chip : all_chips()) {
    if (lower == chip->name) return {front_end_of(*chip).layouts, chip->name, chip};
    names.push_back(chip->name);
  }
  names.push_back(mace);
  user_error("unknown chip '{}'{}", name, did_you_mean(name, names));
}

}  // namespace tensorlane
