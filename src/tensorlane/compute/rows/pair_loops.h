// How a formula is computed of the pairs of two vectors, one of them an element for each row.
#ifndef TENSORLANE_COMPUTE_ROWS_PAIR_LOOPS_H_
#define TENSORLANE_COMPUTE_ROWS_PAIR_LOOPS_H_

#include <cstdint>

namespace tensorlane::simd {

// By no loops of its own (any frame has a loop), by loops for either vector as that of the rows, or
// by those for the first one alone, where the operands may change places: not of floats, of two
// NaNs the first one stays. Loops take longer to compile than the rest of a formula: only what
// `vc` functions compute has them (pair_loops_inl.h).
enum class PairLoops : std::uint8_t { kNone, kEither, kSymmetric };

}  // namespace tensorlane::simd

#endif  // TENSORLANE_COMPUTE_ROWS_PAIR_LOOPS_H_
