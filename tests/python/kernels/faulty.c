// Kernels of okk.h with one defect each, and some that misbehave.
#include <unistd.h>

#include "okk.h"

typedef struct {
  unsigned long long output, input;
  int mode;
} faulty_args;

static const dim4 shape = {1, 64, 8, 8};
static const dim4 twice_as_wide = {1, 64, 16, 16};

enum { kFine, kRace, kOutside, kLimit, kCrash, kHang, kUninitialised };

void faulty(const void* args) {
  const faulty_args* a = (const faulty_args*)args;
  okk_initialize();
  switch (a->mode) {
    case kRace:
      okk_gdma_32bit_cpy_S2L(0, a->input, &shape, 0, 0);
      okk_poll();
      okk_parallel_start();
      okk_gdma_32bit_cpy_S2L(0, a->input, &shape, 0, 0);
      okk_bdc_add(8192, 0, 0, &shape, 0, 0, 0);
      okk_parallel_end();
      break;
    case kOutside:
      okk_gdma_32bit_cpy_S2L(0, a->input, &twice_as_wide, 0, 0);
      okk_gdma_32bit_cpy_L2S(a->output, 0, &shape, 0, 0);
      break;
    case kLimit: {
      const dim4 none = {1, 5000, 1, 1};
      okk_bdc_add(8192, 0, 0, &none, 0, 0, 0);
      break;
    }
    case kCrash:
      *(volatile int*)8 = 1;
      break;
    case kHang:
      while (1) usleep(100);
    case kUninitialised:
      okk_bdc_add(8192, 0, 0, &shape, 0, 0, 0);
      okk_gdma_32bit_cpy_L2S(a->output, 8192, &shape, 0, 0);
      break;
    default:
      okk_gdma_32bit_cpy_S2L(0, a->input, &shape, 0, 0);
      okk_gdma_32bit_cpy_L2S(a->output, 0, &shape, 0, 0);
  }
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(faulty)
