#include "launch_kernels.h"
#include "okk.h"

namespace tensorlane::bench {
namespace {

constexpr dim4 kOne = {1, 1, 1, 1};
constexpr local_addr_t kTo[] = {0, 128}, kFrom[] = {256, 384};

void write_sources() {
  x32 one;
  one.fp32 = 1;
  for (const local_addr_t address : kFrom) okk_bdc_32bit_set_C(address, one, &kOne, nullptr);
}

void adds(const void* args) {
  okk_initialize();
  write_sources();
  for (int k = 0; k < static_cast<const Commands*>(args)->count; ++k)
    okk_bdc_add(kTo[0], kFrom[0], kFrom[1], &kOne, nullptr, nullptr, nullptr);
  okk_poll();
}

void moving_adds(const void* args) {
  okk_initialize();
  write_sources();
  for (int k = 0; k < static_cast<const Commands*>(args)->count; ++k)
    okk_bdc_add(kTo[k % 2], kFrom[0], kFrom[1], &kOne, nullptr, nullptr, nullptr);
  okk_poll();
}

void copies(const void* args) {
  const auto& commands = *static_cast<const Commands*>(args);
  okk_initialize();
  for (int k = 0; k < commands.count; ++k) {
    okk_gdma_32bit_cpy_S2L(kTo[0], commands.global + static_cast<unsigned>(k * 4 % kCopied), &kOne,
                           nullptr, nullptr);
  }
  okk_poll();
}

}  // namespace

const Kernels kOkkernelKernels = {adds, moving_adds, copies};

}  // namespace tensorlane::bench
