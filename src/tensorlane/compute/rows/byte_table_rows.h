// Element-wise functions of one tensor of 8-bit elements and constants: there are 256 results,
// which the formula is asked for once. A row then looks its elements up.
#ifndef TENSORLANE_COMPUTE_ROWS_BYTE_TABLE_ROWS_H_
#define TENSORLANE_COMPUTE_ROWS_BYTE_TABLE_ROWS_H_

#include <functional>

#include "tensorlane/compute/rows/elementwise.h"

namespace tensorlane {

// Looks elements up among the results of row(bytes 0 to 255), each of `result_bytes` bytes: 1, 2
// or 4. Of `row` source 0 are the bytes.
RowFunction byte_table_row(const RowFunction& row, const Row& constants, std::int64_t result_bytes);

// The table in front of `rest`. `row` makes the row function of a command, whose sources are `src`
// and the constant `constant`.
std::vector<Implementation> with_byte_table(std::string_view dst, std::string_view src,
                                            std::string_view constant,
                                            std::function<RowFunction(const Command&)> row,
                                            std::vector<Implementation> rest);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_ROWS_BYTE_TABLE_ROWS_H_
