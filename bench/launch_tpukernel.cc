#include "launch_kernels.h"
#include "tpu_kernel.h"

namespace tensorlane::bench {
namespace {

constexpr dim4 kOne = {1, 1, 1, 1};
constexpr local_addr_t kTo[] = {0, 64}, kFrom[] = {128, 192};

void write_sources() {
  scalar_t one;
  one.f32 = 1;
  for (const local_addr_t address : kFrom) tpu_bdc_set_C(address, one, &kOne, nullptr, DT_FP32);
}

void adds(const void* args) {
  tpu_initialize();
  write_sources();
  for (int k = 0; k < static_cast<const Commands*>(args)->count; ++k)
    tpu_bdc_fp_add(kTo[0], kFrom[0], kFrom[1], &kOne, nullptr, nullptr, nullptr, DT_FP32);
  tpu_poll();
}

void moving_adds(const void* args) {
  tpu_initialize();
  write_sources();
  for (int k = 0; k < static_cast<const Commands*>(args)->count; ++k)
    tpu_bdc_fp_add(kTo[k % 2], kFrom[0], kFrom[1], &kOne, nullptr, nullptr, nullptr, DT_FP32);
  tpu_poll();
}

void copies(const void* args) {
  const auto& commands = *static_cast<const Commands*>(args);
  tpu_initialize();
  for (int k = 0; k < commands.count; ++k) {
    tpu_gdma_cpy_S2L(kTo[0], commands.global + static_cast<unsigned>(k * 4 % kCopied), &kOne,
                     nullptr, nullptr, DT_FP32);
  }
  tpu_poll();
}

}  // namespace

const Kernels kTpukernelKernels = {adds, moving_adds, copies};

}  // namespace tensorlane::bench
