#include "tensorlane/draw/cell_rows.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tensorlane/draw/drawing.h"

namespace tensorlane {
namespace {

constexpr double kCellHeight = 20, kWidestCell = 48;
// The room that is kept for arrows.
constexpr double kMostGutter = 80;

}  // namespace

CellRows::CellRows(const Picture& picture, const CellLabels& labels)
    : picture_(picture), bits_(dtype_bits(picture.tensor->spec.dtype)) {
  cell_height_ = bits_ < 32 ? kSharedHeight + kPartHeight : kCellHeight;
  measure_cells(labels);
  choose_row();
}

// As wide as the labels of elements need.
void CellRows::measure_cells(const CellLabels& labels) {
  double width = 32;
  for (const Cell& cell : picture_.cells) {
    const std::vector<int> varying = labels.axes_of(cell);
    width = std::max(width, text_width(labels.shared(cell, varying), kCellText) + 5);
    if (bits_ == 32) continue;
    for (const Sharers place : places_of(cell)) {
      const std::string label = labels.own(place, varying);
      width = std::max(width, (text_width(label, kCellText) + 3) * 32 / bits_);
    }
  }
  cell_width_ = std::ceil(width);
}

double CellRows::left() const {
  const std::int64_t last = (picture_.first_cell + picture_.cell_count) * kCellBytes;
  return kMargin + text_width(std::to_string(last), kNumberText) + 8;
}

// Cells in a row: as the documents have them where the page is wide enough for four NPUs.
void CellRows::choose_row() {
  const auto columns = static_cast<double>(std::min<std::size_t>(picture_.npus.size(), 4));
  const double room = kPageWidth - kMargin - left() - kMostGutter;
  while (per_row_ > 1 && columns * (width() + kNpuGap) - kNpuGap > room) per_row_ /= 2;
  const double widest = ((room + kNpuGap) / columns - kNpuGap) / static_cast<double>(per_row_);
  cell_width_ = std::max(cell_width_, std::min(kWidestCell, std::floor(widest)));
  first_row_ = picture_.first_cell / per_row_;
  rows_ = ceil_div(picture_.first_cell + picture_.cell_count, per_row_) - first_row_;
}

}  // namespace tensorlane
