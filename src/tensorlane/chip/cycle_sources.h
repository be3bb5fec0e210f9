// What the cycles of functions rest on.
//
// How many cycles a function takes stands in its entry of the ops list, for all chips of its
// interface; no timing parameter of a chip knows of it. Here stands which published rows of a chip
// do: a test holds the numbers to what `tensorlane validate` counts.
#ifndef TENSORLANE_CHIP_CYCLE_SOURCES_H_
#define TENSORLANE_CHIP_CYCLE_SOURCES_H_

#include <span>
#include <string_view>

#include "tensorlane/chip/chip.h"

namespace tensorlane {

struct CycleSource {
  std::string_view function;
  // Rows, and groups of them, whose modelled time changes by 0.5 % or more when the function takes
  // a tenth more cycles.
  int rows = 0, groups = 0;
};
// By their names; functions that no row of the chip knows of are not there.
std::span<const CycleSource> cycle_sources(const Chip& chip);

}  // namespace tensorlane

#endif  // TENSORLANE_CHIP_CYCLE_SOURCES_H_
