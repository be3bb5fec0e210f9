// --impl and --reference: which implementation of each device function runs.
#ifndef TENSORLANE_TOOLS_IMPLEMENTATION_OPTION_H_
#define TENSORLANE_TOOLS_IMPLEMENTATION_OPTION_H_

#include <string>

#include "app.h"

namespace tensorlane::cli {

// `implementation` becomes "fastest" or "reference"; it lives as long as the command.
inline void add_implementation_option(App& command, std::string& implementation) {
  implementation = "fastest";
  auto* option = command
                     .add_option("--impl", implementation,
                                 "Which implementation of each function runs: fastest or reference")
                     ->is_member({"fastest", "reference"})
                     ->capture_default_str();
  command
      .add_flag_callback(
          "--reference", [&implementation] { implementation = "reference"; },
          "The same as --impl reference")
      ->excludes(option);
}

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_IMPLEMENTATION_OPTION_H_
