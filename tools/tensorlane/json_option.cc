#include "json_option.h"

#include "output_file.h"
#include "tensorlane/base/error.h"

namespace tensorlane::cli {

Option* JsonOption::add_to(App& command, const std::string& description) {
  return command.add_option(kJsonOption, file_, description)->type_name("[=FILE]")->expected(0, 1);
}

bool JsonOption::replaces_text() const {
  return file_ == kStandardOutput;
}

void JsonOption::check() const {
  check_output(file_);
}

void JsonOption::write(const Json& document) const {
  if (wanted()) write_text(document.dump(1) + "\n");
}

void JsonOption::write_text(const std::string& json) const {
  write_output(file_, json);
}

void complete_json_options(std::vector<std::string>& words) {
  for (std::size_t at = 0; at < words.size() && words[at] != "--"; ++at) {
    if (words[at] != kJsonOption) continue;
    if (at + 1 < words.size()) refuse_json_apart(words[at + 1]);
    words[at] = std::string(kJsonOption) + "=" + std::string(kStandardOutput);
  }
}

void refuse_json_apart(const std::string& word, bool surely) {
  if (surely || word == kStandardOutput || word.ends_with(".json"))
    user_error("--json {0}: the file belongs to the option: --json={0}", word);
}

}  // namespace tensorlane::cli
