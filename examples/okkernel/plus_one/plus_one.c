// output = input + 1, four times over: the four stages from "it works" to "it is fast for any
// size".
//
//   plus_one_whole      load everything, add, store everything
//   plus_one_pingpong   two halves: one is computed while the other is copied
//   plus_one_parts      any number of parts along N, so the tensor may exceed local memory
//   plus_one_reshaped   the elements dealt evenly to the NPUs whatever N, C, H, W are, with a tail
#include "plus_one.h"

#include "okk.h"

#ifndef NULL
#define NULL 0
#endif

static int min_int(int a, int b) {
  return a < b ? a : b;
}
static int ceil_div(int a, int b) {
  return (a + b - 1) / b;
}

// Bytes per NPU of a tensor that starts at NPU 0 in the aligned128 layout.
static unsigned int local_bytes(const dim4* shape) {
  dim4 stride;
  okk_128_byte_aligned_stride_for_32bit(&stride, 0, shape);
  return (unsigned int)(shape->n * stride.n) * sizeof(float);
}

// Stage 1. One tensor, three commands. The engines take turns: nothing overlaps.
void plus_one_whole(const void* args) {
  const plus_one_args* param = (const plus_one_args*)args;
  dim4 shape = {.n = param->N, .c = param->C, .h = param->H, .w = param->W};
  local_addr_t input = 0;
  local_addr_t output = local_bytes(&shape);
  OKKERNEL_ASSERT(output + local_bytes(&shape) <= okk_local_mem_size_per_npu());

  okk_initialize();
  okk_gdma_32bit_cpy_S2L(input, param->input_addr, &shape, NULL, NULL);
  okk_bdc_add_C(output, input, 1.0f, &shape, NULL, NULL);
  okk_gdma_32bit_cpy_L2S(param->output_addr, output, &shape, NULL, NULL);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(plus_one_whole)

// Stage 2. Two halves along N. Between parallel_start and parallel_end the copy of one half runs
// next to the addition of the other; each end hands the buffers over.
void plus_one_pingpong(const void* args) {
  const plus_one_args* param = (const plus_one_args*)args;
  OKKERNEL_ASSERT(param->N >= 2);
  dim4 ping = {.n = param->N / 2, .c = param->C, .h = param->H, .w = param->W};
  dim4 pong = {.n = param->N - ping.n, .c = param->C, .h = param->H, .w = param->W};
  system_addr_t skip = (system_addr_t)ping.n * ping.c * ping.h * ping.w * sizeof(float);

  local_addr_t ping_in = 0;
  local_addr_t ping_out = ping_in + local_bytes(&ping);
  local_addr_t pong_in = ping_out + local_bytes(&ping);
  local_addr_t pong_out = pong_in + local_bytes(&pong);
  OKKERNEL_ASSERT(pong_out + local_bytes(&pong) <= okk_local_mem_size_per_npu());

  okk_initialize();
  okk_gdma_32bit_cpy_S2L(ping_in, param->input_addr, &ping, NULL, NULL);
  okk_parallel_start();
  okk_gdma_32bit_cpy_S2L(pong_in, param->input_addr + skip, &pong, NULL, NULL);
  okk_bdc_add_C(ping_out, ping_in, 1.0f, &ping, NULL, NULL);
  okk_parallel_end();
  okk_parallel_start();
  okk_gdma_32bit_cpy_L2S(param->output_addr, ping_out, &ping, NULL, NULL);
  okk_bdc_add_C(pong_out, pong_in, 1.0f, &pong, NULL, NULL);
  okk_parallel_end();
  okk_gdma_32bit_cpy_L2S(param->output_addr + skip, pong_out, &pong, NULL, NULL);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(plus_one_pingpong)

// Stage 3. S parts along N in S + 2 steps: step k loads part k, computes part k - 1 and stores part
// k - 2, all at once. Two input and two output buffers, chosen by the parity of the part, keep the
// three apart. The last part may be smaller than the others.
void plus_one_parts(const void* args) {
  const plus_one_args* param = (const plus_one_args*)args;
  dim4 one = {.n = 1, .c = param->C, .h = param->H, .w = param->W};
  unsigned int quarter = okk_local_mem_size_per_npu() / 4;
  OKKERNEL_ASSERT(local_bytes(&one) <= quarter);
  int per_part = min_int(param->N, (int)(quarter / local_bytes(&one)));
  int parts = ceil_div(param->N, per_part);
  system_addr_t part_bytes = (system_addr_t)per_part * one.c * one.h * one.w * sizeof(float);
  local_addr_t input[2] = {0, quarter};
  local_addr_t output[2] = {2 * quarter, 3 * quarter};

  okk_initialize();
  for (int step = 0; step < parts + 2; ++step) {
    int loading = step, computing = step - 1, storing = step - 2;
    dim4 shape = one;
    okk_parallel_start();
    if (loading < parts) {
      shape.n = min_int(per_part, param->N - loading * per_part);
      okk_gdma_32bit_cpy_S2L(input[loading % 2], param->input_addr + loading * part_bytes, &shape,
                             NULL, NULL);
    }
    if (computing >= 0 && computing < parts) {
      shape.n = min_int(per_part, param->N - computing * per_part);
      okk_bdc_add_C(output[computing % 2], input[computing % 2], 1.0f, &shape, NULL, NULL);
    }
    if (storing >= 0) {
      shape.n = min_int(per_part, param->N - storing * per_part);
      okk_gdma_32bit_cpy_L2S(param->output_addr + storing * part_bytes, output[storing % 2], &shape,
                             NULL, NULL);
    }
    okk_parallel_end();
  }
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(plus_one_parts)

// Stage 4. The addition does not care about N, C, H, W, so the tensor is treated as a line of
// elements: 64 NPUs with `width` elements each make one part, and all NPUs work even if C is 3.
//
// A line that is not a multiple of a part has a tail. The vendor's document (plus_one_3) finds it
// at `len - L`, where L elements lie in full parts: the tail's length in place of its begin, which
// is L. The elements from L on are then never computed. Here the last part is as any other: full
// rows in as many NPUs as they fill, and one shorter row in the next NPU. Both have copies and an
// addition of their own.
void plus_one_reshaped(const void* args) {
  const plus_one_args* param = (const plus_one_args*)args;
  const int npus = okk_npu_num();
  const long long length = (long long)param->N * param->C * param->H * param->W;
  // Four buffers, and at least eight parts when there is enough to do, so that copies overlap.
  const int most = (int)(okk_local_mem_size_per_npu() / 4 / sizeof(float));
  long long want = (length + 8LL * npus - 1) / (8LL * npus);
  int width = want < 1024 ? 1024 : want > most ? most : (int)want;
  width = ceil_div(width, 32) * 32;  // buffers stay 128-byte aligned; most is a multiple of 32
  const long long per_part = (long long)npus * width;
  const int parts = (int)((length + per_part - 1) / per_part);
  const unsigned int buffer = (unsigned int)width * sizeof(float);
  local_addr_t input[2] = {0, buffer};
  local_addr_t output[2] = {2 * buffer, 3 * buffer};

  okk_initialize();
  for (int step = 0; step < parts + 2; ++step) {
    okk_parallel_start();
    for (int stage = 0; stage < 3; ++stage) {
      int part = step - stage;
      if (part < 0 || part >= parts) continue;
      long long first = part * per_part;
      long long count = length - first < per_part ? length - first : per_part;
      // `rows` full rows of `row` elements and then one row of `rest` elements.
      int row = (int)((count + npus - 1) / npus);
      int rows = (int)(count / row);
      int rest = (int)(count % row);
      dim4 full = {.n = 1, .c = rows, .h = 1, .w = row};
      dim4 last = {.n = 1, .c = 1, .h = 1, .w = rest};
      system_addr_t full_at = (system_addr_t)first * sizeof(float);
      system_addr_t last_at = full_at + (system_addr_t)rows * row * sizeof(float);
      local_addr_t last_npu = (local_addr_t)rows * okk_local_mem_size_per_npu();
      if (stage == 0) {
        okk_gdma_32bit_cpy_S2L(input[part % 2], param->input_addr + full_at, &full, NULL, NULL);
        if (rest > 0)
          okk_gdma_32bit_cpy_S2L(input[part % 2] + last_npu, param->input_addr + last_at, &last,
                                 NULL, NULL);
      } else if (stage == 1) {
        okk_bdc_add_C(output[part % 2], input[part % 2], 1.0f, &full, NULL, NULL);
        if (rest > 0)
          okk_bdc_add_C(output[part % 2] + last_npu, input[part % 2] + last_npu, 1.0f, &last, NULL,
                        NULL);
      } else {
        okk_gdma_32bit_cpy_L2S(param->output_addr + full_at, output[part % 2], &full, NULL, NULL);
        if (rest > 0)
          okk_gdma_32bit_cpy_L2S(param->output_addr + last_at, output[part % 2] + last_npu, &last,
                                 NULL, NULL);
      }
    }
    okk_parallel_end();
  }
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(plus_one_reshaped)
