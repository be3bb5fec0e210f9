#include "tensorlane/trail/saved_bytes.h"

#include <cstring>

namespace tensorlane::trail {

SavedBytes::SavedBytes(Space space, const Footprint& bytes, const DeviceMemory& memory)
    : memory_(memory.base(space)), runs_(runs(bytes)) {
  for (const Range& run : runs_)
    bytes_.insert(bytes_.end(), memory_ + run.begin, memory_ + run.end);
}

void SavedBytes::put_back() const {
  const std::byte* from = bytes_.data();
  for (const Range& run : runs_) {
    std::memcpy(memory_ + run.begin, from, static_cast<std::size_t>(run.bytes()));
    from += run.bytes();
  }
}

}  // namespace tensorlane::trail
