// Lists of texts for the entries of the ops list: limits, preferences and shapes.
#ifndef TENSORLANE_OPS_TEXTS_H_
#define TENSORLANE_OPS_TEXTS_H_

#include <deque>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tensorlane {

using Texts = std::vector<std::string_view>;

// A text that is put together: lives as long as the program, as the ops list does.
inline std::string_view keep(std::string text) {
  static auto& texts = *new std::deque<std::string>;
  return texts.emplace_back(std::move(text));
}

// The texts of all parts, in order.
inline Texts join(std::initializer_list<Texts> parts) {
  Texts all;
  for (const Texts& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace tensorlane

#endif  // TENSORLANE_OPS_TEXTS_H_
