#include "tensorlane/chip/numerics_rules.h"

namespace tensorlane {

std::string_view evidence_name(Evidence evidence) {
  constexpr std::string_view kNames[] = {msg("model"), msg("board hash"), msg("document"),
                                         msg("choice")};
  return kNames[static_cast<std::size_t>(evidence)];
}

}  // namespace tensorlane
