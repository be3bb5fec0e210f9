// Bytes of a matrix four to a 32-bit word, as the products of integer_tile.h take them, read from
// where they are stored without widening each to a word first.
#ifndef TENSORLANE_COMPUTE_PRODUCTS_BYTE_QUADS_H_
#define TENSORLANE_COMPUTE_PRODUCTS_BYTE_QUADS_H_

#include <array>
#include <cstddef>
#include <cstdint>

namespace tensorlane {

// to[i] = rows[0][i], rows[1][i], rows[2][i], rows[3][i], the first in the low bits; a row that is
// null counts as zeros. The bits of `flip` are turned over in every word.
void zip_bytes(const std::array<const std::byte*, 4>& rows, std::int64_t count, std::uint32_t flip,
               std::int32_t* to);

// The `parts` bytes of each of `count` elements, 1, 2 or 4, the lowest to to[0].
void split_bytes(const std::byte* from, std::int64_t count, int parts, std::byte* const* to);

// to[k * step + i] = word k of rows[i], of `bytes` bytes each, with the bits of `flip` turned over;
// the last word is filled up with zeros.
void interleave_four_rows(const std::array<const std::byte*, 4>& rows, int bytes,
                          std::uint32_t flip, std::int32_t* to, std::ptrdiff_t step);

// Bytes of words as halves, with sign or without: of each of `runs` runs of `run` words, first the
// bytes 0 and 2 of all, then, `apart` words behind the first of them, the bytes 1 and 3; the next
// run as far behind these.
void split_quads(const std::int32_t* from, std::int64_t run, std::int64_t runs, bool with_sign,
                 std::int32_t* to, std::int64_t apart);

// The sum of the bytes of `count` words, with sign or without.
std::int64_t sum_bytes(const std::int32_t* words, std::int64_t count, bool with_sign);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_PRODUCTS_BYTE_QUADS_H_
