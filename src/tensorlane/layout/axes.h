// The axes of a tensor, by the letters that documents give them.
//
//   constexpr Axes kAxes("NHWC");
//   kAxes.find(Axis::kC)                         // 3
//   Axes("HWOI").places_in(Axes("OIHW"))         // {2, 3, 0, 1}
//
// An axis says what a dimension is, so that code asks for "the channels" and not for a position or
// a text: NCHW and NHWC hold the same axes in another order.
#ifndef TENSORLANE_LAYOUT_AXES_H_
#define TENSORLANE_LAYOUT_AXES_H_

#include <array>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace tensorlane {

// The value is the letter.
enum class Axis : char {
  kN = 'N',       // batch
  kC = 'C',       // channel
  kH = 'H',       // height
  kW = 'W',       // width
  kO = 'O',       // of filters: output channel
  kI = 'I',       // of filters: input channel
  kM = 'M',       // of depthwise filters: outputs per input channel
  kRow = 'R',     // of matrices
  kColumn = 'K',  // of matrices and vectors
};

constexpr char axis_letter(Axis axis) {
  return static_cast<char>(axis);
}
// As a heading spells it: "n", "c", ..., "row", "col".
std::string axis_name(Axis axis);

// Up to eight axes, outermost first.
class Axes {
 public:
  constexpr Axes() = default;
  // The letters of some axes; anything else is not checked here, see parse_axes().
  constexpr explicit Axes(std::string_view letters) : size_(static_cast<int>(letters.size())) {
    for (std::size_t i = 0; i < letters.size(); ++i) axes_.at(i) = static_cast<Axis>(letters[i]);
  }

  constexpr int size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr Axis operator[](int place) const { return axes_[static_cast<std::size_t>(place)]; }
  constexpr const Axis* begin() const { return axes_.data(); }
  constexpr const Axis* end() const { return axes_.data() + size_; }

  // The place of an axis, -1 when it is not there.
  constexpr int find(Axis axis) const { return find_first_of({axis}); }
  // The place of the outermost axis that is one of these, -1 when there is none.
  constexpr int find_first_of(std::initializer_list<Axis> wanted) const {
    for (int place = 0; place < size_; ++place) {
      for (const Axis axis : wanted) {
        if ((*this)[place] == axis) return place;
      }
    }
    return -1;
  }
  constexpr bool has(Axis axis) const { return find(axis) >= 0; }

  // True when both hold the same axes, in whatever order.
  bool permutes(const Axes& other) const;
  // Of each axis its place in `other`; both hold the same axes.
  std::vector<int> places_in(const Axes& other) const;
  // "NCHW"
  std::string text() const;

  friend constexpr bool operator==(const Axes&, const Axes&) = default;

 private:
  std::array<Axis, 8> axes_{};
  int size_ = 0;
};

// Axes as a user writes them, in either case. Throws UserError for a letter that is no axis, for
// one that stands twice, and for none or more than four.
Axes parse_axes(std::string_view text);

}  // namespace tensorlane

#endif  // TENSORLANE_LAYOUT_AXES_H_
