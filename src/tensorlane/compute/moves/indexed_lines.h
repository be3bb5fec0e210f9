// Lines that indices move, in vectors.
//
// All of a short line is loaded before anything of it is stored: operands lie one behind the other
// in an NPU, and loads wait for stores to addresses that look alike.
#ifndef TENSORLANE_COMPUTE_MOVES_INDEXED_LINES_H_
#define TENSORLANE_COMPUTE_MOVES_INDEXED_LINES_H_

#include "tensorlane/compute/moves/indexed_rows.h"

namespace tensorlane::indexed {

// Line number index[i] becomes line i, or the other way about. Null for lines that are shorter than
// a vector or so long that the library's copy does as well.
using MoveLines = void (*)(const Lines& lines, const Numbers& index, bool scatter);
MoveLines find_lines(std::int64_t bytes);

}  // namespace tensorlane::indexed

#endif  // TENSORLANE_COMPUTE_MOVES_INDEXED_LINES_H_
