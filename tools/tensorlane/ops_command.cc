// tensorlane ops: the list of device functions.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "commands.h"
#include "json_option.h"
#include "layout_options.h"
#include "op_facts.h"
#include "ops_call.h"
#include "ops_pages.h"
#include "ops_search.h"
#include "ops_text.h"
#include "output_file.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/base/names.h"
#include "tensorlane/base/system_text.h"
#include "tensorlane/front_ends/front_ends.h"
#include "tensorlane/json/json.h"

namespace tensorlane::cli {
namespace {

struct OpsOptions {
  std::vector<std::string> words;
  std::string chip;
  JsonOption json;
  bool markdown = false;
  std::string pages;
  std::vector<std::string> with;
};

std::vector<const Op*> functions_of(const Chip& chip) {
  std::vector<const Op*> ops;
  for (const Op* op : front_end_of(chip).ops().all()) {
    if (chip.has_function(op->name())) ops.push_back(op);
  }
  return ops;
}

// Those of an interface: of any of its chips.
std::vector<const Op*> functions_of(const FrontEnd& front_end) {
  std::vector<const Op*> ops;
  for (const Op* op : front_end.ops().all()) {
    if (chip_with(front_end.chip, *op).has_function(op->name())) ops.push_back(op);
  }
  return ops;
}

// What the words ask for, of one chip or of all of an interface.
struct Answer {
  const Chip* chip;
  std::vector<const Op*> functions;  // that are asked about
  std::vector<Found> found;

  std::vector<const Op*> by(FoundBy way) const {
    std::vector<const Op*> ops;
    for (const Found& one : found) {
      if (one.by == way) ops.push_back(one.op);
    }
    return ops;
  }
  std::vector<const Op*> all() const {
    std::vector<const Op*> ops;
    for (const Found& one : found) ops.push_back(one.op);
    return ops;
  }
};

Answer ask(const Chip& chip, const std::vector<const Op*>& ops,
           const std::vector<std::string>& words) {
  if (words.size() == 1) {
    for (const Op* op : ops) {
      if (op->name() == words.front()) return {&chip, ops, {{op, FoundBy::kName}}};
    }
  }
  const std::vector<std::string> terms = terms_of(words);
  std::vector<Found> found = search_ops(ops, terms);
  const auto only_described =
      std::ranges::all_of(found, [](const Found& one) { return one.by == FoundBy::kDescription; });
  if (const std::vector<std::string> others = without_narrowing(terms);
      only_described && !others.empty() && others.size() < terms.size()) {
    if (std::vector<Found> wider = search_ops(ops, others); !wider.empty()) found = wider;
  }
  return {&chip, ops, found};
}
Answer ask(const FrontEnd& front_end, const std::vector<std::string>& words) {
  return ask(front_end.chip, functions_of(front_end), words);
}

bool is_known(const std::string& word) {
  return std::ranges::any_of(
      all_chips(), [&](const Chip* chip) { return finds_something(functions_of(*chip), word); });
}

// The words that no function of any chip knows, a misspelling as a rule.
std::vector<std::string> unknown_words(const OpsOptions& options) {
  std::vector<std::string> unknown;
  for (const std::string& word : terms_of(options.words)) {
    if (!is_known(word)) unknown.push_back(word);
  }
  return unknown;
}

// Words that nothing knows as they stand, in pieces.
std::vector<std::string> readable(const std::vector<std::string>& words) {
  std::vector<std::string> result;
  for (const std::string& word : words) {
    const std::vector<std::string> pieces =
        is_known(word) ? std::vector<std::string>{word} : known_pieces(word);
    result.insert(result.end(), pieces.begin(), pieces.end());
  }
  return result;
}

// The words as they are probably meant: a misspelt one as its neighbour, one that nothing is near
// to left out where others say something. What was done so is printed.
std::vector<std::string> as_meant(const std::vector<std::string>& words) {
  const std::vector<std::string> terms = terms_of(words);
  const bool some_known = std::ranges::any_of(terms, is_known);
  std::vector<std::string> meant;
  std::string said;
  for (const std::string& term : terms) {
    const std::string near = is_known(term) ? term : near_word(term);
    if (near.empty() && !some_known) return words;
    if (near.empty()) {
      said += tr("no function knows '{}'; these are for the other words\n", term);
    } else if (near != term) {
      said += tr("no function knows '{}'; these are for '{}'\n", term, near);
    }
    if (!near.empty()) meant.push_back(near);
  }
  if (!said.empty()) fmt::print("{}\n", said);
  return meant;
}

[[noreturn]] void nothing_found(const OpsOptions& options) {
  const std::vector<std::string> unknown = unknown_words(options);
  const std::string wanted =
      unknown.size() == 1 ? unknown.front() : fmt::format("{}", fmt::join(options.words, " "));
  std::vector<std::string_view> known = searchable_words();
  for (const Chip* chip : all_chips()) {
    for (const Op* op : functions_of(*chip)) known.push_back(op->name());
  }
  user_error("no device function{} has '{}' in its name, its group or its description{}",
             options.chip.empty() ? "" : tr(" of {}", options.chip), wanted,
             did_you_mean(wanted, known));
}

// Where no function answers to all words, those that answer to most; nothing where a word is one
// that none knows.
bool answers_to_most(const OpsOptions& options, std::vector<Answer>& answers) {
  const std::vector<std::string> terms = terms_of(options.words);
  if (terms.size() < 2 || !unknown_words(options).empty()) return false;
  for (Answer& answer : answers) answer.found = search_ops_for_most(answer.functions, terms);
  return true;
}

// Every interface that is asked, in the order of the list: the one of --chip and of that what the
// chip has, the one that a full name belongs to, or all.
std::vector<Answer> answers(const OpsOptions& options) {
  if (!options.chip.empty()) {
    const Chip& chip = find_chip(options.chip);
    return {ask(chip, functions_of(chip), options.words)};
  }
  const FrontEnd* const named =
      options.words.size() == 1 ? front_end_of_function(options.words.front()) : nullptr;
  if (named != nullptr) return {ask(*named, options.words)};
  if (options.words.empty()) return {ask(*all_front_ends().front(), options.words)};
  std::vector<Answer> answers;
  for (const FrontEnd* front_end : all_front_ends())
    answers.push_back(ask(*front_end, options.words));
  return answers;
}

// The one that knows the words best: by name before meaning before description.
const Answer& best_of(const std::vector<Answer>& answers) {
  for (const FoundBy way : {FoundBy::kName, FoundBy::kMeaning, FoundBy::kDescription}) {
    for (const Answer& answer : answers) {
      if (!answer.by(way).empty()) return answer;
    }
  }
  return answers.front();
}

// Of the chips of the interface the one that has most of what was found, and how many that are.
std::pair<const Chip*, std::size_t> chip_with_most(const Answer& answer) {
  std::pair<const Chip*, std::size_t> most{answer.chip, 0};
  const auto look = [&](const Chip& chip) {
    const auto count = static_cast<std::size_t>(std::ranges::count_if(
        answer.found, [&](const Found& each) { return chip.has_function(each.op->name()); }));
    if (count > most.second) most = {&chip, count};
  };
  look(*answer.chip);
  for (const Chip* chip : all_chips()) {
    if (&front_end_of(*chip) == &front_end_of(*answer.chip)) look(*chip);
  }
  return most;
}

void print_text(const Answer& answer, const std::vector<Answer>& all, const OpsOptions& options) {
  const Terminal terminal = stdout_terminal();
  if (all.size() > 1) {
    fmt::print("{}", tr("functions of {} ({})", chip_with_most(answer).first->name,
                        answer.chip->api.header()));
    for (const Answer& other : all) {
      if (&other == &answer || other.found.empty()) continue;
      const auto [chip, count] = chip_with_most(other);
      fmt::print("{}", tr("; {} more with --chip {}", count, chip->name));
    }
    fmt::print("\n\n");
  }
  const std::vector<const Op*> named = answer.by(FoundBy::kName);
  if (named.size() == 1) {
    fmt::print("{}", op_details(*named.front(), terminal));
  } else if (!named.empty()) {
    fmt::print("{}", ops_table(named, terminal));
  }
  const auto further = [&](std::string_view title, const std::vector<const Op*>& ops) {
    if (ops.empty()) return;
    fmt::print("\n{}\n{}", styled(terminal, TextStyle::kBold, title), ops_lines(ops));
  };
  further(tr("by meaning"), answer.by(FoundBy::kMeaning));
  further(tr("by description"), answer.by(FoundBy::kDescription));
  for (const std::string_view advice : advice_on(terms_of(options.words))) {
    fmt::print("\n");
    if (language() == Language::kEnglish) fmt::print("{}\n", advice);
    fmt::print("{}\n", translated(advice, Language::kChinese));
  }
}

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for (const Chip* chip : all_chips()) {
    for (const Op* op : functions_of(*chip)) names.emplace_back(op->name());
  }
  return names;
}

void run(OpsOptions options) {
  options.words = readable(options.words);
  std::vector<Answer> all = answers(options);
  // A program that asks is told of a misspelt word, a person is shown what was meant.
  const bool for_people = !options.json.replaces_text() && options.pages.empty() &&
                          !options.markdown && options.with.empty();
  if (for_people && best_of(all).found.empty()) {
    options.words = as_meant(options.words);
    all = answers(options);
  }
  if (best_of(all).found.empty() && answers_to_most(options, all) && !options.json.replaces_text())
    fmt::print("{}\n\n", tr("no function answers to all of these words; these to most of them"));
  const Answer& found = best_of(all);
  if (found.found.empty()) nothing_found(options);
  if (!options.with.empty()) {
    if (found.found.size() != 1 || found.found.front().op->name() != options.words.front())
      user_error("--with describes a call of one function, named in full");
    const Op& op = *found.found.front().op;
    const Call call(chip_with(*found.chip, op), op, options.with);
    if (!options.json.replaces_text()) fmt::print("{}", call.text());
    options.json.write(call.json());
  } else if (!options.pages.empty()) {
    std::error_code error;
    std::filesystem::create_directories(options.pages, error);
    if (error)
      user_error("cannot make the folder '{}': {}", options.pages,
                 error_number_text(error.value()));
    // All of the interface, whichever of its chips has them.
    const std::vector<const Op*> ops =
        options.words.empty() ? functions_of(front_end_of(*found.chip)) : found.all();
    for (const ReferencePage& page : ops_pages(*found.chip, ops))
      write_output(options.pages + "/" + page.name, page.text);
  } else if (options.markdown) {
    fmt::print("{}", ops_markdown(*found.chip, found.all()));
  } else {
    if (!options.json.replaces_text()) print_text(found, all, options);
    auto list = Json::array();
    for (const Op* op : found.all()) list.push_back(op_json(chip_with(*found.chip, *op), *op));
    options.json.write(list);
  }
}

}  // namespace

void add_ops_command(App& app) {
  auto options = std::make_shared<OpsOptions>();
  App* command = app.add_subcommand(
      "ops", "Every device function: engine, operands, layouts, limits, numerics, tests");
  command
      ->add_option("WORD", options->words,
                   "Only functions that have these words in their name, group or description, or "
                   "mean them, in English or Chinese; one function is shown in full")
      ->offer(function_names);
  command
      ->add_option("--chip", options->chip,
                   "Chip whose functions are listed, one of 'tensorlane chips'")
      ->type_name("CHIP")
      ->offer(chip_names());
  Option* json = options->json.add_to(*command);
  command->add_flag("--markdown", options->markdown, "As a page of Markdown")->excludes(json);
  command->add_option("--with", options->with,
                      "A call of the function, PARAMETER=VALUE...: its operands, limits and time");
  command->add_option(
      "--pages", options->pages,
      "Write the reference into this folder, a page for each family, in the language "
      "of --lang");
  command->footer(
      "Examples:\n"
      "  tensorlane ops\n"
      "  tensorlane ops gdma\n"
      "  tensorlane ops broadcast\n"
      "  tensorlane ops matrix multiply\n"
      "  tensorlane ops 卷积\n"
      "  tensorlane ops okk_bdc_conv2d\n"
      "  tensorlane ops okk_bdc_conv2d --with input_shape=1,64,56,56 output_c=64 kernel_h=3 \\\n"
      "    kernel_w=3 kernel_stride=9,9,3,1\n"
      "  tensorlane ops --chip bm1684x\n"
      "  tensorlane ops --json=ops.json\n");
  command->callback([options] { run(*options); });
}

}  // namespace tensorlane::cli
