// The last writer of every byte of a device, as runs of bytes with the same one.
//
// A strided operand is written as its folded boxes, never byte by byte, and NPUs that were written
// alike share their runs, so that the map grows with the pieces that memory is in and not with its
// size. Linear memories are kept in pages: a write touches the runs of its pages alone.
#ifndef TENSORLANE_TRAIL_WRITER_MAP_H_
#define TENSORLANE_TRAIL_WRITER_MAP_H_

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "tensorlane/chip/chip.h"
#include "tensorlane/trail/mark_map.h"

namespace tensorlane::trail {

// A number of the caller's choice above 0; 0 is nobody.
using Writer = Mark;
inline constexpr Writer kNobody = kUnwritten;

class WriterMap {
 public:
  explicit WriterMap(const Chip& chip);

  // The bytes of a footprint of that memory (local memory: of a core), made with its bytes per NPU.
  void assign(Space space, const Footprint& bytes, Writer writer, int core = 0);
  Writer at(Space space, std::int64_t address, int core = 0) const;

 private:
  static constexpr std::int64_t kPageBytes = 64 << 10;

  std::vector<LaneMaps> local_;  // by core
  std::int64_t npu_bytes_;
  std::array<std::unordered_map<std::int64_t, MarkMap>, kSpaces> pages_;
  std::vector<Range> runs_, part_;
};

}  // namespace tensorlane::trail

#endif  // TENSORLANE_TRAIL_WRITER_MAP_H_
