// Logarithms of the operands of a product of 16-bit floats (log_tile.h), where so many rows share
// its inputs that they pay.
#ifndef TENSORLANE_COMPUTE_PRODUCTS_SHARED_LOGS_H_
#define TENSORLANE_COMPUTE_PRODUCTS_SHARED_LOGS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tensorlane/compute/products/dense_words.h"
#include "tensorlane/compute/tiles/block_tile.h"

namespace tensorlane {

class SharedLogs {
 public:
  // Of weights as tiles take them: [block of rows][step][row].
  SharedLogs(const float* weights, int rows, int steps);

  // The inputs of a tile.
  struct Inputs {
    const std::int16_t* logs = nullptr;  // null: none are made
    int base = 0;
  };
  // In `to`, which has room for words() and is aligned to vectors.
  Inputs of_inputs(const float* inputs, const std::int32_t* offsets, int positions,
                   std::int16_t* to) const;
  // Of the logarithms of a tile's inputs.
  std::size_t words() const;

  // The tile that begins with row `first_row`: by logarithms where they serve.
  void run(const BlockTile& tile, int first_row, const Inputs& inputs) const;

 private:
  const int steps_, tile_rows_, tile_width_;
  Words<std::uint32_t> weights_;
  std::vector<int> bases_;  // of each block of rows; empty: none are made
};

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_PRODUCTS_SHARED_LOGS_H_
