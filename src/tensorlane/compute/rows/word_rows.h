// Rows of packed tensors, word by word: elements of 8 bits stand in words of four, those of 16 in
// words of two, images side by side. What reads one of them and writes the other finds all elements
// of a word at once here, where rows of elements would pass over the words of four twice.
//
// Operand 0 has 8 bits and decides: a row is one of its words after the other, and so are words of
// every other operand, which hold the same images or some of them.
#ifndef TENSORLANE_COMPUTE_ROWS_WORD_ROWS_H_
#define TENSORLANE_COMPUTE_ROWS_WORD_ROWS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "tensorlane/layout/fold.h"
#include "tensorlane/ops/command.h"

namespace tensorlane {

// `count` words, of which bytes from `first` on are of `images` images: all four, two or one.
struct WordRow {
  std::int64_t count = 0;
  int first = 0;
  int images = 1;
  // Of each operand the word in which the first of the images stands, and how far those of the next
  // ones are: 0, where they stand in the same word.
  std::array<std::byte*, kMaxFoldOperands> at{};
  std::array<std::array<std::int64_t, 4>, kMaxFoldOperands> next{};
  // Rows like this one, and the bytes from each to the next.
  std::int64_t rows = 1;
  std::array<std::int64_t, kMaxFoldOperands> step{};
};
using WordFunction = std::function<void(const WordRow&)>;

// Calls what `make` gives for all rows of a command, on several threads where the work is worth it:
// no word is in two rows that run at once. False, and nothing is done, where some operand lies
// otherwise. For a call that comes again both the rows and the function are kept.
bool run_word_rows(const Invocation& invocation, std::span<const std::string_view> names,
                   const std::function<WordFunction()>& make);
// The same of a call whose rows are kept; false where they are not.
bool run_known_word_rows(const Invocation& invocation);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_ROWS_WORD_ROWS_H_
