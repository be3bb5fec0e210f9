// Three engines of the BM1684X side by side: copies, computations and the sorter.
#include "corpus.h"

static const dim4 kAll = {1, 64, 16, 16};  // fp32: 1024 bytes in every NPU
static const scalar_t kOne = {.f32 = 1.0f};

// EXPECT TL-RACE-001 error @cast_reads @cast_load
// MAY TL-INIT-001 error @cast_reads
// RUN in=32768
void race_load_cast(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  tpu_parallel_start();
  tpu_gdma_cpy_S2L(0, a->in, &kAll, NULL, NULL, DT_FP16);                       // @cast_load
  tpu_bdc_cast(4096, 0, &kAll, NULL, NULL, DT_FP32, DT_FP16, RM_HALF_TO_EVEN);  // @cast_reads
  tpu_parallel_end();
  tpu_gdma_cpy_L2S(a->out, 4096, &kAll, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(race_load_cast)

// EXPECT TL-RACE-002 error @max_store @max_pool
// MAY TL-INIT-001 error @max_store
// RUN out=256
void race_pool_store(const void* args) {
  const args_t* a = args;
  const dim2 window = {16, 16}, step = {1, 1};
  const padding_t none = {0, 0, 0, 0};
  const scalar_t lowest = {.u32 = FP_NEG_MAX(DT_FP32)};
  const dim4 one = {1, 64, 1, 1};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &kAll, NULL, NULL, DT_FP32);
  tpu_parallel_start();
  tpu_bdc_fp_max_pool2d(4096, 0, &kAll, &window, &none, &step, &step, DT_FP32,
                        lowest);                              // @max_pool
  tpu_gdma_cpy_L2S(a->out, 4096, &one, NULL, NULL, DT_FP32);  // @max_store
  tpu_parallel_end();
  tpu_poll();
}
KERNEL(race_pool_store)

// The sorter reads what the copy is still bringing.
// EXPECT TL-RACE-001 error @sorts @brings
// MAY TL-INIT-002 error
// RUN out=80000
void race_copy_sort(const void* args) {
  const args_t* a = args;
  const dim4 row = {1, 1, 1, 1000}, all = {1, 1, 1, 20000};
  tpu_initialize();
  tpu_gdma_set_C_system(a->out, kOne, &all, NULL, DT_FP32);
  tpu_parallel_start();
  tpu_gdma_cpy_S2S(a->out + 4096, a->in, &row, NULL, NULL, DT_FP32);     // @brings
  tpu_hau_sort(a->out + 16384, a->out + 4096, 1000, 10, true, DT_FP32);  // @sorts
  tpu_parallel_end();
  tpu_poll();
}
KERNEL(race_copy_sort)

// Outside of regions the sorter is in order with the copies.
// SILENT
// RUN out=80000
void copy_then_sort(const void* args) {
  const args_t* a = args;
  const dim4 row = {1, 1, 1, 1000}, all = {1, 1, 1, 20000}, few = {1, 1, 1, 10};
  tpu_initialize();
  tpu_gdma_set_C_system(a->out, kOne, &all, NULL, DT_FP32);
  tpu_gdma_cpy_S2S(a->out + 4096, a->in, &row, NULL, NULL, DT_FP32);
  tpu_hau_sort(a->out + 16384, a->out + 4096, 1000, 10, true, DT_FP32);
  tpu_gdma_cpy_S2S(a->out, a->out + 16384, &few, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(copy_then_sort)

// Two regions over one place in L2: written by a copy in one, read by the sorter in the next.
// SILENT
// RUN out=40
void l2_from_region_to_region(const void* args) {
  const args_t* a = args;
  const dim4 row = {1, 1, 1, 1000};
  const system_addr_t l2 = tpu_l2_sram_get_start_addr();
  tpu_initialize();
  tpu_parallel_start();
  tpu_gdma_cpy_S2S(l2, a->in, &row, NULL, NULL, DT_FP32);
  tpu_parallel_end();
  tpu_parallel_start();
  tpu_hau_sort(a->out, l2, 1000, 10, true, DT_FP32);
  tpu_parallel_end();
  tpu_poll();
}
KERNEL(l2_from_region_to_region)

// In one region.
// EXPECT TL-RACE-001 error @l2_sort @l2_copy
// MAY TL-INIT-001 error @l2_sort
// MAY TL-INIT-002 error
// RUN out=40
void race_in_l2(const void* args) {
  const args_t* a = args;
  const dim4 row = {1, 1, 1, 1000};
  const system_addr_t l2 = tpu_l2_sram_get_start_addr();
  tpu_initialize();
  tpu_parallel_start();
  tpu_gdma_cpy_S2S(l2, a->in, &row, NULL, NULL, DT_FP32);  // @l2_copy
  tpu_hau_sort(a->out, l2, 1000, 10, true, DT_FP32);       // @l2_sort
  tpu_parallel_end();
  tpu_poll();
}
KERNEL(race_in_l2)

// The wait for the sorter stands between it and the copy of its result.
// SILENT
// RUN out=4000
void copy_behind_the_wait(const void* args) {
  const args_t* a = args;
  const dim4 few = {1, 1, 1, 100}, rest = {1, 1, 1, 900};
  const system_addr_t l2 = tpu_l2_sram_get_start_addr();
  tpu_initialize();
  tpu_parallel_start();
  tpu_hau_sort(l2, a->in, 1000, 100, false, DT_FP32);
  tpu_gdma_set_C_system(a->out + 400, kOne, &rest, NULL, DT_FP32);
  tpu_hau_poll();
  tpu_gdma_cpy_S2S(a->out, l2, &few, NULL, NULL, DT_FP32);
  tpu_parallel_end();
  tpu_poll();
}
KERNEL(copy_behind_the_wait)

// Tables are loaded by the computing engine: in order with what uses them.
// SILENT
void tables_in_a_region(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &kAll, NULL, NULL, DT_FP32);
  tpu_parallel_start();
  tpu_bdc_load_fp_exp_coeff(16384, DT_FP32);
  tpu_bdc_fp_exp(32768, 0, 49152, 65536, 16384, &kAll, DT_FP32);
  tpu_gdma_cpy_S2L(98304, a->in, &kAll, NULL, NULL, DT_FP32);
  tpu_parallel_end();
  tpu_bdc_fp_add(0, 98304, 32768, &kAll, NULL, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(a->out, 0, &kAll, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(tables_in_a_region)

// Elements of 16 bits beside elements of 16 bits: columns interleave, halves of one word belong to
// two engines.
// SILENT
// RUN in=65536 out=32768
void halves_of_a_word(const void* args) {
  const args_t* a = args;
  const dim4 half = {1, 64, 16, 8}, second = {256, 256, 16, 2};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &kAll, NULL, NULL, DT_FP16);
  tpu_parallel_start();
  tpu_bdc_fp_add_C(2, 2, (scalar_t){.u16 = FP_ONE(DT_FP16)}, &half, &second, &second, DT_FP16);
  tpu_gdma_cpy_S2L(0, a->in + 32768, &half, &second, NULL, DT_FP16);
  tpu_parallel_end();
  tpu_gdma_cpy_L2S(a->out, 0, &kAll, NULL, NULL, DT_FP16);
  tpu_poll();
}
KERNEL(halves_of_a_word)

// One bank, no byte in common: banks are no rule.
// SILENT
void one_bank(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &kAll, NULL, NULL, DT_FP32);
  tpu_parallel_start();
  tpu_bdc_fp_mul(1024, 0, 0, &kAll, NULL, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_S2L(2048, a->in, &kAll, NULL, NULL, DT_FP32);
  tpu_parallel_end();
  tpu_bdc_fp_add(0, 1024, 2048, &kAll, NULL, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(a->out, 0, &kAll, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(one_bank)

// A row for all batches: the next tile's row arrives while this one's is being spread.
// EXPECT TL-RACE-001 error @spread_use @spread_load
void race_spread_row(const void* args) {
  const args_t* a = args;
  const dim4 row = {1, 64, 1, 16}, spread = {0, 0, 0, 1};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &kAll, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_S2L(4096, a->in, &row, NULL, NULL, DT_FP32);
  tpu_parallel_start();
  tpu_bdc_fp_mul(8192, 0, 4096, &kAll, NULL, NULL, &spread, DT_FP32);  // @spread_use
  tpu_gdma_cpy_S2L(4096, a->in + 4096, &row, NULL, NULL, DT_FP32);     // @spread_load
  tpu_parallel_end();
  tpu_gdma_cpy_L2S(a->out, 8192, &kAll, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(race_spread_row)

// A tile of three stages over page numbers: buffer i lies at i % 3 pages, every stage has its own.
// SILENT
// RUN in=81920 out=81920 n=5
void pages_by_thirds(const void* args) {
  const args_t* a = args;
  const dim4 part = {1, 64, 4, 16};
  const local_addr_t page = 4096;
  tpu_initialize();
  for (int i = 0; i < a->n + 2; ++i) {
    tpu_parallel_start();
    if (i < a->n) tpu_gdma_cpy_S2L(i % 3 * page, a->in + i * 16384, &part, NULL, NULL, DT_FP32);
    if (i >= 1 && i <= a->n)
      tpu_bdc_fp_add_C((i - 1) % 3 * page, (i - 1) % 3 * page, kOne, &part, NULL, NULL, DT_FP32);
    if (i >= 2)
      tpu_gdma_cpy_L2S(a->out + (i - 2) * 16384, (i - 2) % 3 * page, &part, NULL, NULL, DT_FP32);
    tpu_parallel_end();
  }
  tpu_poll();
}
KERNEL(pages_by_thirds)

// With two pages the tile that is stored is loaded over: by the same engine, after it; but the one
// computed on is stored and loaded while the sum is still being made.
// EXPECT TL-RACE-001 error @two_add @two_load
// RUN in=81920 out=81920 n=5
void pages_by_halves(const void* args) {
  const args_t* a = args;
  const dim4 part = {1, 64, 4, 16};
  tpu_initialize();
  for (int i = 0; i < a->n + 1; ++i) {
    tpu_parallel_start();
    if (i < a->n)
      tpu_gdma_cpy_S2L(i / 2 % 2 * 4096, a->in + i * 16384, &part, NULL, NULL,
                       DT_FP32);  // @two_load
    if (i >= 1)
      tpu_bdc_fp_add_C(8192 + i * 1024, (i - 1) / 2 % 2 * 4096, kOne, &part, NULL, NULL,
                       DT_FP32);  // @two_add
    tpu_parallel_end();
  }
  for (int i = 0; i < a->n; ++i)
    tpu_gdma_cpy_L2S(a->out + i * 16384, 8192 + (i + 1) * 1024, &part, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(pages_by_halves)
