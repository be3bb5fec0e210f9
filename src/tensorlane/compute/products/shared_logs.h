// What the tiles of a product of 16-bit floats know of their operands: whether their sums are exact
// (exact_tile.h), else logarithms (log_tile.h) where so many rows share inputs that they pay.
#ifndef TENSORLANE_COMPUTE_PRODUCTS_SHARED_LOGS_H_
#define TENSORLANE_COMPUTE_PRODUCTS_SHARED_LOGS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tensorlane/compute/products/dense_words.h"
#include "tensorlane/compute/tiles/block_tile.h"
#include "tensorlane/compute/tiles/exact_tile.h"

namespace tensorlane {

class SharedLogs {
 public:
  // Whether all threads look at the weights, or the one alone that has the task of these rows.
  enum class Threads : std::uint8_t { kAll, kOne };
  // Of weights as tiles take them: [block of rows][step][row], where they stay.
  SharedLogs(const float* weights, int rows, int steps, Threads threads = Threads::kAll);

  // The inputs of a tile.
  struct Inputs {
    const std::int16_t* logs = nullptr;  // null: none are made
    int base = 0;
    bool exact = false;
  };
  // In `to`, which has room for words() and is aligned to vectors.
  Inputs of_inputs(const float* inputs, const std::int32_t* offsets, int positions,
                   std::int16_t* to) const;
  // Of the logarithms of a tile's inputs.
  std::size_t words() const;

  // The tile that begins with row `first_row`: the fastest way that serves.
  void run(const BlockTile& tile, int first_row, const Inputs& inputs) const;

 private:
  // Logarithms of weights of a block of rows.
  void make_block(std::int64_t block) const;
  // Those of all, where it was not known before that some tile needs them: every thread that does
  // takes part, and all come back when they are made.
  void make_late() const;

  const float* const numbers_;
  const int rows_, steps_, tile_rows_, tile_width_;
  const NumberRange range_;  // of the weights
  const bool has_logs_, late_;
  mutable std::atomic<std::int64_t> taken_ = 0, made_ = 0;  // blocks of rows, by make_late
  mutable Words<std::uint32_t> weights_;
  mutable std::vector<int> bases_;  // of each block of rows
};

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_PRODUCTS_SHARED_LOGS_H_
