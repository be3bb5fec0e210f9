#include "launch_kernels.h"
#include "okk.h"

namespace tensorlane::bench {
namespace {

constexpr dim4 kOne = {1, 1, 1, 1};

struct Okkernel {
  static constexpr local_addr_t kTo[] = {0, 128}, kFrom[] = {256, 384};

  static void initialize() { okk_initialize(); }
  static void poll() { okk_poll(); }
  static void set_one(local_addr_t address) {
    okk_bdc_32bit_set_C(address, {.fp32 = 1}, &kOne, nullptr);
  }
  static void add(local_addr_t to, local_addr_t a, local_addr_t b) {
    okk_bdc_add(to, a, b, &kOne, nullptr, nullptr, nullptr);
  }
  static void copy(local_addr_t to, system_addr_t from) {
    okk_gdma_32bit_cpy_S2L(to, from, &kOne, nullptr, nullptr);
  }
};

}  // namespace

const Kernels kOkkernelKernels = KernelsOf<Okkernel>::kAll;

}  // namespace tensorlane::bench
