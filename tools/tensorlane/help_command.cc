// tensorlane help: what `tensorlane VERB --help` says, for those who ask this way round.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "commands.h"

namespace tensorlane::cli {

void add_help_command(App& app) {
  auto verbs = std::make_shared<std::vector<std::string>>();
  App* command = app.add_subcommand("help", "What a verb does and takes, as VERB --help says it");
  command->add_option("VERB", *verbs, "as in 'help layout draw'; without it: all verbs");
  command->footer("Example:\n  tensorlane help layout draw\n");
  command->callback([verbs, &app] { std::fputs(app.help(*verbs).c_str(), stdout); });
}

}  // namespace tensorlane::cli
