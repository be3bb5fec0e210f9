// The memories of a chip as a shadow numbers them: those of Space, of which local memory is core
// 0's, and behind them the local memories of the other cores.
#ifndef TENSORLANE_TRAIL_CORE_MEMORIES_H_
#define TENSORLANE_TRAIL_CORE_MEMORIES_H_

#include <cstddef>
#include <vector>

#include "tensorlane/chip/chip.h"
#include "tensorlane/trail/init_shadow.h"

namespace tensorlane::trail {

inline int memory_number(Space space, int core) {
  return space == Space::kLocal && core > 0 ? kSpaces + core - 1 : static_cast<int>(space);
}
// Whether a memory is one core's alone.
inline bool is_local(int memory) {
  return memory == static_cast<int>(Space::kLocal) || memory >= kSpaces;
}

inline std::vector<MemoryShape> memory_shapes(const Chip& chip) {
  const MemoryShape local = {chip.local.npus, chip.local.npu_bytes};
  std::vector<MemoryShape> shapes(kSpaces);
  shapes[static_cast<std::size_t>(Space::kLocal)] = local;
  shapes.resize(static_cast<std::size_t>(kSpaces + chip.cores - 1), local);
  return shapes;
}

}  // namespace tensorlane::trail

#endif  // TENSORLANE_TRAIL_CORE_MEMORIES_H_
