#include "app.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <optional>
#include <string_view>
#include <system_error>

#include "json_option.h"
#include "language_option.h"
#include "output_file.h"
#include "parser_errors.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/base/language_scope.h"
#include "tensorlane/base/names.h"
#include "tensorlane/base/system_text.h"

namespace tensorlane::cli {

Option* Option::required() {
  option_->required();
  return this;
}

Option* Option::capture_default_str() {
  option_->capture_default_str();
  return this;
}

Option* Option::type_name(const std::string& name) {
  option_->type_name(name);
  return this;
}

Option* Option::expected(int least, int most) {
  option_->expected(least, most);
  return this;
}

Option* Option::repeated() {
  option_->allow_extra_args(false);
  return this;
}

Option* Option::excludes(Option* other) {
  option_->excludes(other->option_);
  return this;
}

Option* Option::is_member(std::vector<std::string> words) {
  words_ = words;
  option_->check(CLI::IsMember(std::move(words)));
  return this;
}

Option* Option::range(int least, int most) {
  option_->check(CLI::Range(least, most));
  return this;
}

Option* Option::offer(std::vector<std::string> words) {
  words_ = std::move(words);
  return this;
}

Option* Option::offer(std::function<std::vector<std::string>()> words) {
  more_words_ = std::move(words);
  return this;
}

std::size_t Option::count() const {
  return option_->count();
}

App::App(CLI::App* app) : app_(app) {}

App::~App() = default;

Option* App::own(CLI::Option* option) {
  return options_.emplace_back(std::make_unique<Option>(option)).get();
}

App* App::add_subcommand(const std::string& name, const std::string& description) {
  CLI::App* const sub = app_->add_subcommand(name, description);
  sub->footer(std::string());  // else the parent's examples
  return subcommands_.emplace_back(std::make_unique<App>(sub)).get();
}

void App::require_subcommand() {
  app_->require_subcommand(1);
}

void App::allow_extras() {
  app_->allow_extras();
}

void App::usage(const std::string& text) {
  class Formatter : public CLI::Formatter {
   public:
    explicit Formatter(std::string text) : text_(std::move(text)) {}
    std::string make_usage(const CLI::App*, std::string) const override {
      constexpr std::string_view kLabel = "Usage";
      return text_.starts_with(kLabel) ? get_label("Usage") + text_.substr(kLabel.size()) : text_;
    }

   private:
    std::string text_;
  };
  app_->formatter(std::make_shared<Formatter>(text));
}

void App::footer(const std::string& text) {
  app_->footer(text);
}

void App::callback(std::function<void()> run) {
  app_->callback(std::move(run));
}

std::string App::name() const {
  return app_->get_name();
}

template <typename T>
Option* App::add_option(const std::string& names, T& value, const std::string& description) {
  return own(app_->add_option(names, value, description));
}
template Option* App::add_option(const std::string&, std::string&, const std::string&);
template Option* App::add_option(const std::string&, std::vector<std::string>&, const std::string&);
template Option* App::add_option(const std::string&, std::int32_t&, const std::string&);
template Option* App::add_option(const std::string&, std::uint32_t&, const std::string&);
template Option* App::add_option(const std::string&, std::int64_t&, const std::string&);
template Option* App::add_option(const std::string&, std::uint64_t&, const std::string&);
template Option* App::add_option(const std::string&, double&, const std::string&);
template Option* App::add_option(const std::string&, std::optional<double>&, const std::string&);
template Option* App::add_option(const std::string&, std::optional<std::int64_t>&,
                                 const std::string&);

Option* App::add_flag(const std::string& names, bool& value, const std::string& description) {
  return own(app_->add_flag(names, value, description));
}

Option* App::add_flag_callback(const std::string& names, std::function<void()> given,
                               const std::string& description) {
  return own(app_->add_flag_callback(names, std::move(given), description));
}

Option* App::add_choice(const std::string& names, std::vector<std::string> words,
                        std::function<void(std::size_t)> choose, const std::string& description) {
  const auto chosen = [words, choose = std::move(choose)](const std::string& word) {
    choose(static_cast<std::size_t>(std::find(words.begin(), words.end(), word) - words.begin()));
  };
  CLI::Option* const option = app_->add_option_function<std::string>(names, chosen, description);
  option->check(CLI::IsMember(words).description(""))->type_name("ENUM");
  return own(option)->offer(std::move(words));
}

bool App::takes_value(const std::string& option) const {
  const CLI::Option* const found = app_->get_option_no_throw(option);
  return found != nullptr && found->get_items_expected_min() > 0;
}

OptionDescription App::described(const CLI::Option* option) const {
  OptionDescription out;
  for (const std::string& name : option->get_snames()) out.names.push_back("-" + name);
  for (const std::string& name : option->get_lnames()) out.names.push_back("--" + name);
  if (out.names.empty()) out.names.push_back(option->get_name(true));
  out.description = option->get_description();
  if (option->get_items_expected_max() > 0) {
    out.value = option->get_type_name();
    out.value.resize(std::min(out.value.size(), out.value.find(':')));  // a rule may follow
  }
  out.otherwise = option->get_default_str();
  out.required = option->get_required();
  for (const std::unique_ptr<Option>& known : options_) {
    if (known->option_ != option) continue;
    out.words = known->more_words_ ? known->more_words_() : known->words_;
  }
  return out;
}

CommandTree App::tree() const {
  CommandTree tree{app_->get_name(), app_->get_description(), app_->get_footer(), {}, {}};
  for (const CLI::Option* option : app_->get_options()) tree.options.push_back(described(option));
  for (const std::unique_ptr<App>& sub : subcommands_) tree.subcommands.push_back(sub->tree());
  return tree;
}

namespace {

constexpr int kWrongInput = 2;
constexpr int kDefect = 3;

// The subcommand that the words name, as deep as they do.
const CLI::App* deepest(const CLI::App* app) {
  for (const CLI::App* sub : app->get_subcommands()) return deepest(sub);
  return app;
}

// What a word that nothing expected was probably meant to be.
std::string suggestion(const CLI::App& app, const std::string& word) {
  std::vector<std::string> known;
  if (word.starts_with("-")) {
    for (const CLI::Option* option : app.get_options()) {
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    }
  } else {
    for (const CLI::App* sub : app.get_subcommands({})) known.push_back(sub->get_name());
  }
  const std::vector<std::string_view> names(known.begin(), known.end());
  return known.empty() ? std::string() : did_you_mean(word, names);
}

// "tensorlane layout draw".
std::string full_name(const CLI::App& app) {
  const CLI::App* const parent = app.get_parent();
  return parent == nullptr ? app.get_name()
                           : fmt::format("{} {}", full_name(*parent), app.get_name());
}

// Nobody is left to tell when standard error is closed or full.
void say(const std::string& line) {
  std::fputs(line.c_str(), stderr);
}

int report(const CLI::App& app, std::string_view what) {
  say(fmt::format("{}: {}\n", full_name(app), what));
  return kWrongInput;
}

// What was printed has to have arrived: a full disk is no success.
void flush_output() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  const int reason = errno;
  std::clearerr(stdout);
  user_error("cannot write to standard output: {}", error_number_text(reason));
}

// Whether a word stands behind a --json that names no file.
bool follows_json(const std::vector<std::string>& words, const std::string& word) {
  const auto at = std::ranges::find(words, word);
  return at != words.end() && at != words.begin() &&
         *(at - 1) == std::string(kJsonOption) + "=" + std::string(kStandardOutput);
}

// Else CLI11 takes "--time=yes" for --time, and "--time=no" for nothing.
void forbid_values_of_flags(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    if (option->get_items_expected_max() == 0) option->disable_flag_override();
  }
  for (CLI::App* sub : app.get_subcommands({})) forbid_values_of_flags(*sub);
}

// The first word that gives a value to an option that takes none: "--time=yes".
std::optional<std::string> flag_with_value(const CLI::App& app,
                                           const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (word == "--") break;
    const std::size_t at = word.find('=');
    if (!word.starts_with("--") || at == std::string::npos) continue;
    const CLI::Option* const option = app.get_option_no_throw(word.substr(0, at));
    if (option != nullptr && option->get_items_expected_max() == 0) return word;
  }
  return std::nullopt;
}

int parse_and_run(CLI::App& app, std::vector<std::string> words) {
  const std::vector<std::string> given = words;
  forbid_values_of_flags(app);
  try {
    std::reverse(words.begin(), words.end());  // as CLI11 wants them
    app.parse(words);
    return 0;
  } catch (const ExitStatus& exit) {
    return exit.status;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    // A misspelt word is the likeliest reason for a missing one.
    const CLI::App* sub = deepest(&app);
    if (const auto word = flag_with_value(*sub, given)) {
      const std::size_t at = word->find('=');
      return report(*sub, tr("{} takes no value, and '{}' gives it one: leave out '{}'",
                             word->substr(0, at), *word, word->substr(at)));
    }
    const std::vector<std::string> extras = app.remaining(true);
    if (extras.empty() && !sub->get_subcommands({}).empty()) {  // nothing asked for
      fmt::print("{}", app.help());
      return 0;
    }
    if (extras.empty()) return report(*sub, parser_error_text(error.what()));
    if (follows_json(given, extras.front())) refuse_json_apart(extras.front(), true);
    return report(*sub,
                  tr("'{}' was not expected{}", extras.front(), suggestion(*sub, extras.front())));
  }
}

}  // namespace

std::string App::help(const std::vector<std::string>& verbs) const {
  const CLI::App* command = app_;
  for (const std::string& verb : verbs) {
    const std::vector<const CLI::App*> subs = command->get_subcommands({});
    const auto sub = std::ranges::find(subs, verb, [](const CLI::App* a) { return a->get_name(); });
    if (sub == subs.end())
      user_error("'{}' has no verb '{}'{}", full_name(*command), verb, suggestion(*command, verb));
    command = *sub;
  }
  return command->get_formatter()->make_help(command, full_name(*command),
                                             CLI::AppFormatMode::Normal);
}

namespace {

// The help of a command and of all below it, in the language of the process.
void translate(CLI::App& app) {
  app.description(std::string(translated(app.get_description())));
  std::string footer = app.get_footer();
  if (const std::string remarks = remarks_of(footer); !remarks.empty())
    footer.replace(0, remarks.size(), translated(remarks));
  for (const std::string_view label : {"Examples", "Example"}) {
    if (const std::size_t at = footer.find(label); at != std::string::npos)
      footer.replace(at, label.size(), translated(label));
  }
  app.footer(footer);
  for (const char* const label : {"Usage", "Positionals", "REQUIRED", "Excludes", "Needs"})
    app.get_formatter()->label(label, std::string(translated(label)));
  for (CLI::Option* option : app.get_options()) {
    option->description(std::string(translated(option->get_description())));
    option->group(std::string(translated(option->get_group())));
  }
  for (CLI::App* sub : app.get_subcommands({})) {
    sub->group(std::string(translated(sub->get_group())));
    translate(*sub);
  }
}

void declare(CLI::App& app, const Program& program, std::string& language) {
  app.set_version_flag("--version", program.version);
  app.footer(program.footer);
  app.add_option("--lang", language,
                 "The language of all texts: en or zh; without it that of the environment");
}

}  // namespace

CommandTree describe_program(
    const Program& program,
    const std::function<void(App&, std::vector<std::string>& words)>& add_commands) {
  CLI::App app{program.description, program.name};
  std::string language;
  declare(app, program, language);
  App commands(&app);
  std::vector<std::string> words;
  add_commands(commands, words);
  return commands.tree();
}

int run_program(const Program& program, std::vector<std::string> words,
                const std::function<void(App&, std::vector<std::string>& words)>& add_commands) {
  CLI::App app{program.description, program.name};
  std::string language;  // for the help alone: take_language takes the option
  declare(app, program, language);
  App commands(&app);
  commands.require_subcommand();
  const LanguageScope its_own(language_of_environment());  // who calls keeps its language
  try {
    set_language(take_language(words));
    add_commands(commands, words);
    complete_json_options(words);
    if (tensorlane::language() != Language::kEnglish) translate(app);
    const int status = parse_and_run(app, std::move(words));
    if (status == 0) flush_output();
    return status;
  } catch (const UserError& error) {
    return report(*deepest(&app), error.what());
  } catch (const std::system_error& error) {  // what fmt::print throws when it cannot write
    return report(*deepest(&app), error.what());
  } catch (const std::bad_alloc&) {
    return report(*deepest(&app), tr("not enough memory for what was asked"));
  } catch (const std::exception& error) {
    say(fmt::format("tensorlane: {}\n", error.what()));
    return kDefect;
  }
}

}  // namespace tensorlane::cli
