// What people say when they look for a device function, and the functions that they mean: data
// alone, which ops_search.h reads. A word that newcomers use and that finds nothing, or the wrong
// thing, is mended here; tests/command_line/searches.txt has a row for it.
#ifndef TENSORLANE_TOOLS_OPS_WORDS_H_
#define TENSORLANE_TOOLS_OPS_WORDS_H_

#include <span>
#include <string_view>

namespace tensorlane::cli {

// Words and the functions that they mean: each text of `functions` stands at the begin of a part of
// their names ("exp" finds okk_bdc_exp and tpu_bdc_fp_exp, not tpu_bdc_fp_frexp), with an
// underscore behind it the whole part.
struct Meaning {
  std::string_view words;        // separated by spaces, lower case; a-b is "a b" in a question
  std::string_view functions;    // likewise
  std::string_view advice = {};  // what is said beyond functions: how it is composed, its recipe
};
std::span<const Meaning> word_meanings();

// Words that mean nothing: "how do i".
std::string_view filler_words();
// Words that narrow what others ask for and are left out where nothing is that narrow: types of
// elements, orders, axes.
std::string_view narrowing_words();

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_OPS_WORDS_H_
