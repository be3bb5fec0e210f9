#include "tensorlane/layout/axes.h"

#include <algorithm>
#include <cctype>

#include "tensorlane/base/error.h"

namespace tensorlane {
namespace {

constexpr std::string_view kLetters = "NCHWOIMRK";

std::array<Axis, 8> sorted(const Axes& axes) {
  std::array<Axis, 8> result{};
  std::copy(axes.begin(), axes.end(), result.begin());
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace

std::string axis_name(Axis axis) {
  if (axis == Axis::kRow) return "row";
  if (axis == Axis::kColumn) return "col";
  return {static_cast<char>(std::tolower(static_cast<unsigned char>(axis_letter(axis))))};
}

bool Axes::permutes(const Axes& other) const {
  return sorted(*this) == sorted(other);
}

std::vector<int> Axes::places_in(const Axes& other) const {
  TL_INTERNAL_CHECK(permutes(other));
  std::vector<int> places;
  for (const Axis axis : *this) places.push_back(other.find(axis));
  return places;
}

std::string Axes::text() const {
  std::string text;
  for (const Axis axis : *this) text += axis_letter(axis);
  return text;
}

Axes parse_axes(std::string_view text) {
  std::string letters;
  for (const char c : text) {
    const char letter = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    if (kLetters.find(letter) == std::string_view::npos) {
      user_error("axes '{}': '{}' is no axis; known are N, C, H, W, O, I, M, R, K", text, c);
    }
    if (letters.find(letter) != std::string::npos) {
      user_error("axes '{}': {} stands twice", text, letter);
    }
    letters += letter;
  }
  if (letters.empty() || letters.size() > 4) {
    user_error("axes '{}': allowed are one to four letters", text);
  }
  return Axes(letters);
}

}  // namespace tensorlane
