// What `tensorlane run`, `why` and others are asked for of a run: options of the command line from
// the rows of observe/run_options.h, and the environment of the program they start.
#ifndef TENSORLANE_TOOLS_RUN_SETTINGS_H_
#define TENSORLANE_TOOLS_RUN_SETTINGS_H_

#include <deque>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app.h"
#include "output_file.h"
#include "tensorlane/observe/run_options.h"

namespace tensorlane::cli {

// Adds the option of a row that takes a word. `value` lives as long as the command.
Option* add_run_option(App& command, std::string_view option, std::string& value);

class RunSettings {
 public:
  // The options of these rows.
  void add_to(App& command, std::initializer_list<std::string_view> options);
  // Those of all rows that are not yet there.
  void add_all_to(App& command);
  // One whose help says more than its row.
  void add_to(App& command, std::string_view option, const std::string& help);

  // What was given.
  bool on(std::string_view option) const { return at(option).on; }
  const std::string& text(std::string_view option) const { return at(option).text; }
  const std::vector<std::string>& list(std::string_view option) const { return at(option).list; }

  // Throws UserError for what is wrong whatever the program does: an unknown chip or order of
  // copies, a time that is none, a line break in a list, a file that cannot be written.
  void check() const;
  // Makes the files that devices write; for "-" they stand elsewhere until print_files().
  void open_files();
  // The program has ended. Calls `attempt` for each, as a file may not be there.
  template <typename Attempt>
  void print_files(const Attempt& attempt) const {
    for (const Setting& setting : settings_)
      if (setting.file) attempt([&] { setting.file->print(); });
  }

  // The environment of the program: a variable for each option that there is, empty where it was
  // not given, so that it counts for nothing in the environment of the command line.
  std::vector<std::pair<std::string, std::string>> variables() const;

 private:
  struct Setting {
    const observe::RunOption* row;
    bool on = false;
    std::string text = {};
    double seconds = 0;
    std::vector<std::string> list = {};
    std::unique_ptr<ForeignOutput> file = {};
  };
  const Setting& at(std::string_view option) const;
  std::string value_of(const Setting& setting) const;

  std::deque<Setting> settings_;  // options of the command refer to them
};

// Sets a variable of the environment of a program.
void set_variable(std::vector<std::pair<std::string, std::string>>& variables,
                  std::string_view name, std::string value);

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_RUN_SETTINGS_H_
