#include "manual.h"
#include "tensorlane/base/language.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

namespace tensorlane::cli {
namespace {

// Text as roff prints it literally. A line that began with a dot or a quote would be a request.
std::string literal(std::string_view text) {
  std::string out;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
    line_begins = c == '\n';
  }
  return out;
}

std::string bold(std::string_view text) {
  return "\\fB" + literal(text) + "\\fR";
}
std::string italic(std::string_view text) {
  return "\\fI" + literal(text) + "\\fR";
}

// "tensorlane layout draw [OPTIONS] IN OUT".
std::string synopsis(const CommandTree& command, const std::string& full_name) {
  std::string text = bold(full_name) + " [" + italic(tr("options")) + "]";
  for (const OptionDescription& option : command.options) {
    if (!option.positional()) continue;
    const std::string name = italic(option.names.front());
    text += option.required ? " " + name : " [" + name + "]";
  }
  if (!command.subcommands.empty()) text += " " + italic(tr("verb"));
  return text + "\n";
}

std::string options_text(const CommandTree& command) {
  std::string text;
  for (const OptionDescription& option : command.options) {
    std::vector<std::string> names;
    for (const std::string& name : option.names)
      names.push_back(option.positional() ? italic(name) : bold(name));
    text += fmt::format(".TP\n{}", fmt::join(names, ", "));
    if (option.takes_value() && !option.positional())
      text += (option.takes_next_word() ? " " : "") + italic(option.value);
    text += "\n" + literal(option.description);
    if (option.required) text += tr(" (required)");
    if (!option.otherwise.empty()) text += tr(" (default {})", literal(option.otherwise));
    text += "\n";
  }
  return text;
}

// A footer is examples and remarks whose lines stand as they are.
std::string footer_text(const CommandTree& command) {
  if (command.footer.empty()) return {};
  std::string text = literal(command.footer);
  while (text.ends_with('\n')) text.pop_back();
  return ".PP\n.nf\n" + text + "\n.fi\n";
}

// The verbs below, each a section of its own.
std::string verbs_text(const CommandTree& command, const std::string& full_name) {
  std::string text;
  for (const CommandTree& sub : command.subcommands) {
    const std::string name = full_name + " " + sub.name;
    text += fmt::format(".SS {}\n{}.PP\n{}.\n{}{}", literal(name), synopsis(sub, name),
                        literal(sub.description), options_text(sub), footer_text(sub));
    text += verbs_text(sub, name);
  }
  return text;
}

std::string page(const CommandTree& command, const std::string& full_name,
                 const std::string& dashed, const std::string& source) {
  return fmt::format(".TH {} 1 \"\" {} {}\n.SH {}\n{} \\- {}\n.SH {}\n{}.SH {}\n{}{}",
                     literal(dashed), literal("\"" + source + "\""), "\"TensorLane\"", tr("NAME"),
                     literal(dashed), literal(command.description), tr("SYNOPSIS"),
                     synopsis(command, full_name), tr("OPTIONS"), options_text(command),
                     footer_text(command));
}

}  // namespace

std::vector<ManualPage> manual_pages(const CommandTree& program, const std::string& source) {
  std::string verbs, also;
  std::vector<ManualPage> pages(1);
  for (const CommandTree& verb : program.subcommands) {
    const std::string name = program.name + " " + verb.name,
                      dashed = program.name + "-" + verb.name;
    std::string text = page(verb, name, dashed, source);
    if (!verb.subcommands.empty())
      text += fmt::format(".SH {}\n{}", tr("VERBS"), verbs_text(verb, name));
    text += fmt::format(".SH {}\n{} (1)\n", tr("SEE ALSO"), bold(program.name));
    pages.push_back({dashed + ".1", text});
    verbs += fmt::format(".TP\n{}\n{}\n", bold(verb.name), literal(verb.description));
    also += fmt::format("{}{} (1)", also.empty() ? "" : ",\n", bold(dashed));
  }
  pages.front() = {
      program.name + ".1",
      fmt::format("{}.SH {}\n{}.SH {}\n{}\n", page(program, program.name, program.name, source),
                  tr("VERBS"), verbs, tr("SEE ALSO"), also)};
  return pages;
}

}  // namespace tensorlane::cli
