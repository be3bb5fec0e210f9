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

// The texts of limits with a tag that says what becomes of a call that breaks one; see Breach.
inline Texts with_tag(const Texts& limits, std::string_view tag) {
  Texts tagged;
  for (const std::string_view limit : limits)
    tagged.push_back(keep(std::string(limit) + " [" + std::string(tag) + "]"));
  return tagged;
}
inline Texts on_request(const Texts& limits) {
  return with_tag(limits, "doc; on request");
}
inline Texts computed(const Texts& limits) {
  return with_tag(limits, "doc; computed");
}
inline Texts not_enforced(const Texts& limits) {
  return with_tag(limits, "doc; not enforced");
}
inline Texts refused_by_model_of_2024(const Texts& limits) {
  return with_tag(limits, "observed; model of 2024");
}

}  // namespace tensorlane

#endif  // TENSORLANE_OPS_TEXTS_H_
