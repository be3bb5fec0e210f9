// --launch-mode, of the commands that model times.
#ifndef TENSORLANE_TOOLS_LAUNCH_MODE_OPTION_H_
#define TENSORLANE_TOOLS_LAUNCH_MODE_OPTION_H_

#include <string>

#include "app.h"

namespace tensorlane::cli {

inline void add_launch_mode_option(App& command, std::string& mode) {
  command
      .add_option("--launch-mode", mode,
                  "Times of commands that the processor issues one by one, or of a prebuilt list "
                  "that the engines fetch")
      ->is_member({"issued", "prebuilt"});
}

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_LAUNCH_MODE_OPTION_H_
