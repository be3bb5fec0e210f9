// Where is channel 70 of a tensor that starts at NPU 2 of the BM1684?
#include <array>
#include <cstdio>

#include "tensorlane/layout/local.h"

int main() {
  using namespace tensorlane;
  const LocalMemory bm1684 = {.npus = 64, .npu_bytes = 512 * 1024, .align_bytes = 128};
  const Shape4 shape = {.n = 1, .c = 100, .h = 3, .w = 5};
  const std::int64_t address = 2 * bm1684.npu_bytes;
  const Layout layout =
      local_layout(bm1684, address, shape, aligned_stride(bm1684, 2, shape, 4), Dtype::kFp32);
  const std::array<std::int64_t, 4> index = {0, 70, 0, 1};
  const LocalAddress at = layout.local_address(index);
  std::printf("NPU %d, byte %d\n", static_cast<int>(at.npu), static_cast<int>(at.offset));
  return at == LocalAddress{8, 132} ? 0 : 1;
}
