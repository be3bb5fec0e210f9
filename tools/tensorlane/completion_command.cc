// tensorlane completion: what a shell needs to complete its words.
#include <cstdio>
#include <memory>
#include <string>

#include "commands.h"
#include "completion.h"

namespace tensorlane::cli {

void add_completion_command(App& app) {
  using Completion = std::string (*)(const CommandTree&);
  auto completion = std::make_shared<Completion>(nullptr);
  App* command = app.add_subcommand("completion", "A script that completes words in your shell");
  command
      ->add_choice<Completion>(
          "SHELL", *completion, "bash, zsh or fish",
          {{"bash", bash_completion}, {"zsh", zsh_completion}, {"fish", fish_completion}})
      ->required();
  command->footer(
      "An installed TensorLane has the three where the shells look for them, under share/ of its\n"
      "prefix. For one that is not on their path:\n"
      "\n"
      "Examples:\n"
      "  source <(tensorlane completion bash)\n"
      "  tensorlane completion fish > ~/.config/fish/completions/tensorlane.fish\n");
  command->callback([completion, &app] { std::fputs((*completion)(app.tree()).c_str(), stdout); });
}

}  // namespace tensorlane::cli
