#include "tensorlane/draw/arrow_routes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "tensorlane/base/language.h"
#include "tensorlane/draw/drawing.h"

namespace tensorlane {
namespace {

constexpr double kArrowText = 10, kLabelHeight = 14;
constexpr double kLane = 6, kBracket = 7, kAbove = 17;

std::string_view arrow_color(Axis axis) {
  switch (axis) {
    case Axis::kW:
      return "#a85a00";
    case Axis::kH:
      return "#1d6f1d";
    case Axis::kC:
    case Axis::kO:
      return "#1f5fbf";
    default:
      return "#c62828";
  }
}

}  // namespace

ArrowRoutes::ArrowRoutes(const Picture& picture, const CellRows& rows)
    : picture_(picture), tensor_(*picture.tensor), rows_(rows) {
  sort_arrows();
}

// Short arrows next to the cells; labels below each other.
void ArrowRoutes::sort_arrows() {
  for (const StrideArrow& arrow : picture_.arrows) {
    if (arrow.from_cell == arrow.to_cell) continue;
    const char letter = axis_letter(arrow.axis);
    arrows_.push_back({fmt::format("{} {}", letter, arrow.stride),
                       fmt::format("{}:{}", letter, arrow.stride), arrow_color(arrow.axis),
                       arrow.npu, arrow.from_cell, arrow.to_cell,
                       rows_.row_of(arrow.from_cell) == 0 && rows_.row_of(arrow.to_cell) == 0});
  }
  if (tensor_.is_local() && tensor_.axes == Axes("RK")) add_rows();
  // Not with std::ranges, whose algorithms emscripten's library lacks.
  const auto length = [](const RoutedArrow& arrow) { return std::abs(arrow.to - arrow.from); };
  std::stable_sort(arrows_.begin(), arrows_.end(),
                   [&](const auto& a, const auto& b) { return length(a) < length(b); });
  std::map<std::int64_t, double> next_label;
  for (RoutedArrow& arrow : arrows_) {
    int& lanes = arrow.above ? above_[arrow.npu] : beside_[arrow.npu];
    arrow.lane = lanes++;
    most_above_ = std::max(most_above_, arrow.above ? lanes : 0);
  }
  std::vector<RoutedArrow*> by_middle;
  for (RoutedArrow& arrow : arrows_) {
    if (arrow.above) continue;
    arrow.label_y = (rows_.row_y(arrow.from) + rows_.row_y(arrow.to) + rows_.cell_height()) / 2;
    by_middle.push_back(&arrow);
  }
  std::stable_sort(by_middle.begin(), by_middle.end(),
                   [](const auto* a, const auto* b) { return a->label_y < b->label_y; });
  for (RoutedArrow* arrow : by_middle) {
    const auto [next, first] = next_label.try_emplace(arrow->npu, 0);
    if (!first) arrow->label_y = std::max(arrow->label_y, next->second);
    next->second = arrow->label_y + kLabelHeight + 2;
  }
}

// Where the first two rows of a matrix begin.
void ArrowRoutes::add_rows() {
  for (std::int64_t row = 0; row < std::min<std::int64_t>(2, tensor_.spec.shape[0]); ++row) {
    const std::int64_t index[] = {row, 0};
    const LocalAddress at = tensor_.layout.local_address(index);
    const std::int64_t cell = at.offset * tensor_.layout.unit_bits() / 8 / kCellBytes;
    arrows_.push_back({row == 0 ? tr("First Row") : tr("Second Row"), fmt::format("row:{}", row),
                       row == 0 ? "#1f5fbf" : "#c62828", at.npu, cell, cell, false});
  }
}

double ArrowRoutes::gutter(std::int64_t npu) const {
  const auto lanes = beside_.find(npu);
  if (lanes == beside_.end()) return 0;
  double width = 0;
  for (const RoutedArrow& arrow : arrows_) {
    if (arrow.npu == npu && !arrow.above)
      width = std::max(width, text_width(arrow.label, kArrowText, true) + 8);
  }
  return kBracket + kLane * lanes->second + width;
}

double ArrowRoutes::above() const {
  return kAbove * most_above_;
}

void ArrowRoutes::draw_arrow_label(SvgWriter& svg, const RoutedArrow& arrow, double x,
                                   double y) const {
  const double width = text_width(arrow.label, kArrowText, true);
  svg.box(x - 2, y - kLabelHeight / 2, width + 4, kLabelHeight,
          {.fill = "#ffffff", .data = arrow.label, .attribute = "data-label"});
  svg.text(x, y + 3.6, arrow.label, {.size = kArrowText, .color = arrow.color, .bold = true});
}

void ArrowRoutes::draw(SvgWriter& svg, const NpuPlaces& places) const {
  for (const RoutedArrow& arrow : arrows_) {
    const NpuPlace& place = places.at(arrow.npu);
    const double to_x = place.x + rows_.column_x(arrow.to), to_y = place.y + rows_.row_y(arrow.to);
    const double from_x = place.x + rows_.column_x(arrow.from),
                 from_y = place.y + rows_.row_y(arrow.from);
    if (arrow.above) {
      const double y = place.y - kAbove * (arrow.lane + 0.55);
      const double begin = from_x + 5 + 6 * arrow.lane, end = to_x + rows_.cell_width() / 2;
      svg.route({{begin, from_y}, {begin, y}, {end, y}, {end, to_y}}, arrow.color, arrow.data);
      const double width = text_width(arrow.label, kArrowText, true);
      draw_arrow_label(svg, arrow, std::max(begin + 4, std::min((begin + end - width) / 2, end)),
                       y);
      continue;
    }
    // A label stands left of all lanes, in the colour of its arrow.
    const int lanes = beside_.at(arrow.npu);
    const double lane = place.x - kBracket - kLane * arrow.lane;
    const double label_end = place.x - kBracket - kLane * lanes - 2;
    const double label_y = place.y + arrow.label_y;
    const double width = text_width(arrow.label, kArrowText, true);
    if (arrow.from == arrow.to) {  // the beginning of a row
      svg.route({{label_end, label_y}, {place.x, label_y}}, arrow.color, arrow.data);
      draw_arrow_label(svg, arrow, label_end - width - 2, label_y);
      continue;
    }
    const double leave = from_y + (arrow.from % rows_.per_row() == 0 ? 4 + 4.0 * arrow.lane : 0);
    const double middle = to_y + rows_.cell_height() / 2;
    if (arrow.to % rows_.per_row() == 0) {
      svg.route({{from_x, leave}, {lane, leave}, {lane, middle}, {to_x, middle}}, arrow.color,
                arrow.data);
    } else {  // along the upper edge of the row, down to the cell
      const double corner = to_x + 4;
      svg.route({{from_x, leave}, {lane, leave}, {lane, to_y}, {corner, to_y}, {corner, to_y + 5}},
                arrow.color, arrow.data);
    }
    const double reached = std::clamp(label_y, std::min(leave, to_y), std::max(leave, middle));
    svg.line(label_end, label_y, lane, reached, arrow.color, 0.8);
    draw_arrow_label(svg, arrow, label_end - width - 2, label_y);
  }
}

}  // namespace tensorlane
