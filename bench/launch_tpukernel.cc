#include "launch_kernels.h"
#include "tpu_kernel.h"

namespace tensorlane::bench {
namespace {

constexpr dim4 kOne = {1, 1, 1, 1};

struct Tpukernel {
  static constexpr local_addr_t kTo[] = {0, 64}, kFrom[] = {128, 192};

  static void initialize() { tpu_initialize(); }
  static void poll() { tpu_poll(); }
  static void set_one(local_addr_t address) {
    tpu_bdc_set_C(address, {.f32 = 1}, &kOne, nullptr, DT_FP32);
  }
  static void add(local_addr_t to, local_addr_t a, local_addr_t b) {
    tpu_bdc_fp_add(to, a, b, &kOne, nullptr, nullptr, nullptr, DT_FP32);
  }
  static void copy(local_addr_t to, system_addr_t from) {
    tpu_gdma_cpy_S2L(to, from, &kOne, nullptr, nullptr, DT_FP32);
  }
};

}  // namespace

const Kernels kTpukernelKernels = KernelsOf<Tpukernel>::kAll;

}  // namespace tensorlane::bench
