// tensorlane manual: the pages for `man tensorlane` and its verbs.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>

#include "commands.h"
#include "manual.h"
#include "output_file.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/system_text.h"

namespace tensorlane::cli {

void add_manual_command(App& app) {
  auto folder = std::make_shared<std::string>();
  App* command = app.add_subcommand("manual", "Writes the pages of the manual: man tensorlane");
  command->add_option("DIR", *folder, "gets tensorlane.1 and a page for every verb")->required();
  command->footer(
      "An installed TensorLane has them under share/man of its prefix.\n"
      "\n"
      "Example:\n"
      "  tensorlane manual man1\n");
  command->callback([folder, &app] {
    const std::filesystem::path root(*folder);
    std::error_code error;
    std::filesystem::create_directories(root, error);
    if (error)
      user_error("cannot make the folder '{}': {}", *folder, error_number_text(error.value()));
    for (const ManualPage& page : manual_pages(app.tree(), "tensorlane " TENSORLANE_VERSION))
      write_output((root / page.name).string(), page.text);
  });
}

}  // namespace tensorlane::cli
