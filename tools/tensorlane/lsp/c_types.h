// Types of C, as far as values depend on them.
#ifndef TENSORLANE_TOOLS_LSP_C_TYPES_H_
#define TENSORLANE_TOOLS_LSP_C_TYPES_H_

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string_view>

namespace tensorlane::lsp {

// Types that hold what is put into them: of narrow ones nobody knows here what they keep of it.
inline bool holds_values(std::string_view word) {
  constexpr std::string_view kTypes[] = {"int",   "unsigned", "long", "u32",    "u64",
                                         "float", "dim4",     "dim2", "Padding"};
  return std::ranges::count(kTypes, word) != 0 ||
         (word.ends_with("_t") && word.find("int8") == std::string_view::npos &&
          word.find("int16") == std::string_view::npos);
}

inline bool names_type(std::string_view word) {
  constexpr std::string_view kTypes[] = {"const", "char", "short", "signed", "double"};
  return std::ranges::count(kTypes, word) != 0 || holds_values(word) || word.ends_with("_t");
}

constexpr bool is_int(std::int64_t value) {
  return value >= std::numeric_limits<int>::min() && value <= std::numeric_limits<int>::max();
}

}  // namespace tensorlane::lsp

#endif  // TENSORLANE_TOOLS_LSP_C_TYPES_H_
