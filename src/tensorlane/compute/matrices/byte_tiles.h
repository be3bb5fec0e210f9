// Products of panels of bytes (byte_panels.h), tile by tile.
#ifndef TENSORLANE_COMPUTE_MATRICES_BYTE_TILES_H_
#define TENSORLANE_COMPUTE_MATRICES_BYTE_TILES_H_

#include <cstdint>
#include <vector>

#include "tensorlane/compute/matrices/byte_panels.h"
#include "tensorlane/compute/tiles/integer_tile_kinds.h"

namespace tensorlane {

// Columns of the right matrix as tiles read them.
struct RightPanel {
  const std::int32_t* words;
  int columns;
  std::vector<std::int32_t> offsets;  // of the steps, in words
};

class ByteTiles {
 public:
  // For products of `rows` rows, with sums of `inner` products.
  ByteTiles(IntegerFactors factors, int rows, int inner);

  const TileShape& shape() const { return shape_; }
  const BytePanels& panels() const { return panels_; }
  TileScope scope() const { return kind_.scope(); }

  // A panel that panels() packs.
  RightPanel right(const std::int32_t* panel, int columns) const;

  // Sums of a block of `rows` rows, `stride` apart from row to row; there is room for shape().rows.
  // The block's steps are those of `right`.
  void run(const std::int32_t* block, int rows, const RightPanel& right, std::int32_t* sums,
           int stride) const;

  // Whether sums can go from a whole block of rows to where they belong, without a stop: whole
  // vectors of columns.
  bool stores_columns(int columns) const {
    return kind_.run_rows != nullptr && columns % shape_.lanes == 0;
  }
  // Columns [first, first + columns) of a whole block, with starts, factors and addresses of
  // `ends`.
  void run_to(const std::int32_t* block, const RightPanel& right, int first, int columns,
              const IntegerRows& ends) const;

  // The sum of each of `rows` rows of a left panel: its products with a column of ones.
  std::vector<std::int32_t> row_sums(const std::int32_t* panel, int rows) const;

  // The sum of each column of a right panel as it is packed: products with a row of ones.
  void sum_columns(const RightPanel& right, std::int32_t* to) const;

 private:
  const IntegerFactors factors_;
  const IntegerTileKind& kind_;
  const TileShape shape_;
  const BytePanels panels_;
  const std::vector<std::int32_t> ones_;
};

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_MATRICES_BYTE_TILES_H_
