// The logical tensor: planes of two axes, each element with its place in memory.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "tensorlane/base/language.h"
#include "tensorlane/draw/drawing.h"
#include "tensorlane/layout/element_place.h"

namespace tensorlane {
namespace {

constexpr std::int64_t kMostElements = 640;
constexpr double kGridRow = 16, kGridText = 9.5, kPlaneGap = 18, kRowNames = 22;
constexpr double kTitles = 32;   // of a plane: its name and the numbers of its columns
constexpr double kCaption = 26;  // above all planes

}  // namespace

LogicalGrid::LogicalGrid(const NamedLayout& tensor)
    : tensor_(tensor), column_axis_(tensor.layout.rank() - 1) {
  const Layout& layout = tensor.layout;
  if (!tensor.holds_elements || layout.size() > kMostElements) return;
  // The two innermost axes along which there is something to see.
  const auto next_axis = [&](int from) {
    int axis = from;
    while (axis > 0 && layout.extent(axis) == 1) --axis;
    return axis;
  };
  column_axis_ = next_axis(layout.rank() - 1);
  if (column_axis_ > 0) row_axis_ = next_axis(column_axis_ - 1);
  // Long ones lie, so that they can be cut where the page ends.
  if (row_axis_ >= 0 && layout.extent(row_axis_) > 4 * layout.extent(column_axis_))
    std::swap(row_axis_, column_axis_);
  for_each_element(tensor, [&](const Layout::Index& index, const auto&) {
    cell_width_ = std::max(cell_width_, text_width(place_text(index), kGridText) + 6);
  });
  place_planes();
}

std::string LogicalGrid::place_text(const Layout::Index& index) const {
  const std::array<std::int64_t, 4> place = place_of(tensor_, index);
  if (tensor_.is_image()) return fmt::format("{},{}:{}", place[0], place[1], "RGBA"[place[2]]);
  const std::size_t offset = tensor_.is_local() ? 1 : 0;
  std::string text = std::to_string(place[offset]);
  if (dtype_bits(tensor_.spec.dtype) == 4) text += place[offset + 1] == 0 ? "l" : "h";
  return tensor_.is_local() ? fmt::format("{}:{}", place[0], text) : text;
}

void LogicalGrid::place_planes() {
  const Layout& layout = tensor_.layout;
  const std::int64_t rows = row_axis_ < 0 ? 1 : layout.extent(row_axis_);
  const std::int64_t columns = layout.extent(column_axis_);
  const auto most = std::max<std::int64_t>(
      1, static_cast<std::int64_t>((kPageWidth - 2 * kMargin - kRowNames) / cell_width_));
  double x = kMargin, y = kCaption;
  const double height = kTitles + static_cast<double>(rows) * kGridRow;
  Layout::Index index{};
  for (bool more = true; more;) {
    for (std::int64_t begin = 0; begin < columns; begin += most) {
      Plane plane{index, std::min(most, columns - begin), 0, 0, {}};
      plane.first[static_cast<std::size_t>(column_axis_)] = begin;
      for (int d = 0; d < layout.rank(); ++d) {
        if (d == row_axis_ || d == column_axis_) continue;
        plane.title += fmt::format("{}{} {}", plane.title.empty() ? "" : ", ",
                                   axis_name(tensor_.axes[d]), index[static_cast<std::size_t>(d)]);
      }
      const double width = std::max(kRowNames + static_cast<double>(plane.columns) * cell_width_,
                                    text_width(plane.title, kLabelSize));
      if (x > kMargin && x + width > kPageWidth - kMargin) {
        x = kMargin;
        y += height + kPlaneGap / 2;
      }
      plane.x = x;
      plane.y = y;
      x += width + kPlaneGap;
      planes_.push_back(std::move(plane));
    }
    more = false;
    for (int d = layout.rank() - 1; d >= 0 && !more; --d) {
      if (d == row_axis_ || d == column_axis_) continue;
      std::int64_t& at = index[static_cast<std::size_t>(d)];
      more = ++at < layout.extent(d);
      if (!more) at = 0;
    }
  }
  height_ = y + height + kPlaneGap;
}

void LogicalGrid::draw(SvgWriter& svg, double top) const {
  if (height_ == 0) return;
  const std::string_view what =
      tensor_.is_image()   ? translated(msg("The tensor; in each element its place: x,y:lane"))
      : tensor_.is_local() ? translated(msg("The tensor; in each element its place: NPU:byte"))
                           : translated(msg("The tensor; in each element its place: byte"));
  svg.text(kMargin, top + 14, what, {.size = 12.5, .bold = true});
  const auto number = [&](double x, double y, std::int64_t value) {
    svg.text(x, y, std::to_string(value),
             {.size = kGridText, .color = kQuiet, .anchor = TextAnchor::kMiddle});
  };
  const std::int64_t rows = row_axis_ < 0 ? 1 : tensor_.layout.extent(row_axis_);
  for (const Plane& plane : planes_) {
    const double y0 = top + plane.y + kTitles, x0 = plane.x + kRowNames;
    svg.text(plane.x, y0 - 18, plane.title, {.size = kLabelSize});
    const std::string corner =
        row_axis_ < 0 ? axis_name(tensor_.axes[column_axis_])
                      : fmt::format("{}\\{}", axis_name(tensor_.axes[row_axis_]).front(),
                                    axis_name(tensor_.axes[column_axis_]).front());
    svg.text(plane.x, y0 - 5, corner, {.size = kGridText, .color = kQuiet});
    Layout::Index index = plane.first;
    const auto column_axis = static_cast<std::size_t>(column_axis_);
    for (std::int64_t column = 0; column < plane.columns; ++column)
      number(x0 + (static_cast<double>(column) + 0.5) * cell_width_, y0 - 5,
             plane.first[column_axis] + column);
    for (std::int64_t row = 0; row < rows; ++row) {
      const double y = y0 + static_cast<double>(row) * kGridRow;
      if (row_axis_ >= 0) {
        index[static_cast<std::size_t>(row_axis_)] = row;
        number(plane.x + kRowNames / 2, y + 12, row);
      }
      for (std::int64_t column = 0; column < plane.columns; ++column) {
        index[column_axis] = plane.first[column_axis] + column;
        const double x = x0 + static_cast<double>(column) * cell_width_;
        svg.box(x, y, cell_width_, kGridRow,
                {.fill = hex(element_color(tensor_, index)),
                 .stroke = "#ffffff",
                 .title = fmt::format("{} = {}", axes_text(tensor_), index_text(tensor_, index)),
                 .data = index_text(tensor_, index),
                 .attribute = "data-element"});
        svg.text(x + cell_width_ / 2, y + 11.5, place_text(index),
                 {.size = kGridText, .anchor = TextAnchor::kMiddle});
      }
    }
  }
}

}  // namespace tensorlane
