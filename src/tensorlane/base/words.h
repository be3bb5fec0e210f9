// Lists of words in one text, as tables have them.
#ifndef TENSORLANE_BASE_WORDS_H_
#define TENSORLANE_BASE_WORDS_H_

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace tensorlane {

// Calls visit(word) for what stands between the blanks of `text`, from the first on.
template <class Visit>
void for_each_word(std::string_view text, const Visit& visit) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) visit(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace tensorlane

#endif  // TENSORLANE_BASE_WORDS_H_
