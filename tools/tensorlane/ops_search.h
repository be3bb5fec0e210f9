// Device functions by what people call them: "sum", "broadcast", "softmax", "卷积".
//
// A function answers to a word that is part of its name or group, to one that means it (the table
// of ops_words.cc, English and Chinese), and to one that its description has. Some words mean no
// function but a way to combine several; the table says which, and where an example does it.
//
// Words are taken as people type them: "matrix multiply" is one of the table, "the", "of" and their
// like mean nothing, and where no function answers to all words those do that answer to most.
#ifndef TENSORLANE_TOOLS_OPS_SEARCH_H_
#define TENSORLANE_TOOLS_OPS_SEARCH_H_

#include <string>
#include <string_view>
#include <vector>

#include "ops_words.h"
#include "tensorlane/ops/op.h"

namespace tensorlane::cli {

// How words find a function; the earlier, the better.
enum class FoundBy : std::uint8_t { kName, kMeaning, kDescription };

struct Found {
  const Op* op;
  FoundBy by;
};

// What a question asks for: its words one by one, in lower case, those that belong together as one
// of the table ("matrix", "multiply": "matrix-multiply"), without those that mean nothing.
std::vector<std::string> terms_of(std::span<const std::string> words);

// The functions of the list that every one of `words` finds, in the order of the list; by the worst
// of the ways in which the words find them.
std::vector<Found> search_ops(std::span<const Op* const> ops, std::span<const std::string> words);

// Those that most of the words find, where none is found by all: by the worst way of those words.
std::vector<Found> search_ops_for_most(std::span<const Op* const> ops,
                                       std::span<const std::string> words);
// Whether the table or some function knows the word.
bool finds_something(std::span<const Op* const> ops, const std::string& word);

// Chinese, which does not part its words, taken apart where the whole is unknown: the longest words
// of the table from the left, "全局平均池化" as "平均", "池化". The word itself where it has none.
std::vector<std::string> known_pieces(std::string_view word);

// The word of the table that a misspelt one stands for; empty where none is near.
std::string near_word(std::string_view word);
// The words without those that only narrow what others ask for (ops_words.h).
std::vector<std::string> without_narrowing(std::span<const std::string> words);

// What the table says of the words beyond functions; empty for most.
std::vector<std::string_view> advice_on(std::span<const std::string> words);

// Every word of the table, for messages that suggest one.
std::vector<std::string_view> searchable_words();

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_OPS_SEARCH_H_
