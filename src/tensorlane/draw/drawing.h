// What all drawings of tensors share: the heading, the size of texts, the page.
#ifndef TENSORLANE_DRAW_DRAWING_H_
#define TENSORLANE_DRAW_DRAWING_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tensorlane/draw/picture.h"
#include "tensorlane/draw/svg.h"

namespace tensorlane {

inline constexpr double kMargin = 16;
inline constexpr double kLabelSize = 11;
inline constexpr std::string_view kQuiet = "#5a5a5a";  // of texts beside a drawing
inline constexpr std::string_view kGroupColor = "#222222", kWordColor = "#777777",
                                  kUnitColor = "#7a3ea8", kBankColor = "#c62828";

// Width of a text in the size of its font, as DejaVu Sans has it; other fonts are narrower.
double text_width(std::string_view text, double size, bool bold = false);
// The largest size up to `most` in which the text fits.
double fitting_size(std::string_view text, double room, double most);

// "n,c,h,w"
std::string axes_text(const NamedLayout& tensor);
// What the tensor is, its formula and its strides, no wider than a page.
class Heading {
 public:
  explicit Heading(const NamedLayout& tensor);
  std::string title() const { return lines_.front(); }
  double height() const;
  void draw(SvgWriter& svg) const;

 private:
  std::vector<std::string> lines_;
};

// Entries side by side in lines as wide as a page: a sample of 20 pixels and what it means.
class Legend {
 public:
  enum class Sample { kNone, kHatched, kGroup, kWord, kUnit, kBank, kArrow };
  void add(Sample sample, std::string text);
  double height() const;
  void draw(SvgWriter& svg, double top) const;

 private:
  struct Entry {
    Sample sample;
    std::string text;
    double x;
    int line;
  };
  std::vector<Entry> entries_;
  double x_ = kMargin;
  int line_ = 0;
};

// The tensor as its axes have it: each element with the place where it lies.
class LogicalGrid {
 public:
  explicit LogicalGrid(const NamedLayout& tensor);
  double height() const { return height_; }  // 0: too many elements
  void draw(SvgWriter& svg, double top) const;

 private:
  // The elements of two axes, or of some columns of them.
  struct Plane {
    Layout::Index first;
    std::int64_t columns;
    double x, y;
    std::string title;
  };
  void place_planes();
  std::string place_text(const Layout::Index& index) const;

  const NamedLayout& tensor_;
  int row_axis_ = -1, column_axis_;
  double cell_width_ = 0, height_ = 0;
  std::vector<Plane> planes_;
};

std::string draw_memory(const Picture& picture, std::int64_t bank_bytes);
std::string draw_image(const Picture& picture);
// How full each part of each memory is: white to blue.
std::string draw_occupancy(const NamedLayout& tensor, std::int64_t bank_bytes);

}  // namespace tensorlane

#endif  // TENSORLANE_DRAW_DRAWING_H_
