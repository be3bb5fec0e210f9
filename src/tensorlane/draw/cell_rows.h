// How cells of memory stand on a page: how large they are, how many are in a row, and where in its
// NPU each is.
#ifndef TENSORLANE_DRAW_CELL_ROWS_H_
#define TENSORLANE_DRAW_CELL_ROWS_H_

#include <cstdint>
#include <map>

#include "tensorlane/draw/cell_labels.h"
#include "tensorlane/draw/picture.h"

namespace tensorlane {

// A cell of smaller elements: what they share, above what they do not.
inline constexpr double kSharedHeight = 13, kPartHeight = 16;
// Sizes of texts: in cells, and of the numbers of bytes left of rows.
inline constexpr double kCellText = 9.5, kNumberText = 9.5;
inline constexpr double kNpuGap = 14;

// Where the first cell of an NPU is; NPUs of one band stand side by side.
struct NpuPlace {
  double x, y;
  int band;
};
using NpuPlaces = std::map<std::int64_t, NpuPlace>;

// Rows begin at multiples of their length, the first with the cell that the tensor begins in.
class CellRows {
 public:
  // `picture` has to outlive it.
  CellRows(const Picture& picture, const CellLabels& labels);

  double cell_width() const { return cell_width_; }
  double cell_height() const { return cell_height_; }
  std::int64_t per_row() const { return per_row_; }  // cells
  std::int64_t first() const { return first_row_; }  // how many rows lie before the first
  std::int64_t count() const { return rows_; }

  double width() const { return static_cast<double>(per_row_) * cell_width_; }  // of a row
  double height() const { return static_cast<double>(rows_) * cell_height_; }   // of all
  // Of the page, for the numbers of bytes.
  double left() const;

  // From the first cell of an NPU.
  std::int64_t row_of(std::int64_t cell) const { return cell / per_row_ - first_row_; }
  double row_y(std::int64_t cell) const { return static_cast<double>(row_of(cell)) * cell_height_; }
  double column_x(std::int64_t cell) const {
    return static_cast<double>(cell % per_row_) * cell_width_;
  }

 private:
  void measure_cells(const CellLabels& labels);
  void choose_row();

  const Picture& picture_;
  const int bits_;
  std::int64_t per_row_ = kCellsPerRow, first_row_ = 0, rows_ = 0;
  double cell_width_ = 0, cell_height_ = 0;
};

}  // namespace tensorlane

#endif  // TENSORLANE_DRAW_CELL_ROWS_H_
