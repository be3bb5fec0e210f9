// output = input * scale, for any number of elements.
//
// The elements are dealt to the NPUs part by part: load, compute, store. Each part is a tensor of
// as many channels as there are NPUs, so that all of them work.
//
// 元素个数任意：一块一块地分给各 NPU，装入、计算、写出。每块是通道数等于 NPU 个数的张量，使全部 NPU
// 都在工作。
#include "my_kernel.h"

#include "okk.h"

#ifndef NULL
#define NULL 0
#endif

void my_kernel(const void* args) {
  const my_kernel_args* a = (const my_kernel_args*)args;
  const int npus = okk_npu_num();
  // A quarter of local memory for the input of a part and one for its output: the other two are
  // for a second part that is loaded while the first is computed (okk_parallel_start).
  const local_addr_t input = 0, output = okk_local_mem_size_per_npu() / 4;
  const int most = (int)(output / sizeof(float));

  okk_initialize();
  for (long long begin = 0, part; begin < a->count; begin += part) {
    const long long rest = a->count - begin;
    const int channels = rest < npus ? (int)rest : npus;
    const int width = rest / channels < most ? (int)(rest / channels) : most;
    const dim4 shape = {.n = 1, .c = channels, .h = 1, .w = width};
    part = (long long)channels * width;
    okk_gdma_32bit_cpy_S2L(input, a->input_addr + begin * sizeof(float), &shape, NULL, NULL);
    okk_bdc_mul_C(output, input, a->scale, &shape, NULL, NULL);
    okk_gdma_32bit_cpy_L2S(a->output_addr + begin * sizeof(float), output, &shape, NULL, NULL);
  }
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(my_kernel)
