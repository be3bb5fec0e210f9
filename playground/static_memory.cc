// The tables of a chip's static memory are for its kernels, and this program runs none: the series
// in the real ones need constant expressions of the C library that emscripten's compiler refuses.
#include "tensorlane/chip/static_memory.h"

namespace tensorlane {

std::span<const std::byte> tpukernel_static_memory() {
  return {};
}

}  // namespace tensorlane
