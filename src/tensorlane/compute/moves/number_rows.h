// Rows of numbers that follow each other: start, start + step, start + 2 * step, ...
#ifndef TENSORLANE_COMPUTE_MOVES_NUMBER_ROWS_H_
#define TENSORLANE_COMPUTE_MOVES_NUMBER_ROWS_H_

#include <cstddef>
#include <cstdint>

namespace tensorlane::numbers {

// Dense rows of `count` elements of 4 and of 2 bytes, modulo their width.
void words(std::byte* to, std::int64_t count, std::uint32_t start, std::uint32_t step);
void halves(std::byte* to, std::int64_t count, std::uint16_t start, std::uint16_t step);

}  // namespace tensorlane::numbers

#endif  // TENSORLANE_COMPUTE_MOVES_NUMBER_ROWS_H_
