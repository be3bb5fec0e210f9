// An order of pieces of memory without a steady step from one to the next.
#ifndef TENSORLANE_COMPUTE_ROWS_UNSTEADY_ORDER_H_
#define TENSORLANE_COMPUTE_ROWS_UNSTEADY_ORDER_H_

#include <algorithm>
#include <bit>
#include <cstdint>

namespace tensorlane {

// Pieces of `size` rows each that cover `rows` of them, of which there are as many or more: their
// first rows. The last piece ends with the rows. Steps of 1, 2, 3, ... pieces modulo a power of two
// meet each piece once.
//
// Where a loop stores to few lines and jumps away, a processor that has found the step between the
// lines fetches those beyond, which nobody asks for.
template <unsigned kMost>
class UnsteadyPieces {
 public:
  // No part of a loop's function, whose registers it would take.
  [[gnu::noinline]] UnsteadyPieces(std::int64_t rows, std::int64_t size) {
    const auto pieces = static_cast<std::uint32_t>((rows + size - 1) / size);
    const std::uint32_t places = std::bit_ceil(pieces);
    for (std::uint32_t step = 1, piece = 0; step <= places;
         piece = (piece + step++) & (places - 1)) {
      first_[count_] = std::min(piece * size, rows - size);
      count_ += piece < pieces;
    }
  }
  const std::int64_t* begin() const { return first_; }
  const std::int64_t* end() const { return first_ + count_; }

 private:
  static_assert(std::has_single_bit(kMost));  // one too many is written at most
  std::int64_t first_[kMost];                 // left uninitialised
  int count_ = 0;
};

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_ROWS_UNSTEADY_ORDER_H_
