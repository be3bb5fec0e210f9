#include "tensorlane/compute/matrices/byte_tiles.h"

#include <algorithm>

#include "tensorlane/compute/bands/scratch.h"

namespace tensorlane {

ByteTiles::ByteTiles(IntegerFactors factors, int rows, int inner)
    : factors_(factors),
      kind_(integer_tiles_for(factors, rows)),
      shape_(kind_.shape()),
      panels_(factors, shape_, inner),
      ones_(static_cast<std::size_t>(panels_.steps()) * shape_.lanes,
            factors == IntegerFactors::kPairs ? 0x00010001 : 0x01010101) {}

RightPanel ByteTiles::right(const std::int32_t* panel, int columns) const {
  RightPanel right{panel, columns, {}};
  for (int k = 0; k < panels_.steps(); ++k) right.offsets.push_back(k * panels_.pitch(columns));
  return right;
}

void ByteTiles::run(const std::int32_t* block, int rows, const RightPanel& right,
                    std::int32_t* sums, int stride) const {
  // As few tiles as there can be, of as many vectors each as the others, or one less.
  const int vectors = (right.columns + shape_.lanes - 1) / shape_.lanes;
  const int tiles = (right.columns + shape_.width - 1) / shape_.width;
  const int least = vectors / tiles, more = vectors % tiles;
  int at = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    const int width = (least + (tile < more ? 1 : 0)) * shape_.lanes;
    kind_.run({.factors = factors_,
               .rows = rows,
               .positions = std::min(width, right.columns - at),
               .inputs = right.words + at,
               .weights = block,
               .offsets = right.offsets.data(),
               .length = static_cast<int>(right.offsets.size()),
               .sums = sums + at,
               .stride = stride});
    at += width;
  }
}

void ByteTiles::run_to(const std::int32_t* block, const RightPanel& right, int first, int columns,
                       const IntegerRows& ends) const {
  IntegerRows rows = ends;
  rows.factors = factors_;
  rows.columns = columns;
  rows.inputs = right.words + first;
  rows.pitch = panels_.pitch(right.columns);
  rows.weights = block;
  rows.length = panels_.steps();
  kind_.run_rows(rows);
}

std::vector<std::int32_t> ByteTiles::row_sums(const std::int32_t* panel, int rows) const {
  RightPanel ones{ones_.data(), 1, {}};
  for (int k = 0; k < panels_.steps(); ++k) ones.offsets.push_back(k * shape_.lanes);
  std::vector<std::int32_t> result(static_cast<std::size_t>(rows));
  alignas(64) std::int32_t sums[kMaxTileWords];
  for (int first = 0; first < rows; first += shape_.rows) {
    const int count = std::min(shape_.rows, rows - first);
    run(panels_.block(panel, first), count, ones, sums, shape_.width);
    for (int r = 0; r < count; ++r)
      result[static_cast<std::size_t>(first) + static_cast<std::size_t>(r)] =
          sums[r * shape_.width];
  }
  return result;
}

void ByteTiles::sum_columns(const RightPanel& right, std::int32_t* to) const {
  std::vector<std::int32_t> row(panels_.left_words(1));
  int unused = 0;
  panels_.pack_left(AnyTypeMatrix::constant(1, Dtype::kInt8), 0, 1, 0, row.data(), &unused);
  const int stride = panels_.pitch(right.columns);
  auto* const sums =
      thread_scratch<1, std::int32_t>(static_cast<std::size_t>(shape_.rows) * stride);
  run(row.data(), 1, right, sums, stride);
  std::copy_n(sums, right.columns, to);
}

}  // namespace tensorlane
