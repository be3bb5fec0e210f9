// What functions of the limit language without arguments count on a chip: the argument of their
// instruction.
#ifndef TENSORLANE_OPS_CHIP_FIGURES_H_
#define TENSORLANE_OPS_CHIP_FIGURES_H_

#include <cstdint>

namespace tensorlane {

enum class ChipFigure : std::int16_t {
  kNpus,
  kExpTerms,    // words of the table of the series of e^x
  kLogTerms,    // of that of logarithms
  kQuantWords,  // of the integer numbers of a channel
};

}  // namespace tensorlane

#endif  // TENSORLANE_OPS_CHIP_FIGURES_H_
