#include "ops_search.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "ops_words.h"
#include "tensorlane/base/names.h"
#include "tensorlane/base/words.h"
namespace tensorlane::cli {
namespace {

std::string lower(std::string_view text) {
  std::string out;
  for (const char c : text) out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

bool has_word(std::string_view list, std::string_view wanted) {
  bool found = false;
  for_each_word(list, [&](std::string_view word) { found = found || word == wanted; });
  return found;
}

bool is_meant(const Op& op, const Meaning& meaning) {
  const std::string name = lower(op.name()) + "_";
  bool found = false;
  for_each_word(meaning.functions, [&](std::string_view part) {
    found = found || name.find("_" + lower(part)) != std::string::npos;
  });
  return found;
}

// English matches whole words, Chinese, which does not part them, any piece.
bool says(const Op& op, const std::string& word) {
  if (op.doc(Language::kChinese).find(word) != std::string::npos &&
      static_cast<unsigned char>(word[0]) >= 0x80)
    return true;
  const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  const std::string text = lower(op.doc(Language::kEnglish));
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_letter(text[at - 1]) || !is_letter(word.front());
    const bool ends = end == text.size() || !is_letter(text[end]) || !is_letter(word.back());
    if (begins && ends) return true;
  }
  return false;
}

std::optional<FoundBy> found_by(const Op& op, const std::string& word) {
  if (lower(op.name()).find(word) != std::string::npos ||
      op.spec().group.find(word) != std::string_view::npos)
    return FoundBy::kName;
  for (const Meaning& meaning : word_meanings()) {
    if (has_word(meaning.words, word) && is_meant(op, meaning)) return FoundBy::kMeaning;
  }
  if (!word.empty() && says(op, word)) return FoundBy::kDescription;
  return std::nullopt;
}

}  // namespace

std::vector<std::string> terms_of(std::span<const std::string> words) {
  std::vector<std::string> parts;
  for (const std::string& word : words)
    for_each_word(word, [&](std::string_view part) { parts.push_back(lower(part)); });
  const auto known = [](const std::string& phrase) {
    return std::ranges::any_of(
        word_meanings(), [&](const Meaning& meaning) { return has_word(meaning.words, phrase); });
  };
  std::vector<std::string> terms;
  for (std::size_t at = 0; at < parts.size();) {
    // The longest of up to four words that belong together.
    std::size_t taken = 1;
    std::string term = parts[at];
    for (std::size_t count = std::min<std::size_t>(4, parts.size() - at); count > 1; --count) {
      std::string phrase = parts[at];
      for (std::size_t k = 1; k < count; ++k) phrase += "-" + parts[at + k];
      if (!known(phrase)) continue;
      term = phrase;
      taken = count;
      break;
    }
    at += taken;
    if (taken > 1 || !has_word(filler_words(), term)) terms.push_back(term);
  }
  return terms.empty() ? parts : terms;
}

std::vector<Found> search_ops_for_most(std::span<const Op* const> ops,
                                       std::span<const std::string> words) {
  std::vector<Found> found;
  std::size_t most = 1;
  for (const Op* op : ops) {
    std::size_t count = 0;
    FoundBy worst = FoundBy::kName;
    for (const std::string& word : words) {
      const std::optional<FoundBy> by = found_by(*op, lower(word));
      if (!by) continue;
      ++count;
      worst = std::max(worst, *by);
    }
    if (count > most) found.clear();
    most = std::max(most, count);
    if (count == most) found.push_back({op, worst});
  }
  return found;
}

bool finds_something(std::span<const Op* const> ops, const std::string& word) {
  return std::ranges::any_of(ops,
                             [&](const Op* op) { return found_by(*op, lower(word)).has_value(); });
}

std::vector<std::string> known_pieces(std::string_view word) {
  const std::vector<std::string_view> table = searchable_words();
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80; };
  std::vector<std::string> pieces;
  for (std::string_view rest = word; !rest.empty();) {
    std::string_view longest;
    for (const std::string_view known : table) {
      if (!is_ascii(known[0]) && rest.starts_with(known) && known.size() > longest.size())
        longest = known;
    }
    std::size_t taken = std::max<std::size_t>(1, longest.size());
    while (longest.empty() && taken < rest.size() && continues(rest[taken])) ++taken;
    if (!longest.empty()) pieces.emplace_back(longest);
    rest.remove_prefix(taken);
  }
  return pieces.empty() ? std::vector<std::string>{std::string(word)} : pieces;
}

std::string near_word(std::string_view word) {
  if (word.size() < 5) return {};
  // A letter of a short word, two of a long one; two that changed places count as two.
  int best = word.size() < 6 ? 1 : 2;
  std::string_view nearest;
  for (const std::string_view known : searchable_words()) {
    const bool is_text = static_cast<unsigned char>(known[0]) < 0x80 && known.size() >= 4;
    const int distance = is_text ? edit_distance(word, known) : best + 1;
    if (distance < best || (distance == best && nearest.empty())) {
      best = distance;
      nearest = known;
    }
  }
  return std::string(nearest);
}

std::vector<std::string> without_narrowing(std::span<const std::string> words) {
  std::vector<std::string> others;
  for (const std::string& word : words) {
    if (!has_word(narrowing_words(), lower(word))) others.push_back(word);
  }
  return others;
}

std::vector<Found> search_ops(std::span<const Op* const> ops, std::span<const std::string> words) {
  std::vector<Found> found;
  for (const Op* op : ops) {
    std::optional<FoundBy> worst = FoundBy::kName;
    for (const std::string& word : words) {
      const std::optional<FoundBy> by = found_by(*op, lower(word));
      worst = by && worst ? std::optional(std::max(*by, *worst)) : std::nullopt;
    }
    if (worst) found.push_back({op, *worst});
  }
  return found;
}

std::vector<std::string_view> advice_on(std::span<const std::string> words) {
  std::vector<std::string_view> advice;
  for (const Meaning& meaning : word_meanings()) {
    const bool asked = std::ranges::any_of(
        words, [&](const std::string& word) { return has_word(meaning.words, lower(word)); });
    if (asked && !meaning.advice.empty()) advice.push_back(meaning.advice);
  }
  return advice;
}

std::vector<std::string_view> searchable_words() {
  std::vector<std::string_view> words;
  for (const Meaning& meaning : word_meanings())
    for_each_word(meaning.words, [&](std::string_view word) { words.push_back(word); });
  return words;
}

}  // namespace tensorlane::cli
