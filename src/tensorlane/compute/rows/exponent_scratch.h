// What the chip leaves between the rows of an exponential's result.
//
// Functions built on exp split their exponent into a whole number and a rest. The chip keeps the
// whole numbers, plus 103 for its table, as 16-bit integers in the destination while it works, in
// the aligned layout of that type. Results overwrite them, but for what lies in the gaps behind the
// elements of a channel. [observed]
#ifndef TENSORLANE_COMPUTE_ROWS_EXPONENT_SCRATCH_H_
#define TENSORLANE_COMPUTE_ROWS_EXPONENT_SCRATCH_H_

#include <functional>
#include <vector>

#include "tensorlane/ops/command.h"

namespace tensorlane {

// The exponent that the chip takes of e for a value of the source.
using Exponent = std::function<double(double, const Command&)>;

// The same implementations, which leave what the chip does in the gaps of dst_addr.
std::vector<Implementation> with_exponent_scratch(std::vector<Implementation> list,
                                                  const Exponent& exponent);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_ROWS_EXPONENT_SCRATCH_H_
