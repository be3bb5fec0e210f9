// What the published counters of the BM1684X were taken on, as far as operators and shapes are
// known, as one kernel each: the operators of the calibration rows of data/board/counters.json, and
// those beside them. The vendor's own command lists are not published; how these divide the work is
// ours, and slices fill a bank of 16 KiB of every NPU where that is free.
#include "kernels.h"

#include "tpu_kernel.h"

enum { kSlices = 10 };  // of 9.6 MB, two banks each
static const dim2 one = {1, 1};
static const padding_t none = {0, 0, 0, 0};

// Softmax of 16x12x197 rows of 197, fp32: rows lie along h, so that a pooling ends 16 of them at a
// time.
static void softmax(const void* args) {
  (void)args;
  const dim4 shape = {1, 197, 16, 197}, ends = {1, 197, 16, 1};
  const dim2 row = {1, 197};
  const scalar_t lowest = {.u32 = FP_NEG_MAX(DT_FP32)}, unit = {.u32 = FP_ONE(DT_FP32)};
  dim4 spread;
  const local_addr_t x = 0, y = 0x10000, work = 0x20000, coefficients = 0x3c000, end = 0x3d000;
  tpu_initialize();
  tpu_aligned_stride(&spread, 0, &ends, DT_FP32);
  spread.h = 1;
  spread.w = 0;
  for (int slice = 0; slice < 12; ++slice) {
    tpu_bdc_fp_max_pool2d(end, x, &shape, &row, &none, &one, &one, DT_FP32, lowest);
    tpu_bdc_fp_sub(x, x, end, &shape, NULL, NULL, &spread, DT_FP32);
    tpu_bdc_fp_exp(y, x, work, 0x2e000, coefficients, &shape, DT_FP32);
    tpu_bdc_fp_avg_pool2d(end, y, &shape, &row, &none, &one, &one, DT_FP32, unit);
    tpu_bdc_fp32_reciprocal(end, end, &ends, NULL, NULL);
    tpu_bdc_fp_mul(y, y, end, &shape, NULL, NULL, &spread, DT_FP32);
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(softmax)

// fp32 to int8 of 16x3x14x16x14x16 in slices: converted, then scaled and saturated. Slice k is
// computed while the next one is loaded and the last one stored.
static void quantise(const void* args) {
  const kernel_args* p = (const kernel_args*)args;
  const dim4 shape = {1, 64, 1, 37632 / kSlices};
  const int bytes = shape.w * 4, scaled = 0x10000, out = 0x20000;
  tpu_initialize();
  for (int step = 0; step < kSlices + 2; ++step) {
    tpu_parallel_start();
    if (step < kSlices)
      tpu_gdma_cpy_S2L(step % 2 * 0x8000, p->in + (u64)step * 64 * bytes, &shape, NULL, NULL,
                       DT_FP32);
    if (step > 1)
      tpu_gdma_cpy_L2S(p->out + (u64)(step - 2) * 16 * bytes, out + step % 2 * 0x8000, &shape, NULL,
                       NULL, DT_INT8);
    if (step > 0 && step <= kSlices) {
      const int half = (step - 1) % 2 * 0x8000;
      tpu_bdc_cast(scaled, half, &shape, NULL, NULL, DT_INT32, DT_FP32, RM_HALF_AWAY_FROM_ZERO);
      tpu_bdc_fp32_requant(out + half, scaled, &shape, 0.5f, 0.0f, DT_INT8, DT_INT32,
                           RM_HALF_TO_EVEN, RM_HALF_TO_EVEN);
    }
    tpu_parallel_end();
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(quantise)

// The first of 197 rows of 768 int8 of 16 pictures, inside DDR.
static void slice(const void* args) {
  const kernel_args* p = (const kernel_args*)args;
  const dim4 shape = {1, 16, 1, 768}, stride = {16 * 197 * 768, 197 * 768, 768, 1};
  tpu_initialize();
  tpu_gdma_cpy_S2S(p->out, p->in, &shape, NULL, &stride, DT_INT8);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(slice)

// fp16 to fp32 of 1x3x80x80x85 in two slices.
static void widen(const void* args) {
  const kernel_args* p = (const kernel_args*)args;
  const dim4 shape = {1, 64, 1, 12750};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, p->in, &shape, NULL, NULL, DT_FP16);
  tpu_parallel_start();
  tpu_bdc_cast(0x10000, 0, &shape, NULL, NULL, DT_FP32, DT_FP16, RM_HALF_TO_EVEN);
  tpu_gdma_cpy_S2L(0x8000, p->in + 64 * 12750 * 2, &shape, NULL, NULL, DT_FP16);
  tpu_parallel_end();
  tpu_parallel_start();
  tpu_gdma_cpy_L2S(p->out, 0x10000, &shape, NULL, NULL, DT_FP32);
  tpu_bdc_cast(0x20000, 0x8000, &shape, NULL, NULL, DT_FP32, DT_FP16, RM_HALF_TO_EVEN);
  tpu_parallel_end();
  tpu_gdma_cpy_L2S(p->out + 64 * 12750 * 4, 0x20000, &shape, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(widen)

// One slice of that in and one out.
static void load(const void* args) {
  const kernel_args* p = (const kernel_args*)args;
  const dim4 shape = {1, 64, 1, 12750};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, p->in, &shape, NULL, NULL, DT_FP16);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(load)
static void store(const void* args) {
  const kernel_args* p = (const kernel_args*)args;
  const dim4 shape = {1, 64, 1, 12750};
  tpu_initialize();
  tpu_gdma_cpy_L2S(p->out, 0, &shape, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(store)

static void convolve(int channels, int output_channels, int step) {
  const dim4 shape = {1, channels, 40, 40};
  const dim2 kernel = {3, 3}, stride = {step, step};
  const padding_t padding = {1, 1, 1, 1};
  tpu_initialize();
  tpu_bdc_fp_conv2d(0x20000, 0, 0x8000, 0x3f000, &shape, NULL, output_channels, &kernel, &padding,
                    &stride, &one, DT_FP16, DT_FP16, false, false);
  tpu_poll();
}
// fp16, 128 channels to 128, 3x3 on 40x40.
static void conv_128(const void* args) {
  (void)args;
  convolve(128, 128, 1);
}
TPUKERNEL_FUNC_REGISTER(conv_128)
// fp16, 256 channels to 512, 3x3 with stride 2 to 20x20.
static void conv_256(const void* args) {
  (void)args;
  convolve(256, 512, 2);
}
TPUKERNEL_FUNC_REGISTER(conv_256)

// SiLU of 1x128x40x40 in fp16, computed in fp32.
static void silu(const void* args) {
  (void)args;
  const dim4 shape = {1, 128, 40, 40};
  tpu_initialize();
  tpu_bdc_cast(0x4000, 0, &shape, NULL, NULL, DT_FP32, DT_FP16, RM_HALF_TO_EVEN);
  tpu_bdc_fp32_silu(0x8000, 0x4000, 0xc000, 0x10000, 0x14000, 0x15000, &shape);
  tpu_bdc_cast(0, 0x8000, &shape, NULL, NULL, DT_FP16, DT_FP32, RM_HALF_TO_EVEN);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(silu)

// int8, 3136x768 times 768x768, and the result back to int8.
static void matmul(const void* args) {
  (void)args;
  const dim4 rows = {49, 64, 1, 768};
  const scalar_t zero = {.s32 = 0};
  tpu_initialize();
  tpu_bdc_int8_zp_mm(0x10000, 0, 0xc000, zero, 3136, 768, 768, DT_INT8, DT_INT8, false);
  tpu_bdc_fp32_requant(0x34c00, 0x10000, &rows, 0.5f, 0.0f, DT_INT8, DT_INT32, RM_HALF_TO_EVEN,
                       RM_HALF_TO_EVEN);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(matmul)

// A product of the 192 of an attention, int8: 197x197 times 197x64, and the result back to int8.
static void attention_product(const void* args) {
  (void)args;
  const dim4 rows = {1, 197, 1, 64};
  const scalar_t zero = {.s32 = 0};
  tpu_initialize();
  tpu_bdc_int8_zp_mm(0x10000, 0, 0x4000, zero, 197, 197, 64, DT_INT8, DT_INT8, false);
  tpu_bdc_fp32_requant(0x8000, 0x10000, &rows, 0.5f, 0.0f, DT_INT8, DT_INT32, RM_HALF_TO_EVEN,
                       RM_HALF_TO_EVEN);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(attention_product)

// What a product of 16x768 times 768x1000 int8 moves: both in, the result out.
static void classifier(const void* args) {
  const kernel_args* p = (const kernel_args*)args;
  const dim4 left = {1, 16, 1, 768}, right = {1, 768, 1, 1000}, result = {1, 16, 1, 1000};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, p->in, &left, NULL, NULL, DT_INT8);
  tpu_gdma_cpy_S2L(0x4000, p->in + 0x10000, &right, NULL, NULL, DT_INT8);
  tpu_gdma_cpy_L2S(p->out, 0x10000, &result, NULL, NULL, DT_INT8);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(classifier)

// As many lookups as twelve layers of 16x197x3072 make: 118,767,616 elements of 8 bits.
static void lookup(const void* args) {
  (void)args;
  enum { kPerNpu = 118767616 / 64, kTile = 37824 };
  tpu_initialize();
  for (int done = 0; done < kPerNpu; done += kTile) {
    const dim4 shape = {1, 64, 1, kPerNpu - done < kTile ? kPerNpu - done : kTile};
    tpu_bdc_table_lookup(0x10000, 0x4000, 0, &shape, 256, DT_INT8, DT_UINT8);
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(lookup)

// int8 to fp32 of 16x1000: 16 kB in, 64 kB out.
static void dequantise(const void* args) {
  const kernel_args* p = (const kernel_args*)args;
  const dim4 shape = {1, 16, 1, 1000};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, p->in, &shape, NULL, NULL, DT_INT8);
  tpu_bdc_cast(0x1000, 0, &shape, NULL, NULL, DT_FP32, DT_INT8, RM_HALF_TO_EVEN);
  tpu_gdma_cpy_L2S(p->out, 0x1000, &shape, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(dequantise)

// 7,225,344 bytes in runs of 16.
static void short_runs(const void* args) {
  const kernel_args* p = (const kernel_args*)args;
  const dim4 shape = {1, 64, 7056, 16}, stride = {0, 7056 * 32, 32, 1};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, p->in, &shape, NULL, &stride, DT_INT8);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(short_runs)
