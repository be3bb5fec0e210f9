// Declaring commands and their options. The names are CLI11's, and its manual explains them; its
// headers are read by app.cc alone, because every file that reads them takes seconds to compile.
#ifndef TENSORLANE_TOOLS_APP_H_
#define TENSORLANE_TOOLS_APP_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "command_tree.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace tensorlane::cli {

// An option, a flag or a positional argument. Each call returns the option itself.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option* required();
  Option* capture_default_str();  // the help names the value that the variable has now
  Option* type_name(const std::string& name);
  Option* expected(int least, int most);  // how many words it takes
  Option* repeated();                     // a list gets one word each time the option is given
  Option* excludes(Option* other);
  Option* is_member(std::vector<std::string> words);
  Option* range(int least, int most);
  // What completions offer; other words are allowed.
  Option* offer(std::vector<std::string> words);
  // The same for words that take time to find: asked for when completions are written.
  Option* offer(std::function<std::vector<std::string>()> words);

  std::size_t count() const;  // how often it was given

 private:
  friend class App;
  CLI::Option* option_;
  std::vector<std::string> words_;
  std::function<std::vector<std::string>()> more_words_;
};

// A command: the whole program, or a verb of it.
class App {
 public:
  explicit App(CLI::App* app);
  ~App();
  App(const App&) = delete;
  App& operator=(const App&) = delete;

  App* add_subcommand(const std::string& name, const std::string& description);
  void require_subcommand();
  void allow_extras();                  // words that nobody expects are no error
  void usage(const std::string& text);  // in the place of the line that the help derives
  void footer(const std::string& text);
  void callback(std::function<void()> run);
  std::string name() const;

  // `names` as in "-o,--output", or without dashes for a positional argument. `value` lives as long
  // as the command, and is a text, a number (std::optional where it has no default) or a list of
  // texts: the types that app.cc instantiates
  // this for.
  template <typename T>
  Option* add_option(const std::string& names, T& value, const std::string& description);
  Option* add_flag(const std::string& names, bool& value, const std::string& description);
  Option* add_flag_callback(const std::string& names, std::function<void()> given,
                            const std::string& description);

  // An option whose words stand for the values beside them.
  template <typename T>
  Option* add_choice(const std::string& names, T& value, const std::string& description,
                     std::vector<std::pair<std::string, T>> choices) {
    std::vector<std::string> words;
    for (const auto& choice : choices) words.push_back(choice.first);
    return add_choice(
        names, std::move(words),
        [&value, choices](std::size_t chosen) { value = choices[chosen].second; }, description);
  }

  // Whether the option of this name, if there is one, takes the word that follows it.
  bool takes_value(const std::string& option) const;

  // The command with all that it has been told so far.
  CommandTree tree() const;
  // The help of the verb that `verbs` name, one below the other. Throws UserError for none.
  std::string help(const std::vector<std::string>& verbs) const;

 private:
  OptionDescription described(const CLI::Option* option) const;
  Option* add_choice(const std::string& names, std::vector<std::string> words,
                     std::function<void(std::size_t)> choose, const std::string& description);
  Option* own(CLI::Option* option);

  CLI::App* app_;
  std::vector<std::unique_ptr<App>> subcommands_;
  std::vector<std::unique_ptr<Option>> options_;
};

// Ends the program with `status` and says nothing more.
struct ExitStatus {
  int status;
};

// The program: `add_commands` declares them; then `words`, which it may shorten, are parsed and the
// command that they name is called. Returns the exit status: 0 for success, 2 for wrong input (one
// line on standard error says what), 3 for a defect of TensorLane, or what a callback threw as
// ExitStatus.
struct Program {
  std::string name, description, version, footer;
};
// The commands as they stand in English.
CommandTree describe_program(
    const Program& program,
    const std::function<void(App&, std::vector<std::string>& words)>& add_commands);
int run_program(const Program& program, std::vector<std::string> words,
                const std::function<void(App&, std::vector<std::string>& words)>& add_commands);

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_APP_H_
