// --red-zones, of the commands that look closely at what a program does.
#ifndef TENSORLANE_TOOLS_RED_ZONES_OPTION_H_
#define TENSORLANE_TOOLS_RED_ZONES_OPTION_H_

#include <string>

#include "app.h"

namespace tensorlane::cli {

inline void add_red_zones_option(App& command, std::string& red_zones) {
  command
      .add_option("--red-zones", red_zones,
                  "Gaps between allocations, so that what reaches from one into the next is found; "
                  "off: addresses as in a run without checks. On where anything is checked")
      ->is_member({"on", "off"});
}

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_RED_ZONES_OPTION_H_
