#include "completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <vector>

namespace tensorlane::cli {
namespace {

// Calls visit("/layout/draw", command) for every command, the program itself as "".
template <class Visit>
void for_each_command(const CommandTree& command, const std::string& at, const Visit& visit) {
  visit(at, command);
  for (const CommandTree& sub : command.subcommands)
    for_each_command(sub, at + "/" + sub.name, visit);
}

// "/run|/layout|/layout/list": every place but the program.
std::string all_places(const CommandTree& program, std::string_view separator) {
  std::vector<std::string> places;
  for_each_command(program, "", [&](const std::string& at, const CommandTree&) {
    if (!at.empty()) places.push_back(at);
  });
  return fmt::format("{}", fmt::join(places, separator));
}

// What a shell takes as it stands between single quotes, on one line.
std::string shell_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c == '\n' ? ' ' : c;
    }
  }
  return out + "'";
}

// fish knows \' between single quotes, and no other way to write one.
std::string fish_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + "'";
}

// The patterns of a case: "/layout/draw -o"|"/layout/draw -o="|"/layout/draw --output"|...
std::string value_patterns(const std::string& at, const OptionDescription& option) {
  std::vector<std::string> patterns;
  for (const std::string& name : option.names) {
    if (option.takes_next_word()) patterns.push_back(shell_quoted(at + " " + name));
    patterns.push_back(shell_quoted(at + " " + name + "="));
  }
  return fmt::format("{}", fmt::join(patterns, "|"));
}

bool has_words_or_files(const OptionDescription& option) {
  return option.takes_value() && !option.positional();
}

}  // namespace

std::string bash_completion(const CommandTree& program) {
  std::string values, offers;
  for_each_command(program, "", [&](const std::string& at, const CommandTree& command) {
    std::vector<std::string> words;
    for (const CommandTree& sub : command.subcommands) words.push_back(sub.name);
    for (const OptionDescription& option : command.options) {
      const std::vector<std::string>& known = option.positional() ? option.words : option.names;
      words.insert(words.end(), known.begin(), known.end());
      if (has_words_or_files(option)) {
        values += fmt::format("    {}) offered={} ;;\n", value_patterns(at, option),
                              shell_quoted(fmt::format("{}", fmt::join(option.words, " "))));
      }
    }
    offers += fmt::format("      {}) offered={} ;;\n", shell_quoted(at),
                          shell_quoted(fmt::format("{}", fmt::join(words, " "))));
  });
  return fmt::format(R"(# bash completion of {0}, written by `{0} completion bash`.
_{0}() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} at='' offered='' i
  COMPREPLY=()
  # --option=value is three words here.
  if [[ $cur == = ]]; then
    cur='' prev=$prev=
  elif [[ $prev == = ]]; then
    prev=${{COMP_WORDS[COMP_CWORD-2]}}=
  fi
  for ((i = 1; i < COMP_CWORD; ++i)); do
    [[ ${{COMP_WORDS[i]}} == -- ]] && return 0  # another program's words
    case $at/${{COMP_WORDS[i]}} in
      {1}) at=$at/${{COMP_WORDS[i]}} ;;
    esac
  done
  case "$at $prev" in
{2}    *)
      case $at in
{3}      esac
      ;;
  esac
  [[ -n $offered ]] && mapfile -t COMPREPLY < <(compgen -W "$offered" -- "$cur")
  return 0
}}
complete -o default -F _{0} {0}
)",
                     program.name, all_places(program, "|"), values, offers);
}

std::string zsh_completion(const CommandTree& program) {
  // "word:what it is": colons of the word itself want a backslash.
  const auto described = [](std::string word, const std::string& what) {
    for (std::size_t i = 0; (i = word.find(':', i)) != std::string::npos; i += 2)
      word.insert(i, "\\");
    return shell_quoted(word + ":" + what);
  };
  std::string values, offers;
  for_each_command(program, "", [&](const std::string& at, const CommandTree& command) {
    std::vector<std::string> words;
    for (const CommandTree& sub : command.subcommands)
      words.push_back(described(sub.name, sub.description));
    for (const OptionDescription& option : command.options) {
      for (const std::string& word : option.positional() ? option.words : option.names)
        words.push_back(described(word, option.description));
      if (!has_words_or_files(option)) continue;
      std::vector<std::string> known;
      for (const std::string& word : option.words) known.push_back(shell_quoted(word));
      values += fmt::format("    {}) {}; return ;;\n", value_patterns(at, option),
                            known.empty() ? std::string("_files")
                                          : fmt::format("compadd -- {}", fmt::join(known, " ")));
    }
    offers += fmt::format("    {}) offered=({}) ;;\n", shell_quoted(at), fmt::join(words, " "));
  });
  return fmt::format(R"(#compdef {0}
# zsh completion of {0}, written by `{0} completion zsh`.
_{0}() {{
  local at='' word before=${{words[CURRENT-1]}}
  local -a offered
  for word in "${{(@)words[2,CURRENT-1]}}"; do
    [[ $word == -- ]] && {{ _files; return }}  # another program's words
    case $at/$word in
      {1}) at=$at/$word ;;
    esac
  done
  [[ ${{words[CURRENT]}} == --*=* ]] && compset -P '*=' && before=$IPREFIX
  case "$at $before" in
{2}  esac
  case $at in
{3}  esac
  _describe {0} offered || _files
}}
_{0} "$@"
)",
                     program.name, all_places(program, "|"), values, offers);
}

std::string fish_completion(const CommandTree& program) {
  std::string lines;
  for_each_command(program, "", [&](const std::string& at, const CommandTree& command) {
    const std::string begin =
        fmt::format("complete -c {} -n {}", program.name,
                    fish_quoted(fmt::format("__{}_at {}", program.name, fish_quoted(at))));
    for (const CommandTree& sub : command.subcommands) {
      lines += fmt::format("{} -f -a {} -d {}\n", begin, sub.name, fish_quoted(sub.description));
    }
    for (const OptionDescription& option : command.options) {
      std::string line = begin;
      if (!option.positional()) {
        for (const std::string& name : option.names) {
          line += name.starts_with("--") ? fmt::format(" -l {}", name.substr(2))
                                         : fmt::format(" -s {}", name.substr(1));
        }
        if (option.takes_next_word()) line += option.words.empty() ? " -r" : " -x";
      } else if (option.words.empty()) {
        continue;
      } else {
        line += " -f";
      }
      if (!option.words.empty())
        line += fmt::format(" -a {}", fish_quoted(fmt::format("{}", fmt::join(option.words, " "))));
      lines += fmt::format("{} -d {}\n", line, fish_quoted(option.description));
    }
  });
  return fmt::format(R"(# fish completion of {0}, written by `{0} completion fish`.
function __{0}_at
    set -l words (commandline -opc)
    set -l at ''
    for word in $words[2..-1]
        switch "$at/$word"
            case {1}
                set at "$at/$word"
        end
    end
    test "$at" = "$argv[1]"
end
{2})",
                     program.name, all_places(program, " "), lines);
}

}  // namespace tensorlane::cli
